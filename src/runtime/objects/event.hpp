// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/handles.hpp"
#include "base/mutex.hpp"
#include "base/slab.hpp"
#include "command/node.hpp"
#include "runtime/memory/guarded_block.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace clotho {

class Context;
class Queue;

/// The event of a command, or a user event: a node of the command graph with what the application sees of it.
class Event final : public Node, public _cl_event {
 public:
  using Handle = cl_event;
  using Callback = void(CL_CALLBACK*)(cl_event, cl_int, void*);

  Event(Context& context, Queue* queue, cl_command_type type, Command&& command);

  Context& context() const { return *context_; }
  Queue* queue() const { return queue_; } ///< null for user events
  cl_command_type type() const { return type_; }

  /// It counts as enqueued and submitted when `other` was, in its times. Before it runs.
  void setIssuedWith(const Event& other) noexcept {
    stamps_[Queued] = other.stamps_[Queued];
    stamps_[Submitted] = other.stamps_[Submitted];
  }

  // By Queue, before arm().
  void setType(cl_command_type type) { type_ = type; }
  /// For a join, which is older than the call that it becomes the command of: when that call was.
  void setQueuedAt(std::uint64_t time) { stamps_[Queued] = time; }
  /// From here on it keeps its queue alive; the queue has counted it.
  void holdQueue() { holdsQueue_ = true; }
  /// The command's use of guarded blocks of shared memory, if any.
  void setGuardedUse(std::unique_ptr<GuardedUse> use) { guardedUse_ = std::move(use); }
  /// For a join: it depends on every earlier command of its queue, so threads that wait for it may run any of them.
  void setDependsOnWholeQueue() { dependsOnWholeQueue_ = true; }
  /// If a command of its wait list fails, it fails with the same error.
  void endAsPredecessor() noexcept { failAlike(); }
  bool dependsOnWholeQueue() const { return dependsOnWholeQueue_; }
  /// The event is of a command buffer that runs on several queues; called before the application knows of it.
  /// `isTimed`: all of the queues are for profiling.
  void setOfSeveralQueues(bool isTimed) {
    isOfSeveralQueues_ = true;
    isTimedByAll_ = isTimed;
  }
  bool isOfSeveralQueues() const { return isOfSeveralQueues_; }

  /// Blocks until done, helping the device. Returns the final status.
  cl_int wait();

  /// Sets a user event's status once (section 5.11); false when it was set before.
  bool setUserStatus(cl_int status) noexcept;

  /// Registers a callback for CL_SUBMITTED, CL_RUNNING or CL_COMPLETE; it runs on the callback thread, at once when
  /// the state has been reached already. The event lives until it has run.
  void addCallback(cl_int status, Callback function, void* userData) EXCLUDES(callbackMutex_);

  /// CL_PROFILING_COMMAND_*: ns of the device's clock. Legal once complete, on a profiling queue.
  std::uint64_t profilingTime(cl_profiling_info what) const;
  bool hasProfiling() const;

  /// Before arm(): these commands are what it waits for, in the trace.
  void noteTracedWaits(std::span<Event* const> events) noexcept;
  /// Adds to the trace that `successor` waits for this, which is done.
  void traceSuccessor(const Node& successor) noexcept override;
  trace::NameId traceName() const noexcept;

  void report(std::string message, LogLevel level) noexcept override;

 private:
  struct CallbackEntry;
  friend class Slab<Event>;

  ~Event() override;
  void destroy() noexcept override;
  void stamp(Stamp stamp) noexcept override;
  void storeTimes(std::uint64_t started, std::uint64_t ended) noexcept override;
  void traceEnd(cl_int status) noexcept override;
  void reached(cl_int status) noexcept override EXCLUDES(callbackMutex_);
  void starts() noexcept override {
    if (guardedUse_) guardedUse_->begin();
  }
  void ends() noexcept override {
    if (guardedUse_) guardedUse_->end();
  }
  void ended(cl_int status, WorkList& list) noexcept override;
  void runOnHost() noexcept override;
  void freeShared(const FreeShared& free) noexcept override;

  Context* context_;
  Queue* queue_;
  Ref<Context> ownContext_; // for user events; others have it by way of their queue
  cl_command_type type_;
  bool holdsQueue_ = false;
  bool dependsOnWholeQueue_ = false;
  bool isOfSeveralQueues_ = false;
  bool isTimedByAll_ = true; // unless it is of several queues
  std::atomic<bool> userStatusSet_{false};
  std::array<std::uint64_t, kStamps> stamps_{};
  std::unique_ptr<GuardedUse> guardedUse_;
  std::unique_ptr<std::vector<trace::CommandId>> tracedWaits_;
  Mutex callbackMutex_;
  std::unique_ptr<CallbackEntry> callbacks_ GUARDED_BY(callbackMutex_); // newest first
  Command work_;
  DeviceState state_;
};

/// A wait list that has been checked: alive for the duration of the call.
using WaitList = std::span<Event* const>;

} // namespace clotho
