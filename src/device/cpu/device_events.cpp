// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/device_events.hpp"

#include "base/unique_fd.hpp"

#include <new>
#include <sys/uio.h>
#include <utility>

namespace clotho::cpu {

namespace {

template <class T> std::atomic_ref<T> atomically(T& field) noexcept { return std::atomic_ref<T>(field); }

/// Events whose nodes the running thread is still to complete, and whether it is at work with one.
struct Over {
  EventSlot* first = nullptr;
  bool isSpreading = false;
};
constinit thread_local Over over __attribute__((tls_model("initial-exec")));

/// Stores at an address that a kernel has given and that may be nowhere by now.
void storeGuarded(std::uint64_t address, const std::uint64_t (&values)[2]) noexcept {
  iovec from{const_cast<std::uint64_t*>(values), sizeof values};
  iovec to{pointerTo<void>(address), sizeof values};
  if (process_vm_writev(getpid(), &from, 1, &to, 1, 0) == sizeof values) return;
  // A sandbox may forbid that. What has gone through a pipe is stored by the system, too.
  const FdPair ends = makeFdPair([](int* fds) { return pipe2(fds, O_CLOEXEC); });
  if (!ends) return;
  if (write(ends.second.get(), values, sizeof values) == sizeof values) {
    const ssize_t stored = read(ends.first.get(), to.iov_base, sizeof values);
    static_cast<void>(stored); // fails for an address that is nowhere: no call could report that
  }
}

} // namespace

/// The node that commands depend on which wait for an event. It lies in the event's slot, of which it has a reference.
class DeviceEvents::EventNode final : public Node {
 public:
  EventNode(DeviceEvents& events, EventSlot& slot)
      : Node(nullptr, work_, state_, false), events_(events), slot_(slot), work_(Nothing{}) {}
  void report(std::string, LogLevel) noexcept override {}

 private:
  void destroy() noexcept override {
    DeviceEvents& events = events_;
    EventSlot& slot = slot_;
    this->~EventNode();
    events.release(slot);
  }

  DeviceEvents& events_;
  EventSlot& slot_;
  Command work_;
  DeviceState state_;
};

void giveBack(SlotPool& pool, void* slot) noexcept {
  const std::uint64_t number = (reinterpret_cast<std::uintptr_t>(slot) - pool.base) / pool.stride + 1;
  std::uint64_t top = atomically(pool.top).load(std::memory_order_relaxed);
  do
    atomically(*static_cast<std::uint32_t*>(slot)).store(static_cast<std::uint32_t>(top), std::memory_order_relaxed);
  while (!atomically(pool.top).compare_exchange_weak(top, ((top >> 32) + 1) << 32 | number, std::memory_order_release,
                                                     std::memory_order_relaxed));
}

bool DeviceEvents::makeReady() noexcept {
  constexpr std::size_t kStride = sizeof(EventSlot) + sizeof(EventNode);
  static_assert(sizeof(EventSlot) % alignof(EventNode) == 0 && kStride % alignof(EventSlot) == 0);
  if (pool_.load(std::memory_order_acquire)) return true;
  ShortLockScope scope(lock_);
  if (pool_.load(std::memory_order_relaxed)) return true;
  memory_ = ReservedMemory::reserve(ReservedMemory::pageSize() + kMostOnDeviceEvents * kStride);
  if (!memory_.base()) return false;
  if (!memory_.makeUsable(0, memory_.size())) {
    memory_.release();
    return false;
  }
  SlotPool& made = *reinterpret_cast<SlotPool*>(memory_.base());
  made.count = kMostOnDeviceEvents;
  made.base = reinterpret_cast<std::uintptr_t>(memory_.base() + ReservedMemory::pageSize());
  made.stride = kStride;
  pool_.store(&made, std::memory_order_release);
  return true;
}

DeviceEvents::~DeviceEvents() {
  ShortLockScope scope(lock_);
  memory_.release();
}

EventSlot& DeviceEvents::slot(std::uint64_t handle) noexcept {
  const SlotPool& all = pool();
  return *pointerTo<EventSlot>(all.base + all.stride * ((handle & UINT32_MAX) - 1));
}

void DeviceEvents::renew(EventSlot& slot) noexcept {
  if (slot.knownGeneration == slot.shared.generation + 1) return;
  slot.knownGeneration = slot.shared.generation + 1;
  slot.isOver = slot.isTimed = slot.hasNode = false;
  slot.status = CL_COMPLETE;
  slot.started = slot.ended = slot.completed = 0;
  slot.captures = nullptr;
  new (slot.account) Account;
}

Account& DeviceEvents::beginCommand(EventSlot& slot, Account& outer, bool isTimed) noexcept {
  ShortLockScope scope(slot.lock);
  renew(slot);
  slot.isTimed = isTimed;
  account(slot).outer = &outer;
  account(slot).event = &slot;
  return account(slot);
}

bool DeviceEvents::isHeld(EventSlot& slot) noexcept {
  return atomically(slot.shared.references).load(std::memory_order_acquire) > 1;
}

cl_int DeviceEvents::addDependent(EventSlot& slot, Node& node) noexcept {
  ShortLockScope scope(slot.lock);
  renew(slot);
  if (slot.isOver) return slot.status;
  if (!slot.hasNode) {
    slot.hasNode = true;
    atomically(slot.shared.references).fetch_add(1, std::memory_order_relaxed);
    (new (slot.node) EventNode(*this, slot))->holdItself();
  }
  node.dependOn(*std::launder(reinterpret_cast<EventNode*>(slot.node)), true);
  return CL_COMPLETE;
}

void DeviceEvents::complete(EventSlot& slot, cl_int status, std::uint64_t now) noexcept {
  bool hasNode;
  EventSlot* captures;
  {
    ShortLockScope scope(slot.lock);
    renew(slot);
    slot.isOver = true;
    slot.status = status;
    slot.completed = now;
    if (slot.isTimed && slot.started != 0) { // what never ran has no times
      slot.shared.times[0] = slot.ended - slot.started;
      slot.shared.times[1] = slot.completed - slot.started;
      atomically(slot.shared.hasTimes).store(1, std::memory_order_release);
    }
    hasNode = slot.hasNode;
    captures = std::exchange(slot.captures, nullptr);
  }
  // Commands that wait for the event find the times.
  while (captures) {
    EventSlot* next = pointerTo<EventSlot>(captures->shared.nextChanged);
    finishCapture(*captures, slot);
    captures = next;
  }
  if (hasNode) completeNode(slot);
  release(slot);
}

// Waiting commands may end at once, as markers and failing ones do, and complete an event that others wait for: chains
// are as long as there are events, so this is a list and no recursion. A launch of the host's, and with it all that is
// on the list, stays until the thread's first call has returned.
void DeviceEvents::completeNode(EventSlot& slot) noexcept {
  slot.nextOver = std::exchange(over.first, &slot);
  if (std::exchange(over.isSpreading, true)) return;
  while (EventSlot* next = over.first) {
    over.first = next->nextOver;
    std::launder(reinterpret_cast<EventNode*>(next->node))->complete(next->status);
  }
  over.isSpreading = false;
}

void DeviceEvents::capture(EventSlot& capture) noexcept {
  EventSlot& event = slot(capture.shared.target);
  {
    ShortLockScope scope(event.lock);
    renew(event);
    if (!event.isOver) {
      capture.shared.nextChanged = reinterpret_cast<std::uintptr_t>(std::exchange(event.captures, &capture));
      return;
    }
  }
  finishCapture(capture, event);
}

void DeviceEvents::finishCapture(EventSlot& capture, const EventSlot& event) noexcept {
  if (event.shared.hasTimes) storeGuarded(capture.shared.value, {event.shared.times[0], event.shared.times[1]});
  release(slot(capture.shared.target));
  release(capture);
}

void DeviceEvents::release(EventSlot& slot) noexcept {
  if (atomically(slot.shared.references).fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  ++slot.shared.generation;
  auto& root = *pointerTo<RootLaunch>(slot.shared.owner);
  giveBack(pool(), &slot);
  atomically(root.events).fetch_sub(1, std::memory_order_relaxed);
}

void DeviceEvents::reclaim(const RootLaunch& root) noexcept {
  SlotPool& all = pool();
  const std::uint32_t used = atomically(all.fresh).load(std::memory_order_relaxed);
  for (std::uint64_t i = 0; i < used; ++i) {
    auto& slot = *pointerTo<EventSlot>(all.base + all.stride * i);
    const auto isForgotten = [&] {
      return atomically(slot.shared.references).load(std::memory_order_acquire) != 0 &&
             slot.shared.owner == reinterpret_cast<std::uintptr_t>(&root);
    };
    if (!isForgotten()) continue;
    bool isOver;
    {
      ShortLockScope scope(slot.lock);
      renew(slot);
      isOver = slot.isOver;
    }
    if (!isOver) complete(slot, CL_INVALID_EVENT, 0);
    if (!isForgotten()) continue;
    atomically(slot.shared.references).store(1, std::memory_order_relaxed);
    release(slot);
  }
}

} // namespace clotho::cpu
