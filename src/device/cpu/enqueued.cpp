// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/enqueued.hpp"

#include "command/enqueued_launch.hpp"
#include "command/work_list.hpp"
#include "device/cpu/cpu_device.hpp"
#include "device/cpu/cpu_queue.hpp"
#include "device/cpu/on_device_queue.hpp"
#include "device/cpu/program_loader.hpp"
#include "device/cpu/task.hpp"
#include "device/cpu/transfer.hpp"

#include <cstring>
#include <new>
#include <span>

namespace clotho::cpu {

namespace {

/// kernel_enqueue_flags_t
constexpr std::uint32_t kWaitKernel = 1;

/// Kernels take slots with an order that sanitizers cannot see, since nothing in kernels is sanitized: for them, what a
/// thread did before it gave a slot back is ordered before what is done with the slot now by this.
void followGiver([[maybe_unused]] SlotPool& pool) noexcept {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  std::atomic_ref(pool.top).load(std::memory_order_acquire);
#endif
#endif
}

const CpuKernel& kernelOf(const Launch& launch) { return static_cast<const CpuKernel&>(*launch.kernel); }

std::uint64_t toWords(std::uint64_t bytes) { return (bytes + 7) & ~std::uint64_t{7}; }

std::uint64_t* wordsOf(EnqueuedKernel& record) { return reinterpret_cast<std::uint64_t*>(record.room); }

std::span<const std::uint64_t> localSizesOf(EnqueuedKernel& record) {
  return {wordsOf(record) + toWords(record.literalBytes) / 8, record.localCount};
}

std::span<const std::uint64_t> waitsOf(EnqueuedKernel& record) {
  return {localSizesOf(record).data() + record.localCount, record.waitCount};
}

/// The command of a kernel that has been enqueued. Lies in the queue's record, behind what kernels have written there,
/// and gives the record back at its end.
class EnqueuedNode final : public Node {
 public:
  EnqueuedNode(EnqueuedKernel& record, Node& parent, RootEnqueuer& root, Account& account, EventSlot* event,
               bool isTimed)
      : Node(parent.deviceQueue(), work_, state_, isTimed), record_(record), root_(root), account_(account),
        event_(event), enqueuer_(root, account, event), work_(Nothing{}) {}

  const Node& whole() const noexcept override { return root_.launch().whole(); }
  Enqueuer& enqueuer() { return enqueuer_; }
  /// Makes the command of what the record says. A status.
  cl_int prepare() noexcept;
  /// It is not to run, but to end with this.
  void fail(cl_int failure) noexcept {
    failAlike();
    giveUp(failure);
  }
  void report(std::string message, LogLevel level) noexcept override {
    root_.launch().report(std::move(message), level);
  }

 private:
  cl_int makeLaunch() noexcept;
  void stamp(Stamp stamp) noexcept override;
  void ended(cl_int status, WorkList&) noexcept override { endStatus_ = status; }
  void destroy() noexcept override;

  EnqueuedKernel& record_;
  RootEnqueuer& root_;
  Account& account_;
  EventSlot* const event_;
  Enqueuer enqueuer_;
  cl_int endStatus_ = CL_COMPLETE;
  Command work_;
  DeviceState state_;
};

constexpr std::size_t kNodeAt = sizeof(EnqueuedKernel);
static_assert(kNodeAt % alignof(EnqueuedNode) == 0 && kNodeAt + sizeof(EnqueuedNode) <= kQueueRecordBytes,
              "a record has room for its command");

cl_int EnqueuedNode::prepare() noexcept {
  const bool isEmpty = record_.block == kMarkerBlock || record_.globalSize[0] == 0 || record_.globalSize[1] == 0 ||
                       record_.globalSize[2] == 0;
  if (!isEmpty)
    if (const cl_int failure = makeLaunch(); failure != CL_SUCCESS) return failure;
  const std::span<const std::uint64_t> waits = waitsOf(record_);
  try {
    reserveDependencies(waits.size());
  } catch (const std::bad_alloc&) {
    return CL_OUT_OF_HOST_MEMORY;
  }
  DeviceEvents& events = root_.device().deviceEvents();
  cl_int failure = CL_SUCCESS;
  for (const std::uint64_t handle : waits) {
    const cl_int status = handle == 0 ? CL_INVALID_EVENT : events.addDependent(events.slot(handle), *this);
    if (status < 0) failure = status;
  }
  return failure < 0 ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
}

cl_int EnqueuedNode::makeLaunch() noexcept {
  const CpuKernel* kernel = root_.program().block(record_.block);
  if (!kernel) return CL_INVALID_KERNEL;
  Launch& launch = command().emplace<Launch>();
  launch.zeroesLocal = root_.zeroesLocal();
  return setEnqueued(launch, *kernel, reinterpret_cast<std::uintptr_t>(record_.room), localSizesOf(record_),
                     rangeOf(record_), root_.device().properties());
}

void EnqueuedNode::stamp(Stamp stamp) noexcept {
  if (stamp == Started) event_->started = root_.device().now();
  if (stamp == Completed) event_->ended = root_.device().now(); // the kernel itself; others may count with the event
}

void EnqueuedNode::destroy() noexcept {
  RootEnqueuer& root = root_;
  Account& account = account_;
  EnqueuedKernel& record = record_;
  const cl_int status = endStatus_;
  DeviceEvents& events = root.device().deviceEvents();
  for (const std::uint64_t handle : waitsOf(record))
    if (handle != 0) events.release(events.slot(handle));
  this->~EnqueuedNode();
  // The host's launch keeps the queue, and cannot be over before root.end().
  giveBack(CpuOnDeviceQueue::of(record).state().records, &record);
  root.end(account, status);
}

} // namespace

// --- What runs ---

Enqueuing Enqueuer::begin(const LoadedProgram& program) const noexcept {
  Enqueuing result{};
  result.events = reinterpret_cast<std::uintptr_t>(&root_.device().deviceEvents().pool());
  result.root = reinterpret_cast<std::uintptr_t>(&root_.shared());
  result.blocks = reinterpret_cast<std::uintptr_t>(program.blockLimits().data());
  result.blockCount = static_cast<std::uint32_t>(program.blockLimits().size());
  result.queues = reinterpret_cast<std::uintptr_t>(root_.queues().data());
  result.queueCount = static_cast<std::uint32_t>(root_.queues().size());
  return result;
}

Account& Enqueuer::accountForOthers() const noexcept {
  return event_ && !DeviceEvents::isHeld(*event_) ? *account_.outer : account_;
}

void Enqueuer::take(Node& launch, Enqueuing& left, bool hasFault) noexcept {
  if (left.reserved == 0 && left.changed == 0) return;
  finishStores(); // what is enqueued may read what has been stored past the caches
  followGiver(root_.device().deviceEvents().pool());
  EnqueuedKernel* oldest = nullptr;
  for (auto* record = pointerTo<EnqueuedKernel>(std::exchange(left.reserved, 0)); record;) {
    followGiver(CpuOnDeviceQueue::of(*record).state().records);
    auto* const before = pointerTo<EnqueuedKernel>(record->nextReserved);
    record->nextReserved = reinterpret_cast<std::uintptr_t>(oldest);
    oldest = std::exchange(record, before);
  }
  WorkList list;
  while (oldest) {
    EnqueuedKernel& record = *oldest;
    oldest = pointerTo<EnqueuedKernel>(record.nextReserved);
    if (hasFault || record.state != kRecordCommitted) {
      discard(record);
    } else if (record.flags == kWaitKernel) {
      EnqueuedKernel* top = waiting_.load(std::memory_order_relaxed);
      do
        record.nextReserved = reinterpret_cast<std::uintptr_t>(top);
      while (!waiting_.compare_exchange_weak(top, &record, std::memory_order_release, std::memory_order_relaxed));
    } else {
      enqueue(launch, record, CL_SUCCESS, list);
    }
  }
  DeviceEvents& events = root_.device().deviceEvents();
  for (auto* slot = pointerTo<EventSlot>(std::exchange(left.changed, 0)); slot;) {
    auto* const next = pointerTo<EventSlot>(slot->shared.nextChanged);
    if (slot->shared.kind == kEventCapture)
      events.capture(*slot);
    else
      events.complete(*slot, static_cast<cl_int>(slot->shared.status), 0);
    slot = next;
  }
  list.run();
}

void Enqueuer::finish(Node& launch, cl_int status) noexcept {
  WorkList list;
  EnqueuedKernel* oldest = nullptr;
  for (EnqueuedKernel* record = waiting_.exchange(nullptr, std::memory_order_acquire); record;) {
    auto* const before = pointerTo<EnqueuedKernel>(record->nextReserved);
    record->nextReserved = reinterpret_cast<std::uintptr_t>(oldest);
    oldest = std::exchange(record, before);
  }
  while (oldest) {
    EnqueuedKernel& record = *oldest;
    oldest = pointerTo<EnqueuedKernel>(record.nextReserved);
    enqueue(launch, record, status < 0 ? status : CL_SUCCESS, list);
  }
  list.run();
  if (&launch != &root_.launch()) return launch.complete(status);
  // A command buffer ends with its last command.
  if (std::holds_alternative<Launch>(launch.command())) launch.endRun();
  root_.end(account_, status);
}

void Enqueuer::enqueue(Node& launch, EnqueuedKernel& record, cl_int failure, WorkList& list) noexcept {
  DeviceEvents& events = root_.device().deviceEvents();
  Account* account = &accountForOthers();
  account->open.fetch_add(1, std::memory_order_relaxed);
  EventSlot* event = record.event ? &events.slot(record.event) : nullptr;
  const bool isTimed = event && CpuOnDeviceQueue::of(record).state().isTimed;
  if (event) account = &events.beginCommand(*event, *account, isTimed);
  auto* place = reinterpret_cast<std::byte*>(&record) + kNodeAt;
  auto* node = new (place) EnqueuedNode(record, launch, root_, *account, event, isTimed);
  node->holdItself();
  if (failure == CL_SUCCESS) failure = node->prepare();
  if (failure != CL_SUCCESS) node->fail(failure);
  node->arm(list);
}

void Enqueuer::discard(EnqueuedKernel& record) noexcept {
  DeviceEvents& events = root_.device().deviceEvents();
  for (const std::uint64_t handle : waitsOf(record))
    if (handle != 0) events.release(events.slot(handle));
  if (record.event) events.complete(events.slot(record.event), CL_OUT_OF_RESOURCES, 0);
  giveBack(CpuOnDeviceQueue::of(record).state().records, &record);
}

// --- What the host has launched ---

RootEnqueuer::RootEnqueuer(Node& node, const Launch& launch, CpuDevice& device)
    : launch_(node), device_(device), program_(kernelOf(launch).program()), zeroesLocal_(launch.zeroesLocal),
      own_(*this, account_, nullptr) {
  if (!device.deviceEvents().makeReady()) throw std::bad_alloc();
  const LaunchQueues* queues = launch.queues.get();
  queues_.push_back(queues && queues->defaultQueue ? queues->defaultQueue->handle() : 0);
  if (queues)
    for (const Ref<OnDeviceQueue>& queue : queues->arguments)
      queues_.push_back(queue->handle());
}

void RootEnqueuer::end(Account& first, cl_int status) noexcept {
  for (Account* account = &first; account;) {
    if (status < 0) account->fail(status);
    if (account->open.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    status = account->status.load(std::memory_order_relaxed);
    Account* const outer = account->outer;
    if (account->event) device_.deviceEvents().complete(*account->event, status, device_.now());
    account = outer;
  }
  complete();
}

void RootEnqueuer::complete() noexcept {
  if (std::atomic_ref(shared_.events).load(std::memory_order_acquire) != 0) device_.deviceEvents().reclaim(shared_);
  Node& launch = launch_;
  const cl_int status = account_.status.load(std::memory_order_relaxed);
  delete this;
  CpuQueue::endLaunch(launch, status);
}

Enqueuer& enqueuerOf(Node& node, const Launch& launch, CpuDevice& device) {
  if (auto* enqueued = dynamic_cast<EnqueuedNode*>(&node)) return enqueued->enqueuer();
  return (new RootEnqueuer(node, launch, device))->own();
}

} // namespace clotho::cpu
