// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "base/object.hpp"
#include "base/slab.hpp"
#include "device/device.hpp"
#include "runtime/objects/event.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace clotho {

class Context;

/// A host command-queue: gives commands their place in the graph. Enqueueing never blocks on execution.
class Queue final : public Object, public _cl_command_queue {
 public:
  using Handle = cl_command_queue;

  /// `properties` are CL_QUEUE_PROPERTIES bits; `propertyList` is what the application passed, for the query.
  Queue(Context& context, Device& device, cl_command_queue_properties properties,
        std::vector<cl_queue_properties> propertyList);

  Context& context() const { return *context_; }
  Device& device() const { return *device_; }
  /// The device's side of the queue, which runs its commands; no other queue has it.
  DeviceQueue& deviceQueue() const { return *deviceQueue_; }
  /// The home of what its commands use.
  HomeId home() const { return home_; }
  cl_command_queue_properties properties() const { return properties_; }
  const std::vector<cl_queue_properties>& propertyList() const { return propertyList_; }
  bool isProfiled() const { return (properties_ & CL_QUEUE_PROFILING_ENABLE) != 0; }
  /// Whether its commands have times: for the application, or for the trace.
  bool isTimed() const { return isProfiled() || traceNumber_ != 0; }
  std::uint32_t traceNumber() const { return traceNumber_; } ///< 0: there is no trace
  bool isInOrder() const { return !(properties_ & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE); }

  /// Adds a command that waits for `deps` (and, in order, for its predecessors). Null unless its event is wanted.
  /// Its memory objects have addresses in the queue's home.
  Ref<Event> submit(cl_command_type type, Command&& command, WaitList deps, bool isWanted = true) EXCLUDES(mutex_) {
    return submitTo(home_, type, std::move(command), deps, isWanted);
  }
  /// Adds a command as `submit` does, with memory objects that have their addresses in another home.
  Ref<Event> submitTo(HomeId home, cl_command_type type, Command&& command, WaitList deps, bool isWanted = true)
      EXCLUDES(mutex_);
  /// Adds a command that ends as the command of `deps` does: with the same error, if that fails.
  Ref<Event> submitAfter(HomeId home, cl_command_type type, Command&& command, Event& before) EXCLUDES(mutex_);
  /// A marker (section 5.12): waits for `deps`, or for all earlier commands when the list is empty.
  Ref<Event> marker(cl_command_type type, WaitList deps) EXCLUDES(mutex_);
  /// A barrier: the same, and later commands wait for it.
  Ref<Event> barrier(cl_command_type type, WaitList deps) EXCLUDES(mutex_);
  /// Returns when all earlier commands are done, also failed ones.
  void finish() EXCLUDES(mutex_);
  /// A command's hold on the queue ends; the queue may be gone.
  void giveBack() noexcept;
  /// Whether the application has no reference to the queue, so that only commands and their events keep it alive.
  bool isOrphan() const noexcept { return isOrphan_.load(std::memory_order_seq_cst); }
  /// A command of an orphan is done: the queue need not know it any more.
  void forget(Event& event) noexcept EXCLUDES(mutex_);

 private:
  friend class Slab<Queue>;
  ~Queue() override;
  void destroy() noexcept override;
  void apiHoldChanged() noexcept override EXCLUDES(mutex_);
  Ref<Event> makeEvent(HomeId home, cl_command_type type, Command&& command);
  Ref<Event> add(Ref<Event> event, WaitList deps, bool isWanted) EXCLUDES(mutex_);
  /// For an orphan: from here on nothing but commands that are not done keeps the queue alive.
  void leaveToCommands() noexcept EXCLUDES(mutex_);
  /// From here on a new command keeps the queue alive, until `giveBack`.
  void lendTo(Event& event) REQUIRES(mutex_);
  /// The last of the steps that bring a command into the graph; the event may run from here on.
  void launch(Event& event, WaitList deps) noexcept EXCLUDES(mutex_);
  /// Out of order: makes sure that there is an open join. Before anything else, since there may be no memory for it.
  void openJoin() REQUIRES(mutex_);
  /// Out of order: the open join comes after `event`.
  void precedeJoin(Event& event) noexcept REQUIRES(mutex_);
  /// Out of order: closes the open join, which becomes a marker or barrier for all earlier commands.
  Ref<Event> join(cl_command_type type, bool isBarrier) EXCLUDES(mutex_);

  // Not beside the counts of Object, which threads that enqueue write to: threads that run commands read these.
  alignas(64) Ref<Context> context_;
  Ref<Device> device_;
  const std::unique_ptr<DeviceQueue> deviceQueue_;
  const HomeId home_;
  const cl_command_queue_properties properties_;
  const std::vector<cl_queue_properties> propertyList_;
  const std::uint32_t traceNumber_;

  std::atomic<bool> isOrphan_{false};

  // All commands together hold one reference. Threads that enqueue count the commands in one place and threads that run
  // them in another, so that the two sides do not wait for each other's cache line at every command; the sums meet when
  // the application has released the queue. It may get hold of the queue again by way of an event: then `lent_` counts
  // anew, with one reference more.
  alignas(64) Mutex mutex_;
  std::int64_t lent_ GUARDED_BY(mutex_) = 0;
  std::uint64_t sequence_ GUARDED_BY(mutex_) = 0;
  Ref<Event> last_ GUARDED_BY(mutex_);                // in order: the newest command; else an orphan's last join
  Ref<Event> barrier_ GUARDED_BY(mutex_);             // out of order: what new commands wait for
  Ref<Event> join_ GUARDED_BY(mutex_);                // out of order: the marker-to-be that every command precedes
  std::uint32_t joined_ GUARDED_BY(mutex_) = 0;       // commands that precede it and that it does not know of
  alignas(64) std::atomic<std::int64_t> returned_{0}; // less `lent_` once the application has released the queue
};

} // namespace clotho
