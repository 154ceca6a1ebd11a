// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/stream.hpp"

#include "base/clock.hpp"
#include "base/spin.hpp"
#include "command/traced.hpp"
#include "command/work_list.hpp"
#include "device/cuda/device_commands.hpp"
#include "device/cuda/rows.hpp"
#include "device/cuda/sequence_graph.hpp"

#include <algorithm>
#include <bit>
#include <ctime>
#include <memory>
#include <new>
#include <utility>
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

/// Whether a command is a launch of a kernel that prints. Sequences, which applications make once, are not counted.
bool prints(const Command& command) {
  const auto* launch = std::get_if<Launch>(&command);
  return launch && static_cast<const CudaKernel*>(launch->kernel)->facts().usesPrintf;
}

} // namespace

/// A command in the stream; lies in its node.
struct Stream::Issued {
  struct Printing {
    CUdeviceptr buffer;
    const CudaKernel* kernel;
  };

  /// A command of a sequence, for the trace.
  struct Part {
    const Command* command;
    CUevent begin, end;
  };

  Node* node;
  std::uint64_t place = 0;
  cl_int status = CL_COMPLETE;
  CUevent begin = nullptr, end = nullptr; ///< if it is timed
  std::uint64_t issuedAt = 0;             ///< if it is timed, by the host's clock
  std::vector<Printing> printings{};      ///< oldest first
  std::vector<Part> parts{};              ///< of a sequence that is traced
  const CudaKernel* kernel = nullptr;     ///< the last that was launched
  CUresult refusal = CUresult::Success;   ///< why it was not
  Staging::Slot slot{};                   ///< of a small copy
  Issued* next = nullptr;
};

Stream::Stream(QueueServices& services, std::uint16_t number)
    : services_(services), context_(services.context), number_(number) {
  const Context::Current current(context_);
  check(!context_.isLost() && context_.succeeded(context_.api().streamCreate(&stream_, kStreamNonBlocking)),
        CL_OUT_OF_RESOURCES, "no stream can be made for the queue");
}

// --- Issuing ---

void Stream::issue(Node& node, WorkList& ready, const Staging::Slot& slot) noexcept {
  static_assert(sizeof(Issued) <= Node::kDeviceStateSize && alignof(Issued) <= alignof(Node::DeviceState));
  auto& issued = *new (node.deviceState()) Issued{&node};
  issued.slot = slot;
  // Streams that this one has to wait for write their places without this stream's lock.
  node.forEachIssuedPredecessor([&](std::uint64_t ticket) {
    if (streamOf(ticket) != number_) services_.streams.stream(streamOf(ticket)).request(placeOf(ticket));
  });
  {
    MutexLock lock(mutex_);
    const std::uint64_t place = newest_.load(std::memory_order_relaxed) + 1;
    issued.place = place;
    issued.status = CL_OUT_OF_RESOURCES;
    if (const Context::Current current(context_); !context_.isLost()) {
      newestNode_ = &node;
      const bool isOrdered = waitForOthers(node);
      if (isTimed_) {
        issued.issuedAt = hostTime();
        issued.begin = services_.times.record(stream_);
      }
      if (isOrdered) issued.status = put(node.command(), issued);
      if (issued.begin) issued.end = services_.times.record(stream_);
      newest_.store(place, std::memory_order_seq_cst);
      if (node.isWatched() || services_.streams.limit() != 0 ||
          place - written_.load(std::memory_order_relaxed) >= kMostUntold)
        writePlace();
    } else {
      newest_.store(place, std::memory_order_seq_cst);
    }
    node.issued(ticketOf(number_, place), ready);
    // From here on another thread may end the command.
    issued.next = incoming_.load(std::memory_order_relaxed);
    while (!incoming_.compare_exchange_weak(issued.next, &issued, std::memory_order_acq_rel)) {
    }
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
  if (const auto* copy = std::get_if<Copy>(&command))
    return copyInStream(context_, issued.slot.bytes ? Staging::viaSlot(*copy, issued.slot) : *copy, stream_)
               ? CL_COMPLETE
               : CL_OUT_OF_RESOURCES;
  if (const auto* fill = std::get_if<Fill>(&command))
    return fillInStream(context_, *fill, stream_) ? CL_COMPLETE : CL_OUT_OF_RESOURCES;
  if (const auto* migrate = std::get_if<Migrate>(&command)) prefetchInStream(context_, *migrate, stream_);
  if (const auto* sequence = std::get_if<Sequence>(&command)) return putSequence(*sequence, issued);
  return CL_COMPLETE;
}

cl_int Stream::putLaunch(const Launch& launch, Issued& issued) noexcept {
  const auto& kernel = static_cast<const CudaKernel&>(*launch.kernel);
  CUdeviceptr printf = 0;
  if (kernel.facts().usesPrintf) {
    // Launches of a long sequence share a buffer: what they print follows each other there.
    const bool isShared = issued.printings.size() >= PrintBuffers::kMost &&
                          &issued.printings.back().kernel->program() == &kernel.program();
    printf = isShared ? issued.printings.back().buffer : services_.prints.acquire(stream_);
    if (!printf) return CL_OUT_OF_RESOURCES;
    try {
      if (!isShared) issued.printings.push_back({printf, &kernel});
    } catch (const std::bad_alloc&) {
      context_.deallocateIn(stream_, printf);
      return CL_OUT_OF_RESOURCES;
    }
  }
  const CUresult result = forEachLaunch(launch, printf, /*enqueuing=*/0, [&](const KernelNode& grid) {
    issued.kernel = &kernel;
    return launchInStream(context_.api(), grid, stream_);
  });
  if (context_.succeeded(result)) return CL_COMPLETE;
  issued.refusal = result;
  return CL_OUT_OF_RESOURCES;
}

cl_int Stream::putSequence(const Sequence& sequence, Issued& issued) noexcept {
  if (isTimed_ && issued.node->whole().traceId().queue != 0) return putTracedSequence(sequence, issued);
  if (sequence.prepared && sequence.commands.size() >= SequenceGraph::kLeast) {
    MutexLock lock(sequence.prepared->mutex);
    std::unique_ptr<PreparedCommand>& prepared = sequence.prepared->prepared;
    if (!prepared) prepared.reset(new (std::nothrow) SequenceGraph(context_, services_.graphs));
    auto* graph = static_cast<SequenceGraph*>(prepared.get());
    if (graph && &graph->context() == &context_ && graph->launch(sequence.commands, stream_)) {
      for (std::size_t i = sequence.commands.size(); i > 0 && !issued.kernel; --i)
        if (const auto* launch = std::get_if<Launch>(&sequence.commands[i - 1]->command()))
          issued.kernel = static_cast<const CudaKernel*>(launch->kernel);
      return CL_COMPLETE;
    }
  }
  for (const Ref<RecordedCommand>& each : sequence.commands)
    if (const cl_int status = put(each->command(), issued); status < 0) return status;
  return CL_COMPLETE;
}

/// One command after the other, with their times: those of a graph would be known as a whole only.
cl_int Stream::putTracedSequence(const Sequence& sequence, Issued& issued) noexcept {
  for (const Ref<RecordedCommand>& each : sequence.commands) {
    const CUevent begin = services_.times.record(stream_);
    const cl_int status = put(each->command(), issued);
    const CUevent end = services_.times.record(stream_);
    try {
      issued.parts.push_back({&each->command(), begin, end});
    } catch (const std::bad_alloc&) {
      // The trace lacks a part.
    }
    if (status < 0) return status;
  }
  return CL_COMPLETE;
}

void Stream::writePlace() noexcept {
  const Driver& api = context_.api();
  const std::uint64_t newest = newest_.load(std::memory_order_relaxed);
  if (!context_.succeeded(api.streamWriteValue64(stream_, services_.streams.word(number_), newest, kWriteDefault))) {
    if (!context_.succeeded(api.streamSynchronize(stream_))) return;
    services_.streams.setReached(number_, newest); // what the stream could not be asked to do
  }
  written_.store(newest, std::memory_order_relaxed);
  newestNode_ = nullptr;
}

void Stream::request(std::uint64_t place) noexcept {
  MutexLock lock(mutex_);
  if (written_.load(std::memory_order_relaxed) >= place) return;
  const Context::Current current(context_);
  if (!context_.isLost()) writePlace();
}

void Stream::requestFor(Helping::Filter wanted, const void* context, bool isFirst) noexcept {
  const std::uint64_t written = written_.load(std::memory_order_relaxed);
  if (newest_.load(std::memory_order_relaxed) <= written || context_.isLost()) return;
  if (!isFirst && services_.streams.reached(number_) < written) return;
  MutexLock lock(mutex_);
  if (!newestNode_ || !wanted(*newestNode_, context)) return;
  const Context::Current current(context_);
  if (!context_.isLost()) writePlace();
}

bool Stream::look() noexcept {
  const std::uint64_t newest = newest_.load(std::memory_order_relaxed);
  if (newest != std::exchange(seen_, newest)) return true;
  if (written_.load(std::memory_order_relaxed) < newest) request(newest);
  return false;
}

// --- Ending ---

bool Stream::settle() noexcept {
  // Threads that poll must not hold up those that issue.
  if (done() <= ended_.load(std::memory_order_relaxed) || isEnding_.exchange(true, std::memory_order_acquire))
    return false;
  const std::uint64_t last = done();
  if (context_.isLost()) { // and so done with the newest, too
    MutexLock lock(mutex_);
    newestNode_ = nullptr;
  }
  bool hasEnded = false;
  WorkList list;
  for (Issued* issued = oldest(); issued && issued->place <= last; issued = oldest()) {
    first_ = issued->next; // the node may be gone when it has ended
    ended_.store(issued->place, std::memory_order_seq_cst);
    end(*issued, list);
    hasEnded = true;
  }
  isEnding_.store(false, std::memory_order_release);
  list.run();
  return hasEnded;
}

Stream::Issued* Stream::oldest() noexcept {
  if (first_) return first_;
  Issued* next = incoming_.exchange(nullptr, std::memory_order_acquire);
  while (next) {
    Issued* const older = next->next;
    next->next = first_;
    first_ = next;
    next = older;
  }
  return first_;
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
  std::uint64_t started = 0, ended = 0;
  if (const Context::Current current(context_); context_.isLost()) {
    if (status >= 0) status = CL_OUT_OF_RESOURCES;
  } else {
    for (const Issued::Printing& each : issued.printings)
      services_.prints.printAndRelease(each.buffer, *each.kernel, node);
    if (issued.begin && !issued.end) static_cast<void>(services_.times.take(issued.begin));
    if (issued.begin && issued.end) {
      const std::uint64_t begin = services_.times.take(issued.begin), end = services_.times.take(issued.end);
      const std::uint64_t now = hostTime(); // the clocks differ by microseconds
      started = std::clamp(begin, issued.issuedAt, now);
      ended = std::clamp(end, started, now);
      node.setTimes(started, ended);
    }
    for (const Issued::Part& part : issued.parts) {
      if (!part.begin || !part.end) continue; // the trace lacks it
      const std::uint64_t begin = services_.times.take(part.begin), end = services_.times.take(part.end);
      tracePart(node, *part.command, std::clamp(begin, started, ended), std::clamp(end, started, ended));
    }
  }
  if (issued.slot.bytes)
    services_.staging.end(issued.slot, *std::get_if<Copy>(&node.command()), status >= 0 && !node.isToFail());
  // A buffer is free, so another launch may go.
  if (prints(node.command()))
    if (const PrintBuffers::Waiting next = services_.prints.ended(); next.node) next.stream->issue(*next.node, list);
  issued.~Issued();
  node.begin();
  node.complete(status, list);
}

std::uint64_t Stream::running() noexcept {
  if (isEnding_.exchange(true, std::memory_order_acquire)) return 0;
  std::uint64_t place = 0;
  if (const Issued* next = oldest()) {
    place = next->place;
    next->node->forEachIssuedPredecessor([&](std::uint64_t ticket) {
      if (services_.streams.reached(streamOf(ticket)) < placeOf(ticket)) place = 0;
    });
  }
  isEnding_.store(false, std::memory_order_release);
  return place;
}

void Stream::checkHealth() noexcept {
  if (!hasCommands()) return;
  {
    const Context::Current current(context_);
    if (!context_.isLost()) context_.succeeded(context_.api().streamQuery(stream_));
  }
  const std::uint64_t limit = services_.streams.limit();
  if (limit == 0) return;
  const std::uint64_t now = hostTime();
  if (const std::uint64_t running = this->running(); running != running_ || running == 0) {
    running_ = running;
    runningSince_ = now;
  } else if (now - runningSince_ > limit) {
    context_.lose(CUresult::LaunchTimeout);
  }
}

// --- What is in no stream ---

namespace {

/// Ends commands of streams until a condition holds or the device is lost.
template <class Condition> void settleUntil(QueueServices& services, Condition&& isOver) {
  constexpr int kPolls = 200;
  constexpr timespec kPause{0, 20'000};
  for (int polls = 0; !services.context.isLost() && !isOver(); ++polls) {
    if (services.streams.settle()) continue;
    if (polls < kPolls)
      pauseCpu();
    else
      nanosleep(&kPause, nullptr);
  }
}

} // namespace

void QueueServices::awaitIssued(const Node& node) noexcept {
  node.forEachIssuedPredecessor([&](std::uint64_t ticket) {
    const std::uint16_t number = streamOf(ticket);
    streams.stream(number).request(placeOf(ticket));
    settleUntil(*this, [&] { return streams.reached(number) >= placeOf(ticket); });
  });
}

void QueueServices::awaitReads(const Copy& copy) noexcept {
  settleUntil(*this, [&] { return staging.mayGo(copy, Staging::kNoStream); });
}

// --- Queues ---

CudaQueue::CudaQueue(QueueServices& services, const QueueTraits& traits)
    : DeviceQueue(&services), services_(services), stream_(services.streams.take(services, traits.isTimed)) {}

CudaQueue::~CudaQueue() { services_.streams.giveBack(stream_); }

void CudaQueue::start(Node& node, WorkList& ready) noexcept {
  if (enqueuesOthers(node.command())) return services_.enqueuing.start(node, ready);
  const auto* copy = std::get_if<Copy>(&node.command());
  if (!copy || isStreamed(node.command())) {
    if (!prints(node.command()) || services_.prints.mayIssue(stream_, node)) stream_.issue(node, ready);
    return;
  }
  if (endsOf(*copy).areFast() && services_.staging.mayGo(*copy, stream_.number())) return stream_.issue(node, ready);
  // Bytes of the host's that kernels reach are not to be read before their turn, nor written after it.
  const Staging::Slot slot =
      services_.kernelsReachHost ? Staging::Slot{} : services_.staging.begin(*copy, stream_.number());
  if (!slot.bytes) return services_.copier.start(node, ready);
  stream_.issue(node, ready, slot);
}

bool CudaQueue::streams(const Copy& copy) const noexcept {
  return bytesOf(copy) <= Staging::kMost || endsOf(copy).areFast();
}

} // namespace clotho::cuda
