// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/stream.hpp"

#include "command/work_list.hpp"
#include "device/cuda/grids.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <new>
#include <vector>

namespace clotho::cuda {

namespace {

/// Places in streams, as tickets of Node::issued. Places begin at 1, and the stream's number is one more there, so that
/// no ticket is one of the values that edges have for other things.
constexpr unsigned kPlaceBits = 48;
std::uint64_t ticketOf(std::uint16_t stream, std::uint64_t place) {
  return (std::uint64_t{stream} + 1) << kPlaceBits | place;
}
std::uint16_t streamOf(std::uint64_t ticket) { return static_cast<std::uint16_t>((ticket >> kPlaceBits) - 1); }
std::uint64_t placeOf(std::uint64_t ticket) { return ticket & ((std::uint64_t{1} << kPlaceBits) - 1); }

CUdeviceptr deviceAddress(const std::byte* address) { return std::bit_cast<CUdeviceptr>(address); }

} // namespace

/// A command in the stream; lies in its node.
struct Stream::Issued {
  struct Printing {
    CUdeviceptr buffer;
    const CudaKernel* kernel;
  };

  Node* node;
  std::uint64_t place = 0;
  cl_int status = CL_COMPLETE;
  CUevent begin = nullptr, end = nullptr; ///< if it is timed
  std::vector<Printing> printings{};      ///< oldest first
  std::vector<CUdeviceptr> temporaries{}; ///< memory to free
  const CudaKernel* kernel = nullptr;     ///< the last that was launched
  CUresult refusal = CUresult::Success;   ///< why it was not
  Issued* next = nullptr;
};

Stream::Stream(QueueServices& services, bool isTimed)
    : services_(services), context_(services.context), isTimed_(isTimed) {
  const Context::Current current(context_);
  check(context_.succeeded(context_.api().streamCreate(&stream_, kStreamNonBlocking)), CL_OUT_OF_RESOURCES,
        "no stream can be made for the queue");
}

Stream::~Stream() {
  const Context::Current current(context_);
  context_.succeeded(context_.api().streamDestroy(stream_));
}

// --- Issuing ---

void Stream::issue(Node& node, WorkList& ready) noexcept {
  static_assert(sizeof(Issued) <= Node::kDeviceStateSize && alignof(Issued) <= alignof(Node::DeviceState));
  auto& issued = *new (node.deviceState()) Issued{&node};
  // Streams that this one has to wait for write their places without this stream's lock.
  node.forEachIssuedPredecessor([&](std::uint64_t ticket) {
    if (streamOf(ticket) == number_) return;
    if (const auto other = services_.streams.stream(streamOf(ticket))) other->request(placeOf(ticket));
  });
  {
    MutexLock lock(mutex_);
    const Context::Current current(context_);
    const bool isOrdered = waitForOthers(node);
    if (isTimed_) issued.begin = services_.times.record(stream_);
    issued.status = isOrdered ? put(node.command(), issued) : CL_OUT_OF_RESOURCES;
    if (issued.begin) issued.end = services_.times.record(stream_);
    issued.place = ++newest_;
    node.issued(ticketOf(number_, issued.place), ready);
    (last_ ? last_->next : first_) = &issued;
    last_ = &issued;
    oldest_.store(first_->place, std::memory_order_release);
    // One place that is still to come suffices: when it has, settle() asks for the next.
    if (services_.streams.reached(number_) >= written_) writePlace();
  }
  services_.streams.noteIssued();
}

bool Stream::waitForOthers(const Node& node) noexcept {
  bool isOrdered = true;
  node.forEachIssuedPredecessor([&](std::uint64_t ticket) {
    const std::uint16_t other = streamOf(ticket);
    if (other == number_ || services_.streams.reached(other) >= placeOf(ticket)) return;
    if (!context_.succeeded(context_.api().streamWaitValue64(stream_, services_.streams.word(other), placeOf(ticket),
                                                             kWaitGreaterOrEqual)))
      isOrdered = false;
  });
  return isOrdered;
}

cl_int Stream::put(const Command& command, Issued& issued) noexcept {
  if (context_.isLost()) return CL_OUT_OF_RESOURCES;
  if (const auto* launch = std::get_if<Launch>(&command)) return putLaunch(*launch, issued);
  if (const auto* copy = std::get_if<Copy>(&command)) return putCopy(*copy, issued);
  if (const auto* fill = std::get_if<Fill>(&command)) return putFill(*fill);
  if (const auto* sequence = std::get_if<Sequence>(&command))
    for (const Ref<RecordedCommand>& each : sequence->commands)
      if (const cl_int status = put(each->command(), issued); status < 0) return status;
  return CL_COMPLETE;
}

cl_int Stream::putLaunch(const Launch& launch, Issued& issued) noexcept {
  const auto& kernel = static_cast<const CudaKernel&>(*launch.kernel);
  CUdeviceptr printf = 0;
  if (kernel.facts().usesPrintf) {
    printf = services_.prints.acquire(stream_);
    if (!printf) return CL_OUT_OF_RESOURCES;
    try {
      issued.printings.push_back({printf, &kernel});
    } catch (const std::bad_alloc&) {
      context_.deallocate(printf);
      return CL_OUT_OF_RESOURCES;
    }
  }
  const auto local = launch.args.localBytes == 0 ? 0U : static_cast<unsigned>(kLocalBegin + launch.args.localBytes);
  const auto zeroed = launch.zeroesLocal ? static_cast<std::uint32_t>(launch.args.localBytes) : 0U;
  cl_int status = CL_COMPLETE;
  forEachGrid(launch.range, printf, zeroed, [&](const Grid& grid) {
    std::array<void*, 2> parameters{const_cast<CudaLaunch*>(&grid.launch), const_cast<std::byte*>(launch.args.block())};
    const CUresult result =
        context_.api().launchKernel(kernel.function(), grid.groups, 1, 1, grid.local[0], grid.local[1], grid.local[2],
                                    local, stream_, parameters.data(), nullptr);
    issued.kernel = &kernel;
    if (context_.succeeded(result)) return true;
    issued.refusal = result;
    status = CL_OUT_OF_RESOURCES;
    return false;
  });
  return status;
}

// Patterns of up to four bytes, and longer ones that repeat one, are CUDA's own fills. Others are columns of words.
cl_int Stream::putFill(const Fill& fill) noexcept {
  const Driver& api = context_.api();
  std::array<std::byte, 128> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = fill.pattern[i % fill.patternSize];
  const auto words = std::bit_cast<std::array<std::uint32_t, 32>>(bytes);
  const std::size_t count = std::max<std::size_t>(fill.patternSize / sizeof(std::uint32_t), 1);
  const bool isOneWord = std::all_of(words.begin(), words.end(), [&](std::uint32_t word) { return word == words[0]; });
  const auto row = [&](CUdeviceptr target) -> CUresult {
    if (target % sizeof(std::uint32_t) != 0 || fill.rowBytes % sizeof(std::uint32_t) != 0) {
      if (fill.patternSize == 1)
        return api.memsetD8Async(target, static_cast<unsigned char>(words[0]), fill.rowBytes, stream_);
      return api.memsetD16Async(target, static_cast<unsigned short>(words[0]), fill.rowBytes / 2, stream_);
    }
    if (isOneWord) return api.memsetD32Async(target, words[0], fill.rowBytes / sizeof(std::uint32_t), stream_);
    for (std::size_t i = 0; i < count; ++i)
      if (const CUresult result = api.memsetD2D32Async(target + i * sizeof(std::uint32_t), fill.patternSize, words[i],
                                                       1, fill.rowBytes / fill.patternSize, stream_);
          result != CUresult::Success)
        return result;
    return CUresult::Success;
  };
  if (fill.rowBytes == 0) return CL_COMPLETE;
  for (std::size_t slice = 0; slice < fill.slices; ++slice)
    for (std::size_t i = 0; i < fill.rows; ++i)
      if (!context_.succeeded(row(deviceAddress(fill.target + slice * fill.slicePitch + i * fill.rowPitch))))
        return CL_OUT_OF_RESOURCES;
  return CL_COMPLETE;
}

// Source and target may overlap, which CUDA does not allow: the bytes are copied to other memory first.
cl_int Stream::putCopy(const Copy& copy, Issued& issued) noexcept {
  if (!copy.mayOverlap) return copyInStream(context_, copy, stream_) ? CL_COMPLETE : CL_OUT_OF_RESOURCES;
  const std::size_t bytes = copy.rowBytes * copy.rows * copy.slices;
  const CUdeviceptr temporary = context_.allocate(bytes);
  if (!temporary) return CL_OUT_OF_RESOURCES;
  try {
    issued.temporaries.push_back(temporary);
  } catch (const std::bad_alloc&) {
    context_.deallocate(temporary);
    return CL_OUT_OF_RESOURCES;
  }
  Copy out = copy, back = copy;
  back.source = out.target = std::bit_cast<std::byte*>(temporary);
  back.sourceRowPitch = out.targetRowPitch = copy.rowBytes;
  back.sourceSlicePitch = out.targetSlicePitch = copy.rowBytes * copy.rows;
  const bool isDone = copyInStream(context_, out, stream_) && copyInStream(context_, back, stream_);
  return isDone ? CL_COMPLETE : CL_OUT_OF_RESOURCES;
}

void Stream::writePlace() noexcept {
  const Driver& api = context_.api();
  if (!context_.succeeded(api.streamWriteValue64(stream_, services_.streams.word(number_), newest_, kWriteDefault)) &&
      context_.succeeded(api.streamSynchronize(stream_)))
    services_.streams.setReached(number_, newest_); // what the stream could not be asked to do
  written_ = newest_;
}

void Stream::request(std::uint64_t place) noexcept {
  MutexLock lock(mutex_);
  if (written_ >= place) return;
  const Context::Current current(context_);
  writePlace();
}

// --- Ending ---

bool Stream::settle() noexcept {
  // Threads that poll must not hold up those that issue.
  const std::uint64_t oldest = oldest_.load(std::memory_order_acquire);
  if (oldest == kNone || (services_.streams.reached(number_) < oldest && !context_.isLost())) return false;
  Issued* done = nullptr;
  {
    MutexLock lock(mutex_);
    // One thread at a time, so that what kernels print comes in order.
    if (!first_ || isEnding_) return false;
    const std::uint64_t reached = context_.isLost() ? newest_ : services_.streams.reached(number_);
    if (reached < first_->place) return false;
    done = first_;
    Issued* last = nullptr;
    isEnding_ = true;
    while (first_ && first_->place <= reached) {
      last = first_;
      first_ = first_->next;
    }
    last->next = nullptr;
    if (!first_) last_ = nullptr;
    oldest_.store(first_ ? first_->place : kNone, std::memory_order_release);
    if (first_ && reached >= written_) {
      const Context::Current current(context_);
      writePlace();
    }
  }
  WorkList list;
  while (done) {
    Issued& issued = *done;
    done = issued.next; // the node may be gone when it has ended
    end(issued, list);
  }
  {
    MutexLock lock(mutex_);
    isEnding_ = false;
  }
  list.run();
  return true;
}

void Stream::reportFailure(const Issued& issued) noexcept {
  if (!issued.kernel) return;
  try {
    const std::string name = "the kernel '" + issued.kernel->info().name + "'";
    if (issued.refusal != CUresult::Success)
      issued.node->report(name + " cannot be launched: " + describe(issued.refusal), issued.kernel->failureLevel());
    else if (context_.isLost() && context_.isFirstReport())
      issued.node->report(name + " ran, or was to run next, when the GPU was lost: " + describe(context_.loss()),
                          LogLevel::Error);
  } catch (const std::bad_alloc&) {
    // The command's status tells it all the same.
  }
}

void Stream::end(Issued& issued, WorkList& list) noexcept {
  Node& node = *issued.node;
  cl_int status = issued.status;
  reportFailure(issued);
  if (context_.isLost()) {
    if (status >= 0) status = CL_OUT_OF_RESOURCES;
    issued.temporaries.clear();
  } else {
    const Context::Current current(context_);
    for (const Issued::Printing& each : issued.printings)
      services_.prints.printAndRelease(each.buffer, *each.kernel);
    for (const CUdeviceptr each : issued.temporaries)
      context_.deallocate(each);
    if (issued.begin && !issued.end) static_cast<void>(services_.times.take(issued.begin));
    if (issued.begin && issued.end) {
      const std::uint64_t begin = services_.times.take(issued.begin), end = services_.times.take(issued.end);
      const std::uint64_t now = hostTime(); // the clocks differ by microseconds
      node.setTimes(std::min(begin, now), std::min(end, now));
    }
  }
  issued.~Issued();
  node.begin();
  node.complete(status, list);
  services_.streams.noteEnded();
}

void Stream::checkHealth() noexcept {
  MutexLock lock(mutex_);
  if (first_) context_.succeeded(context_.api().streamQuery(stream_));
}

// --- Queues ---

CudaQueue::CudaQueue(QueueServices& services, const QueueTraits& traits)
    : DeviceQueue(&services), services_(services), stream_(std::make_shared<Stream>(services, traits.isTimed)) {
  services_.streams.add(stream_);
}

CudaQueue::~CudaQueue() { services_.streams.remove(stream_->number()); }

void CudaQueue::start(Node& node, WorkList& ready) noexcept {
  if (isStreamed(node.command())) {
    // The queue may be gone before this returns, if the command ends at once.
    const std::shared_ptr<Stream> stream = stream_;
    stream->issue(node, ready);
  } else {
    services_.copier.start(node);
  }
}

} // namespace clotho::cuda
