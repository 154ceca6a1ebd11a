// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/enqueued_run.hpp"

#include "base/clock.hpp"
#include "command/enqueued_launch.hpp"
#include "device/cuda/cuda_program.hpp"
#include "device/cuda/device_commands.hpp"
#include "device/cuda/enqueue_runner.hpp"
#include "device/cuda/enqueued_graph.hpp"
#include "device/cuda/on_device_queue.hpp"
#include "device/cuda/stream.hpp"
#include "trace/trace.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace clotho::cuda {

namespace {

using Account = EnqueuedGraph::Account;
using Child = EnqueuedGraph::Child;

/// Literals of kernels that are still to run, outside of their queues.
class LiteralBlock {
 public:
  LiteralBlock(Context& context, std::size_t bytes) : context_(context), address_(context.allocate(bytes)) {}
  ~LiteralBlock() {
    if (address_) context_.deallocate(address_);
  }
  LiteralBlock(const LiteralBlock&) = delete;
  LiteralBlock& operator=(const LiteralBlock&) = delete;
  CUdeviceptr address() const { return address_; }

 private:
  Context& context_;
  const CUdeviceptr address_;
};

/// One queue of those that the launch may enqueue to.
struct UsedQueue {
  const CudaOnDeviceQueue* queue;
  std::uint32_t next = 0; ///< the first record that kernels take next
  // Copies of records from there on: the first few come with each drain, the rest if there are more.
  const std::byte* window = nullptr;
  std::uint32_t windowCount = 0;
  std::vector<std::byte> rest{};
  std::uint32_t restCount = 0;
  std::uint32_t end = 0; ///< behind the last that a kernel has taken, as far as seen
};

/// A launch of the host, and the kernels that it enqueues, generation by generation.
class EnqueuedRun {
 public:
  EnqueuedRun(EnqueueRunner& runner, Node& node, const Launch& launch)
      : runner_(runner), services_(runner.services()), context_(services_.context), node_(node), launch_(launch),
        kernel_(static_cast<const CudaKernel&>(*launch.kernel)) {}

  /// Throws bad_alloc.
  cl_int run();
  /// Frees what the kernels have forgotten.
  void end() noexcept;

 private:
  struct Running {
    Child* child; ///< null for the launch of the host
    CUevent begin = nullptr, end = nullptr;
    trace::CommandRun traced{};  ///< with a name if the trace has it
    cl_int status = CL_COMPLETE; ///< an error if not all of its grids could be launched
  };
  static constexpr std::uint32_t kWindow = 4; ///< records that come with each drain

  static void traceChild(trace::CommandRun run, std::uint64_t started, std::uint64_t ended) noexcept;

  bool begin();
  /// Puts children that are ready into streams, one after the other. False if some have to wait.
  bool startReady();
  /// Whether there was room for one more account.
  bool start(Child& child);
  /// A status, after a line in the log where CUDA refuses. Grids before the refused one run.
  cl_int put(const Launch& launch, std::size_t context, CUstream stream);
  /// Makes a launch of what the record says. A status.
  cl_int makeLaunch(const Child& child, Launch& launch) const;
  /// Waits for what runs, and takes what it has left. False if that cannot be.
  bool drain();
  bool takeRecords();
  bool takeRecords(std::size_t context);
  bool takeChanges();
  /// A copy of the record with this address, and its queue; null if there is none.
  const EnqueuedKernel* record(CUdeviceptr address, UsedQueue*& queue);
  bool fetchRest(UsedQueue& used);
  /// Ends what has run.
  void endRunning();
  bool writeTimes();
  /// Makes room in queues and in the table of events, where little is left.
  bool makeRoom();
  bool emptyQueues();
  bool reclaimEvents(bool all);
  bool resetContexts();
  CUdeviceptr contextAt(std::size_t index) const {
    return runner_.header() + offsetof(EnqueueHeader, contexts) + index * sizeof(Enqueuing);
  }

  EnqueueRunner& runner_;
  QueueServices& services_;
  Context& context_;
  Node& node_;
  const Launch& launch_;
  const CudaKernel& kernel_;
  std::vector<UsedQueue> queues_;
  EnqueuedGraph graph_;
  std::vector<Running> running_;
  std::size_t contextCount_ = 1;
  std::array<Account*, EnqueueHeader::kMostContexts> accounts_{};
  std::array<Enqueuing, EnqueueHeader::kMostContexts> contexts_{}; // as they are when nothing has been enqueued
  std::array<std::uint64_t, EnqueueHeader::kMostContexts> seenRecords_{}, seenChanges_{};
  SlotPool events_{};
  std::uint64_t eventCount_ = 0, mostEvents_ = kMostOnDeviceEvents / 2;
  bool hasChanges_ = false; // of user events, or of requests for times
  CUdeviceptr printf_ = 0;
};

// --- Launching ---

bool EnqueuedRun::begin() {
  const LaunchQueues* given = launch_.queues.get();
  std::vector<std::uint64_t> handles;
  const auto use = [&](const Ref<OnDeviceQueue>& queue) {
    handles.push_back(queue ? queue->handle() : 0);
    if (!queue) return;
    const auto* own = static_cast<const CudaOnDeviceQueue*>(&*queue);
    if (std::ranges::find(queues_, own, &UsedQueue::queue) == queues_.end()) queues_.push_back({own});
  };
  use(given ? given->defaultQueue : Ref<OnDeviceQueue>());
  if (given) std::ranges::for_each(given->arguments, use);
  if (handles.size() > EnqueueRunner::kMostQueues) return false;

  const CudaProgram& program = kernel_.program();
  events_ = {0, 0, kMostOnDeviceEvents, runner_.events(), sizeof(DeviceEvent)};
  Enqueuing context{};
  context.events = runner_.header() + offsetof(EnqueueHeader, events);
  context.root = runner_.header() + offsetof(EnqueueHeader, root);
  context.blocks = program.blockLimits();
  context.queues = runner_.queues();
  context.queueCount = static_cast<std::uint32_t>(handles.size());
  context.blockCount = static_cast<std::uint32_t>(program.blockCount());
  contexts_.fill(context);
  EnqueueHeader header{};
  header.events = events_;
  std::ranges::copy(contexts_, header.contexts);
  bool isWritten = runner_.write(runner_.header(), &header, sizeof header) &&
                   runner_.write(runner_.queues(), handles.data(), handles.size() * sizeof handles[0]);
  for (const UsedQueue& each : queues_) {
    const DeviceQueueState state = each.queue->initialState();
    isWritten = isWritten && runner_.write(each.queue->handle(), &state, sizeof state);
  }
  return isWritten;
}

cl_int EnqueuedRun::put(const Launch& launch, std::size_t context, CUstream stream) {
  const auto& kernel = static_cast<const CudaKernel&>(*launch.kernel);
  if (kernel.facts().usesPrintf && !printf_) printf_ = services_.prints.acquire(runner_.stream());
  const CUresult result = kernel.facts().usesPrintf && !printf_
                              ? CUresult::OutOfMemory
                              : forEachLaunch(launch, printf_, contextAt(context), [&](const KernelNode& grid) {
                                  return launchInStream(context_.api(), grid, stream);
                                });
  if (context_.succeeded(result)) return CL_COMPLETE;
  node_.report("the kernel '" + kernel.info().name + "' cannot be launched: " + describe(result),
               kernel.failureLevel());
  return CL_OUT_OF_RESOURCES;
}

cl_int EnqueuedRun::makeLaunch(const Child& child, Launch& launch) const {
  const CudaKernel* kernel = kernel_.program().block(child.block);
  if (!kernel) return CL_INVALID_KERNEL;
  launch.zeroesLocal = launch_.zeroesLocal;
  return setEnqueued(launch, *kernel, child.literalAt, child.localSizes, child.range, services_.properties);
}

bool EnqueuedRun::startReady() {
  contextCount_ = 1; // the first is that of the launch of the host
  accounts_[0] = &graph_.root();
  while (Child* child = graph_.takeReady())
    if (context_.isLost() || !start(*child)) {
      graph_.putBack();
      return false;
    }
  return true;
}

bool EnqueuedRun::start(Child& child) {
  const auto used = accounts_.begin() + static_cast<std::ptrdiff_t>(contextCount_);
  auto own = std::find(accounts_.begin(), used, child.account);
  if (own == accounts_.end()) return false;
  Launch launch{};
  cl_int status = makeLaunch(child, launch);
  if (status == CL_SUCCESS) {
    Running running{&child};
    // Kernels that print run one after the other, so that lines come in order.
    const bool prints = static_cast<const CudaKernel&>(*launch.kernel).facts().usesPrintf;
    const CUstream stream = prints ? runner_.stream() : runner_.stream(running_.size() % EnqueueRunner::kStreams);
    const bool isTraced = node_.whole().traceId().queue != 0;
    if (isTraced)
      running.traced = {.amount = static_cast<std::uint64_t>(child.range.items()),
                        .id = {node_.whole().traceId().queue, 0},
                        .name = launch.kernel->traceName(),
                        .isLaunch = true};
    if (child.isTimed || isTraced) running.begin = services_.times.record(stream);
    if (own == used) {
      *own = child.account;
      ++contextCount_;
    }
    running.status = put(launch, static_cast<std::size_t>(own - accounts_.begin()), stream);
    if (child.isTimed || isTraced) running.end = services_.times.record(stream);
    running_.push_back(running);
    return true;
  }
  graph_.ended(child, status);
  return true;
}

// --- Draining ---

bool EnqueuedRun::drain() {
  constexpr std::size_t kHeader = sizeof(EnqueueHeader);
  const std::size_t bytes = offsetof(EnqueueHeader, contexts) + contextCount_ * sizeof(Enqueuing);
  // The copies come behind all kernels.
  if (running_.size() > 1 && !runner_.finishAll()) return false;
  if (!runner_.read(runner_.pinned(), runner_.header(), bytes)) return false;
  std::size_t used = (kHeader + 63) / 64 * 64;
  for (UsedQueue& each : queues_) {
    const std::uint32_t count = std::min(kWindow, each.queue->count() - each.next);
    const std::size_t size = count * CudaOnDeviceQueue::kStride;
    each.windowCount = used + size <= EnqueueRunner::kPinnedBytes ? count : 0;
    each.window = runner_.pinned() + used;
    each.rest.clear();
    each.restCount = 0;
    each.end = each.next;
    if (each.windowCount == 0) continue;
    if (!runner_.read(runner_.pinned() + used, each.queue->record(each.next), size)) return false;
    used += size;
  }
  if (!runner_.finish()) return false;
  const auto& header = *reinterpret_cast<const EnqueueHeader*>(runner_.pinned());
  events_ = header.events;
  eventCount_ = header.root.events;
  if (!takeRecords() || !takeChanges()) {
    if (!context_.isLost())
      node_.report("queues or events on the device cannot be read as the kernel '" + kernel_.info().name +
                       "' and those that it has enqueued have left them",
                   kernel_.failureLevel());
    return false;
  }
  if (printf_) services_.prints.printAndRelease(std::exchange(printf_, 0), kernel_, node_);
  endRunning();
  return true;
}

bool EnqueuedRun::takeRecords() {
  for (std::size_t i = 0; i < contextCount_; ++i)
    if (!takeRecords(i)) return false;
  for (UsedQueue& each : queues_)
    each.next = each.end;
  return true;
}

bool EnqueuedRun::takeRecords(std::size_t context) {
  const auto& header = *reinterpret_cast<const EnqueueHeader*>(runner_.pinned());
  const std::uint64_t newest = header.contexts[context].reserved;
  struct Taken {
    const EnqueuedKernel* record;
    CUdeviceptr address;
    bool isTimed;
  };
  std::uint64_t most = 0;
  for (const UsedQueue& each : queues_)
    most += each.queue->count();
  std::vector<Taken> taken; // newest first
  for (CUdeviceptr address = newest; address != seenRecords_[context];) {
    UsedQueue* queue = nullptr;
    const EnqueuedKernel* each = record(address, queue);
    if (!each || taken.size() == most) return false;
    taken.push_back({each, address, queue->queue->isTimed()});
    queue->end = std::max(queue->end, queue->queue->indexOf(address) + 1);
    address = each->nextReserved;
  }
  seenRecords_[context] = newest;
  for (auto each = taken.rbegin(); each != taken.rend(); ++each)
    if (each->record->state == kRecordCommitted &&
        !graph_.add(*each->record, each->address, each->isTimed, *accounts_[context]))
      return false;
  return true;
}

const EnqueuedKernel* EnqueuedRun::record(CUdeviceptr address, UsedQueue*& queue) {
  for (UsedQueue& each : queues_) {
    const std::uint32_t index = each.queue->indexOf(address);
    if (index == each.queue->count()) continue;
    queue = &each;
    if (index < each.next) return nullptr;
    const std::uint32_t offset = index - each.next;
    if (offset < each.windowCount)
      return reinterpret_cast<const EnqueuedKernel*>(each.window + offset * CudaOnDeviceQueue::kStride);
    if (each.restCount == 0 && !fetchRest(each)) return nullptr;
    if (offset >= each.restCount) return nullptr;
    return reinterpret_cast<const EnqueuedKernel*>(each.rest.data() + offset * CudaOnDeviceQueue::kStride);
  }
  return nullptr;
}

bool EnqueuedRun::fetchRest(UsedQueue& used) {
  DeviceQueueState state{};
  if (!runner_.read(&state, used.queue->handle(), sizeof state) || !runner_.finish()) return false;
  if (state.records.fresh <= used.next || state.records.fresh > used.queue->count()) return false;
  used.restCount = state.records.fresh - used.next;
  used.rest.resize(used.restCount * CudaOnDeviceQueue::kStride);
  return runner_.read(used.rest.data(), used.queue->record(used.next), used.rest.size()) && runner_.finish();
}

bool EnqueuedRun::takeChanges() {
  const auto& header = *reinterpret_cast<const EnqueueHeader*>(runner_.pinned());
  std::vector<DeviceEvent> table;
  for (std::size_t i = 0; i < contextCount_; ++i) {
    const std::uint64_t newest = header.contexts[i].changed;
    if (newest == seenChanges_[i]) continue;
    if (table.empty()) {
      table.resize(std::min<std::uint32_t>(events_.fresh, kMostOnDeviceEvents));
      if (!runner_.read(table.data(), runner_.events(), table.size() * sizeof(DeviceEvent)) || !runner_.finish())
        return false;
    }
    std::size_t steps = 0;
    for (CUdeviceptr address = newest; address != seenChanges_[i];) {
      const std::uint64_t slot = (address - runner_.events()) / sizeof(DeviceEvent);
      if (slot >= table.size() || ++steps > table.size()) return false;
      const DeviceEvent& event = table[slot];
      if (event.kind == kEventCapture)
        graph_.capture(static_cast<std::uint32_t>(slot), event.target, event.value);
      else
        graph_.set(static_cast<std::uint32_t>(slot), static_cast<cl_int>(event.status));
      hasChanges_ = true;
      address = event.nextChanged;
    }
    seenChanges_[i] = newest;
  }
  return true;
}

/// A kernel that another one has enqueued is on the queue of the host's launch.
void EnqueuedRun::traceChild(trace::CommandRun run, std::uint64_t started, std::uint64_t ended) noexcept {
  if (run.name == 0 || started == 0) return;
  run.ended = std::min(ended, hostTime()); // the clocks differ by microseconds
  run.queued = run.submitted = run.started = std::min(started, run.ended);
  trace::add(run);
}

void EnqueuedRun::endRunning() {
  for (const Running& each : std::exchange(running_, {})) {
    if (!each.child) {
      // A command buffer ends with its last command.
      if (std::holds_alternative<Launch>(node_.command())) node_.endRun();
      graph_.endRoot(CL_COMPLETE);
      continue;
    }
    const std::uint64_t started = each.begin ? services_.times.take(each.begin) : 0;
    const std::uint64_t ended = each.end ? services_.times.take(each.end) : 0;
    if (each.status == CL_COMPLETE) {
      each.child->started = started;
      each.child->ended = std::max(started, ended);
      traceChild(each.traced, started, each.child->ended);
    }
    graph_.ended(*each.child, each.status);
  }
}

// --- What kernels find ---

bool EnqueuedRun::writeTimes() {
  struct Found {
    std::uint32_t hasTimes, unused;
    std::uint64_t values[2];
  };
  static_assert(offsetof(DeviceEvent, times) - offsetof(DeviceEvent, hasTimes) == offsetof(Found, values));
  const std::vector<EnqueuedGraph::Times> times = graph_.takeTimes();
  for (const EnqueuedGraph::Times& each : times) {
    if (each.address != 0) {
      // A kernel has asked for them; an address that is nowhere is not the device's fault.
      static_cast<void>(runner_.write(each.address, each.values, sizeof each.values));
      continue;
    }
    const Found found{1, 0, {each.values[0], each.values[1]}};
    const CUdeviceptr event = runner_.events() + each.slot * sizeof(DeviceEvent);
    if (!runner_.write(event + offsetof(DeviceEvent, hasTimes), &found, sizeof found)) return false;
  }
  return times.empty() || runner_.finish();
}

bool EnqueuedRun::makeRoom() {
  if (std::ranges::any_of(queues_, [](const UsedQueue& each) { return each.next > each.queue->count() / 2; }) &&
      !emptyQueues())
    return false;
  // User events that are set and released are none for kernels from then on.
  const bool isWanted = std::exchange(hasChanges_, false) || eventCount_ > mostEvents_;
  return !isWanted || reclaimEvents(false);
}

bool EnqueuedRun::emptyQueues() {
  constexpr std::size_t kAlignment = 128;
  std::vector<std::byte> literals;
  std::vector<std::pair<Child*, std::size_t>> moved;
  for (Child& child : graph_.children()) {
    if (child.literalIn || child.literal.empty()) continue;
    const std::size_t offset = (literals.size() + kAlignment - 1) / kAlignment * kAlignment;
    moved.emplace_back(&child, offset);
    literals.resize(offset);
    literals.insert(literals.end(), child.literal.begin(), child.literal.end());
  }
  if (!moved.empty()) {
    const auto block = std::make_shared<LiteralBlock>(context_, literals.size());
    if (!block->address() || !runner_.write(block->address(), literals.data(), literals.size())) return false;
    for (const auto& [child, offset] : moved) {
      child->literalAt = block->address() + offset;
      child->literalIn = block;
    }
  }
  for (UsedQueue& each : queues_) {
    const DeviceQueueState state = each.queue->initialState();
    if (!runner_.write(each.queue->handle(), &state, sizeof state)) return false;
    each.next = 0;
  }
  return resetContexts();
}

bool EnqueuedRun::reclaimEvents(bool all) {
  std::vector<DeviceEvent> table(std::min<std::uint32_t>(events_.fresh, kMostOnDeviceEvents));
  const std::size_t bytes = table.size() * sizeof(DeviceEvent);
  if (!runner_.read(table.data(), runner_.events(), bytes) || !runner_.finish()) return false;
  const std::uint64_t left = graph_.reclaim(table, events_, all);
  // As many again as are in use may come before the next time.
  mostEvents_ = (kMostOnDeviceEvents + left) / 2;
  EnqueueHeader header{};
  header.events = events_;
  header.root.events = left;
  return runner_.write(runner_.events(), table.data(), bytes) &&
         runner_.write(runner_.header(), &header, offsetof(EnqueueHeader, unused)) && resetContexts();
}

// Records and events that are used again must not look as those at which the lists ended before.
bool EnqueuedRun::resetContexts() {
  seenRecords_.fill(0);
  seenChanges_.fill(0);
  return runner_.write(contextAt(0), contexts_.data(), sizeof contexts_) && runner_.finish();
}

cl_int EnqueuedRun::run() {
  if (!begin()) return CL_OUT_OF_RESOURCES;
  accounts_[0] = &graph_.root();
  running_.push_back({nullptr});
  if (const cl_int status = put(launch_, 0, runner_.stream()); status < 0) {
    static_cast<void>(drain()); // what the grids that ran have enqueued does not run, but has events
    return status;
  }
  for (;;) {
    if (!drain() || !writeTimes() || !makeRoom()) return CL_OUT_OF_RESOURCES;
    if (graph_.isOver()) return graph_.status();
    if (startReady() && running_.empty() && !graph_.isOver()) graph_.giveUp();
  }
}

void EnqueuedRun::end() noexcept {
  const bool isIdle = runner_.finishAll(); // also after an error: kernels use what is to be freed
  // An error leaves events of what ran.
  for (const Running& each : running_)
    for (const CUevent time : {each.begin, each.end})
      if (time && isIdle) static_cast<void>(services_.times.take(time));
  if (printf_ && isIdle) services_.prints.printAndRelease(printf_, kernel_, node_);
  try {
    if (!context_.isLost() && events_.fresh != 0) reclaimEvents(true);
  } catch (const std::bad_alloc&) {
    // Later launches may take handles of this launch for their own.
  }
}

} // namespace

cl_int runLaunch(EnqueueRunner& runner, Node& node, const Launch& launch) noexcept {
  cl_int status = CL_OUT_OF_HOST_MEMORY;
  try {
    EnqueuedRun run(runner, node, launch);
    try {
      status = run.run();
    } catch (const std::bad_alloc&) {
      // The launch's status tells of the missing memory.
    }
    run.end();
    Context& context = runner.services().context;
    if (context.isLost()) {
      status = CL_OUT_OF_RESOURCES;
      if (context.isFirstReport())
        node.report("the kernel '" + launch.kernel->info().name +
                        "', or one that it has enqueued, ran when the GPU was lost: " + describe(context.loss()),
                    LogLevel::Error);
    }
  } catch (const std::bad_alloc&) {
    // The launch's status tells of the missing memory.
  }
  return status;
}

} // namespace clotho::cuda
