// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "base/object.hpp"
#include "base/slab.hpp"
#include "runtime/command.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace clotho {

class Context;
class Event;
class Queue;

/// One dependency in the command graph. Lies in the memory of one of its two ends, which outlives its use.
struct Edge {
  Event* successor = nullptr;
  Edge* next = nullptr;
  bool passesFailure = false; ///< a wait list does; the order of a queue does not
};

/// A node of the command graph, and the event that the application may hold of it.
///
/// Life: built by Queue (or as a user event), `dependOn` for each dependency, then `arm`. When the last dependency is
/// met the device starts it; Device (or whoever runs it) calls `begin` and, exactly once, `complete`. The successor
/// list is lock-free and sealed at completion; completion and failure spread by a work list, so long chains need no
/// stack.
class Event final : public Object, public _cl_event {
 public:
  using Handle = cl_event;
  using Callback = void(CL_CALLBACK*)(cl_event, cl_int, void*);

  Event(Context& context, Queue* queue, cl_command_type type, Command&& command);

  Context& context() const { return *context_; }
  Queue* queue() const { return queue_; } ///< null for user events
  cl_command_type type() const { return type_; }
  const Command& command() const { return command_; }
  Command& command() { return command_; }
  /// CL_QUEUED, CL_SUBMITTED, CL_RUNNING, CL_COMPLETE or a negative error; never goes back.
  cl_int status() const { return static_cast<cl_int>(status_.load(std::memory_order_seq_cst)); }
  bool isDone() const { return status() <= CL_COMPLETE; }
  /// Place in its queue: commands are numbered as they are enqueued.
  std::uint64_t sequence() const { return sequence_; }

  // Building the graph: by the enqueuing thread, before arm(). Once another event or a queue points to this one it has
  // to be armed, so what may fail comes first.
  /// Makes ready for at most so many calls of `dependOn`: there is memory for them, and all of them count as unmet
  /// until arm() knows better, which saves an atomic addition for each.
  void reserveDependencies(std::size_t count);
  void dependOn(Event& predecessor, bool passesFailure) noexcept;
  /// Makes `join` wait for this event, which is not armed yet and is known to nobody else. At most one join an event.
  void precede(Event& join) noexcept;
  /// For a join: whoever lets events precede it counts them, and says now and then, and before it closes the join,
  /// how many there were; an open join cannot become ready. So threads that enqueue do not write to what threads that
  /// run commands count down.
  void openForPredecessors() noexcept { unmet_.store(kOpen + reserved_, std::memory_order_relaxed); }
  void addPredecessors(std::uint32_t count) noexcept { unmet_.fetch_add(count, std::memory_order_relaxed); }
  void close() noexcept { unmet_.fetch_sub(kOpen - 1, std::memory_order_relaxed); }
  void setType(cl_command_type type) { type_ = type; }
  /// For a join, which is older than the call that it becomes the command of: when that call was.
  void setQueuedAt(std::uint64_t time) { stamps_[Queued] = time; }
  void setSequence(std::uint64_t sequence) { sequence_ = sequence; }
  /// From here on it keeps its queue alive; the queue has counted it.
  void holdQueue() { holdsQueue_ = true; }
  /// For a join: it depends on every earlier command of its queue, so whoever waits for it may run any of them.
  void setDependsOnWholeQueue() { dependsOnWholeQueue_ = true; }
  bool dependsOnWholeQueue() const { return dependsOnWholeQueue_; }
  /// Makes a launch keep alive what it refers to. When `predecessor`, after which it runs, keeps the same alive, this
  /// takes over: no count changes then, which all threads that make and run launches would write to. False, and
  /// nothing is held, when one of the objects has been released.
  [[nodiscard]] bool holdArguments(Event* predecessor) noexcept;
  /// The event holds a reference to itself until it is done. Once, while nobody else knows of it.
  void holdItself() noexcept { retainUnshared(); }
  /// From here on the event runs as soon as its dependencies allow.
  void arm() noexcept;

  // Running; by the device.
  /// The command starts running: status and time stamp. Idempotent, any thread.
  void begin() noexcept;
  /// Ends the command with CL_COMPLETE or an error, wakes waiters, frees successors.
  void complete(cl_int status) noexcept;
  /// Space for the device's own bookkeeping while the command is ready or running.
  static constexpr std::size_t kDeviceStateSize = 256;
  std::byte* deviceState() { return deviceState_.data(); }

  /// Blocks until done, helping the device. Returns the final status.
  cl_int wait();

  /// Sets a user event's status once (section 5.11); false when it was set before.
  bool setUserStatus(cl_int status) noexcept;

  /// Registers a callback for CL_SUBMITTED, CL_RUNNING or CL_COMPLETE; it runs on the callback thread, at once when
  /// the state has been reached already. The event lives until it has run.
  void addCallback(cl_int status, Callback function, void* userData) EXCLUDES(callbackMutex_);

  /// CL_PROFILING_COMMAND_*: ns of the device's clock. Legal once complete, on a profiling queue.
  std::uint64_t profilingTime(cl_profiling_info what) const;
  bool hasProfiling() const { return profiled_ && status() == CL_COMPLETE; }

 private:
  struct CallbackEntry;
  static constexpr std::uint32_t kOpen = 1U << 31; ///< more than there can be events
  enum Stamp { Queued, Submitted, Started, Ended, kStamps };
  friend class WorkList;
  friend class Slab<Event>;

  ~Event() override;
  void destroy() noexcept override;
  /// False when this event is done, so that there is nothing to wait for.
  bool link(Edge& edge, Event& successor, bool passesFailure) noexcept;
  bool dependencyMet() noexcept { return unmet_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  void finish(cl_int status, class WorkList& list) noexcept;
  void reached(cl_int status) noexcept EXCLUDES(callbackMutex_);
  void prefetchSuccessor() const noexcept;

  // What threads that enqueue and threads that run commands look at lies together: each line costs both a transfer.
  Context* context_;
  Queue* queue_;
  Ref<Context> ownContext_; // for user events; others have it by way of their queue
  cl_command_type type_;
  std::atomic<std::uint32_t> status_;
  std::atomic<std::uint32_t> waiters_{0};
  std::atomic<std::uint32_t> unmet_{1}; // dependencies, reserved ones too, and one until arm(); kOpen of an open join
  std::atomic<cl_int> inheritedFailure_{0};
  const bool profiled_;
  std::atomic<bool> userStatusSet_{false};
  std::atomic<bool> hasCallbacks_{false};
  std::atomic<bool> holdsArguments_{false};
  bool holdsQueue_ = false;
  bool dependsOnWholeQueue_ = false;
  std::atomic<Edge*> successors_{nullptr};
  Event* nextReady_ = nullptr; // in a WorkList
  std::uint64_t sequence_ = 0;
  std::uint64_t referencesId_ = 0; // of a launch
  static constexpr std::size_t kInlineEdges = 4;
  std::uint32_t reserved_ = 0;
  std::uint32_t usedEdges_ = 0;
  std::array<Edge, kInlineEdges> inlineEdges_;
  Edge joinEdge_;
  std::unique_ptr<Edge[]> moreEdges_; // when those do not suffice
  std::array<std::uint64_t, kStamps> stamps_{};
  Mutex callbackMutex_;
  std::unique_ptr<CallbackEntry> callbacks_ GUARDED_BY(callbackMutex_); // newest first
  Command command_;
  alignas(64) std::array<std::byte, kDeviceStateSize> deviceState_;
};

/// A wait list that has been checked: alive for the duration of the call.
using WaitList = std::span<Event* const>;

} // namespace clotho
