// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/device_queue.h"
#include "command/nd_range.hpp"

#include <CL/cl.h>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace clotho::cuda {

/// The kernels that one launch of the host and its descendants have enqueued: which are ready, which wait for events,
/// and what is complete when. Reads records and events as kernels have written them (abi/device_queue.h), and makes no
/// call of CUDA's. For one thread; calls that add throw bad_alloc.
///
/// Kernels of a GPU never free events: the device's reference counts until `reclaim`, and references that the host
/// gives up are only counted here. So the host need not write to the table of events meanwhile.
class EnqueuedGraph {
 public:
  struct Child;
  /// Counts what has to end before an event, or the launch of the host, is complete: a kernel and all that it enqueues.
  struct Account {
    std::uint64_t open = 1;
    cl_int status = CL_COMPLETE; ///< or the first error
    Account* outer = nullptr;    ///< where this counts as one; null for the launch of the host
    std::uint32_t slot = 0;      ///< of the event
    Child* child = nullptr;      ///< the event's own kernel, until it has ended
    /// The account that has taken over the units, since the event cannot be asked for any more.
    Account* heir = nullptr;
  };
  /// An enqueued kernel or marker that has not ended.
  struct Child {
    std::uint32_t block = 0;
    NDRange range;
    std::vector<std::byte> literal;
    std::vector<std::uint64_t> localSizes, waits;
    std::uint64_t literalAt = 0;           ///< in the device's memory
    std::shared_ptr<const void> literalIn; ///< what keeps that memory; null: the queue
    Account* account = nullptr;
    bool hasEvent = false, isTimed = false;
    std::uint32_t slot = 0; ///< of its event
    std::uint32_t unmet = 0;
    cl_int failure = CL_SUCCESS;
    std::uint64_t started = 0, ended = 0; ///< if it is timed: set by the device
    std::list<Child>::iterator self;

    bool isEmpty() const {
      return block == kMarkerBlock || range.global[0] == 0 || range.global[1] == 0 || range.global[2] == 0;
    }
  };
  /// Times that kernels are to find: in the event itself, or where one has asked to have them.
  struct Times {
    std::uint32_t slot;
    std::uint64_t address; ///< 0: in the event
    std::uint64_t values[2];
  };

  EnqueuedGraph() = default;
  ~EnqueuedGraph();
  EnqueuedGraph(const EnqueuedGraph&) = delete;
  EnqueuedGraph& operator=(const EnqueuedGraph&) = delete;

  /// Account of the launch of the host, which counts as one until `endRoot`.
  Account& root() { return root_; }
  void endRoot(cl_int status) { end(root_, status); }
  bool isOver() const { return root_.open == 0; }
  cl_int status() const { return root_.status; }

  /// A committed record at an address of the device's memory. `parent`: the account of the kernel that has enqueued it.
  /// False if it is no record.
  bool add(const EnqueuedKernel& record, std::uint64_t address, bool isTimed, Account& parent);
  /// A kernel has set the status of a user event.
  void set(std::uint32_t slot, cl_int status) { complete(slot, status); }
  /// A kernel wants the times of an event. `slot`: that of the request.
  void capture(std::uint32_t slot, std::uint64_t event, std::uint64_t address);

  /// Removes the oldest child that is ready from the list; null if there is none.
  Child* takeReady();
  /// Puts the one that was taken last back.
  void putBack() { --readyAt_; }
  /// A child that was ready has run, or could not.
  void ended(Child& child, cl_int status);
  /// Nothing is ready or running, and what waits will never be: fails that.
  void giveUp();
  /// Children that have not ended.
  std::list<Child>& children() { return children_; }
  std::vector<Times> takeTimes() { return std::exchange(times_, {}); }

  /// Frees events that neither kernels nor the host have references of, or all. `table`: a copy of those that have ever
  /// been used, and of the pool, both of which are to be written back. The number of events that are left.
  std::uint64_t reclaim(std::span<DeviceEvent> table, SlotPool& pool, bool all);

 private:
  struct Capture {
    std::uint32_t slot;
    std::uint64_t address;
  };
  struct Event {
    bool isOver = false, isTimed = false;
    cl_int status = CL_COMPLETE;
    std::uint32_t released = 0; ///< references that the host has given up
    Account* account = nullptr; ///< of a command, until it is over
    std::uint64_t started = 0, ended = 0, completed = 0;
    std::vector<Child*> dependents;
    std::vector<Capture> captures;
  };
  struct Over {
    std::uint32_t slot;
    cl_int status;
  };

  Event& event(std::uint32_t slot);
  /// One of what counts in the account is over.
  void end(Account& account, cl_int status);
  void complete(std::uint32_t slot, cl_int status);
  void spread(const Over& over);
  /// A child whose wait list is done.
  void settle(Child& child);
  void remove(Child& child, cl_int status);
  void finishCapture(const Capture& capture, Event& event);
  /// The event cannot be asked for any more: what its kernel has enqueued counts further out.
  void detach(Account& account);
  /// The first account that still counts, outwards from the outer one; gives up the units of others on the way.
  static Account& outerOf(Account& account);

  Account root_;
  std::list<Child> children_;
  std::vector<Child*> ready_; // oldest first from readyAt_ on
  std::size_t readyAt_ = 0;
  std::vector<Event> events_; // by slot
  std::vector<Over> over_;    // events whose dependents are still to be told
  bool isSpreading_ = false;
  std::vector<Times> times_;
};

} // namespace clotho::cuda
