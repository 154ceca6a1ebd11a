// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/device_queue.h"
#include "base/reserved_memory.hpp"
#include "command/node.hpp"
#include "device/cpu/short_lock.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

/// Events of the device, by which kernels order what they enqueue.
namespace clotho::cpu {

struct EventSlot;

/// Gives a slot back to a pool that kernels take from.
void giveBack(SlotPool& pool, void* slot) noexcept;

/// The kernels that have to end before something is complete: a kernel itself, and all that counts with it.
struct Account {
  std::atomic<std::uint32_t> open{1};
  std::atomic<cl_int> status{CL_COMPLETE}; ///< or the first error
  Account* outer = nullptr;                ///< where this counts as one; null: nowhere
  EventSlot* event = nullptr;              ///< that is complete then; null of what the host has launched

  void fail(cl_int failure) noexcept {
    cl_int expected = CL_COMPLETE;
    status.compare_exchange_strong(expected, failure, std::memory_order_relaxed);
  }
};

/// One slot of the table. Its memory is zeros until a kernel has taken it. The fields that the device adds are valid
/// for one generation of `shared`; the first of the device's threads to use the slot then sets them up.
struct EventSlot {
  DeviceEvent shared;
  ShortLock lock;
  std::uint32_t knownGeneration; ///< plus one
  bool isOver;
  bool isTimed;
  bool hasNode;
  cl_int status; ///< when it is over
  std::uint64_t started, ended, completed;
  EventSlot* captures; ///< that want the times
  EventSlot* nextOver; ///< whose node the same thread completes after this one
  alignas(Account) std::byte account[sizeof(Account)];
  alignas(128) std::byte node[]; ///< of what waits for it
};

/// The events of a device.
class DeviceEvents {
 public:
  DeviceEvents() = default;
  ~DeviceEvents();
  DeviceEvents(const DeviceEvents&) = delete;
  DeviceEvents& operator=(const DeviceEvents&) = delete;

  /// Makes the table, once; false without memory.
  bool makeReady() noexcept;
  /// Once it is ready.
  SlotPool& pool() noexcept { return *pool_.load(std::memory_order_acquire); }

  /// The slot that a handle names. The event is held, so that the slot is not taken anew.
  EventSlot& slot(std::uint64_t handle) noexcept;
  static Account& account(EventSlot& slot) noexcept { return *reinterpret_cast<Account*>(slot.account); }
  /// Before a command begins that the event is of: it counts with `outer`.
  Account& beginCommand(EventSlot& slot, Account& outer, bool isTimed) noexcept;
  /// Whether kernels can still ask for the event: it has references beside the device's.
  static bool isHeld(EventSlot& slot) noexcept;

  /// Makes the node wait for the event; the status of one that is over.
  cl_int addDependent(EventSlot& slot, Node& node) noexcept;
  /// The event is over: gives up the device's reference.
  void complete(EventSlot& slot, cl_int status, std::uint64_t now) noexcept;
  /// For a slot that captures: stores the times, now or when the event is complete.
  void capture(EventSlot& capture) noexcept;
  void release(EventSlot& slot) noexcept;
  /// Frees what the kernels of a launch that is over have forgotten.
  void reclaim(const RootLaunch& root) noexcept;

 private:
  class EventNode;

  /// Sets the device's part of the slot up. The slot's lock is held.
  static void renew(EventSlot& slot) noexcept;
  /// Tells what waits for an event that is over; if the thread is doing so for another, when that is done.
  static void completeNode(EventSlot& slot) noexcept;
  void finishCapture(EventSlot& capture, const EventSlot& event) noexcept;

  ShortLock lock_;
  ReservedMemory memory_ GUARDED_BY(lock_);
  std::atomic<SlotPool*> pool_{nullptr}; ///< at the begin of the memory
};

} // namespace clotho::cpu
