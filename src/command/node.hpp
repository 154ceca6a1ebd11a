// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/log.hpp"
#include "base/object.hpp"
#include "command/command.hpp"
#include "trace/record.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

namespace clotho {

class Node;
class WorkList;

/// One dependency in the command graph. Lies in the memory of one of its two ends, which outlives its use.
struct Edge {
  Node* successor = nullptr;
  Edge* next = nullptr;

  /// Values beside the tickets of device queues, which have 62 bits.
  static constexpr std::uint64_t kNotIssued = 0, kEnded = 1;

  /// Before it is published. `isMetByIssue`: the successor may start when the predecessor has been issued
  /// (DeviceQueue::orders), but ends no earlier than it.
  void init(Node& to, bool passesFailure, bool isMetByIssue) noexcept {
    successor = &to;
    state_.store((passesFailure ? kPassesFailure : 0) | (isMetByIssue ? kIsMetByIssue : 0), std::memory_order_relaxed);
  }
  /// A wait list does; the order of a queue does not.
  bool passesFailure() const noexcept { return state_.load(std::memory_order_relaxed) & kPassesFailure; }
  bool isMetByIssue() const noexcept { return state_.load(std::memory_order_relaxed) & kIsMetByIssue; }
  /// If it is: whether the dependency is met, and at which place in its queue the predecessor was issued.
  std::uint64_t issue() const noexcept { return state_.load(std::memory_order_acquire) & ~kFlags; }
  /// True for the first of several calls.
  bool meet(std::uint64_t how) noexcept {
    std::uint64_t expected = state_.load(std::memory_order_relaxed) & kFlags;
    return state_.compare_exchange_strong(expected, expected | how, std::memory_order_acq_rel);
  }

 private:
  static constexpr std::uint64_t kPassesFailure = std::uint64_t{1} << 63, kIsMetByIssue = std::uint64_t{1} << 62,
                                 kFlags = kPassesFailure | kIsMetByIssue;
  std::atomic<std::uint64_t> state_{kNotIssued};
};

/// A node of the command graph: a command, what it waits for and the nodes that wait for it.
///
/// Life: `dependOn` for each dependency, then `arm`. When the last dependency is met, what the command uses is made
/// valid where it runs (Storage::acquire), and the queue of its device starts it. The thread that runs it calls `begin`
/// and, exactly once, `complete`. The successor list is lock-free and sealed at completion; completion and failure
/// spread by a work list, so long chains need no stack.
///
/// Devices with streams order commands by themselves. There a command is *issued* when it is in its stream, and
/// successors that the device orders after it start then. They complete after it all the same: an end that the device
/// tells too early waits, so that a failure still reaches them.
class Node : public Object {
 public:
  /// Space for the device's own bookkeeping while a command is ready or running.
  static constexpr std::size_t kDeviceStateSize = 256;
  struct alignas(64) DeviceState {
    std::array<std::byte, kDeviceStateSize> bytes;
  };

  /// Null for user events, which have nothing to run.
  DeviceQueue* deviceQueue() const { return deviceQueue_; }
  /// The home in which the command's memory objects have their addresses.
  HomeId home() const { return home_; }
  const Command& command() const { return command_; }
  Command& command() { return command_; }
  /// CL_QUEUED, CL_SUBMITTED, CL_RUNNING, CL_COMPLETE or a negative error; never goes back.
  cl_int status() const { return static_cast<cl_int>(status_.load(std::memory_order_seq_cst)); }
  bool isDone() const { return status() <= CL_COMPLETE; }
  /// Place in its queue: commands are numbered as they are enqueued. Only of nodes that are their own `whole`.
  std::uint64_t sequence() const { return sequence_; }
  /// The enqueued command that this node is a part of, and which ends no earlier; the node itself if it was enqueued.
  /// A part may run on another queue, so its place in the graph is the whole's. Until the node is done.
  virtual const Node& whole() const noexcept { return *this; }

  // Building the graph: by the enqueuing thread, before arm(). Once another node or a queue points to this one it has
  // to be armed, so what may fail comes first.
  /// Makes ready for at most so many calls of `dependOn`: there is memory for them, and all of them count as unmet
  /// until arm() knows better, which saves an atomic addition for each. Once there was memory for as many, this does
  /// not fail.
  void reserveDependencies(std::size_t count);
  /// False if that is done already.
  bool dependOn(Node& predecessor, bool passesFailure) noexcept;
  /// Makes `join` wait for this node, which is not armed yet and known to the calling thread alone. At most one join a
  /// node.
  void precede(Node& join) noexcept;
  /// Opens a join, which cannot become ready before it is closed. Its queue counts the nodes that precede it, and adds
  /// their number now and then, and before it closes the join. So threads that enqueue seldom write to the counter that
  /// threads which run commands count down.
  void openForPredecessors() noexcept { unmet_.store(kOpen + reserved_, std::memory_order_relaxed); }
  void addPredecessors(std::uint32_t count) noexcept { unmet_.fetch_add(count, std::memory_order_relaxed); }
  void close() noexcept { unmet_.fetch_sub(kOpen - 1, std::memory_order_relaxed); }
  void setSequence(std::uint64_t sequence) { sequence_ = sequence; }
  /// The command uses memory objects of a context that has several homes: those of this one.
  void setHome(HomeId home) {
    home_ = home;
    isTracked_ = true;
  }
  /// Makes a launch keep alive what it refers to. When `predecessor`, after which it runs, keeps the same alive, this
  /// takes over: no count changes then, which all threads that make and run launches would write to. False, and
  /// nothing is held, when one of the objects has been released.
  [[nodiscard]] bool holdArguments(Node* predecessor) noexcept;
  /// The node holds a reference to itself until it is done. Call once, while only the calling thread knows the node.
  void holdItself() noexcept { retainUnshared(); }
  /// From here on the node runs as soon as its dependencies allow.
  void arm() noexcept;
  /// Overload for callers that have a list of ready nodes: adds the node to it instead of starting it.
  void arm(WorkList& list) noexcept;
  /// The application has the command's event, so it may ask for the end at any time.
  void setWatched() noexcept { isWatched_ = true; }
  /// Before `arm`: the command is in the trace, as one of the queue that has this number there; 0: it is not.
  void setTraced(std::uint32_t queue) noexcept {
    if (queue <= UINT16_MAX) traceQueue_ = static_cast<std::uint16_t>(queue);
  }
  trace::CommandId traceId() const noexcept { return {traceQueue_, static_cast<std::uint32_t>(sequence_)}; }
  /// Before `arm`: when its dependencies are met it fails with this instead of running.
  void giveUp(cl_int failure) noexcept { inheritedFailure_.store(failure, std::memory_order_relaxed); }

  // Running; by the device.
  /// The command starts running: status and time stamp. Idempotent, any thread.
  void begin() noexcept;
  /// Before `begin`: the calling thread runs all of the command, up to its end.
  void setRunsHere() noexcept { runsHere_ = true; }
  /// A launch whose kernel has ended completes later, with what it has enqueued: notes the time.
  void endRun() noexcept {
    if (isTimed_) stamp(Ended);
  }
  /// Whether a device with streams runs the command at its place in a stream. Others begin at once: parts that a kernel
  /// has enqueued, transfers, and what the host does.
  bool isStreamed() const noexcept { return isTracked_ && (clotho::isStreamed(command_) || isStreamedCopy()); }
  /// Whether the context has several homes.
  bool isTracked() const noexcept { return isTracked_; }
  /// Whether the device should tell of the end as soon as it can. It may tell of others' ends in batches.
  bool isWatched() const noexcept { return isWatched_; }
  /// The command is in its queue's stream, at the place that `ticket` names (Edge::meet): successors that the device
  /// orders after it become ready, and go to the list. Before any call of `complete`.
  void issued(std::uint64_t ticket, WorkList& list) noexcept;
  /// Calls `use(ticket)`, or `use(ticket, passesFailure)`, for each predecessor after which the device has to order the
  /// command by itself.
  template <class Use> void forEachIssuedPredecessor(Use&& use) const {
    const auto each = [&](const Edge& edge) {
      if (!edge.isMetByIssue()) return;
      const std::uint64_t issue = edge.issue();
      if (issue == Edge::kEnded) return;
      if constexpr (std::is_invocable_v<Use, std::uint64_t, bool>)
        use(issue, edge.passesFailure());
      else
        use(issue);
    };
    for (std::uint32_t i = 0; i < usedEdges_; ++i)
      each(edgeAt(i));
    for (std::uint32_t i = 0; i < usedTransferEdges_; ++i)
      each(transferEdges_[i]);
  }
  /// A command of its wait list has failed since it was started: a device that has not begun it need not run it. What
  /// it says of the end then is `complete(CL_COMPLETE)`, which becomes that failure.
  bool isToFail() const noexcept { return inheritedFailure_.load(std::memory_order_acquire) < 0; }
  /// Times of a device that tells them when a command is over (CL_PROFILING_COMMAND_START and END), in ns of its clock.
  void setTimes(std::uint64_t started, std::uint64_t ended) noexcept {
    hasTimes_ = true;
    if (isTimed_) storeTimes(started, ended);
  }
  /// Ends the command with CL_COMPLETE or an error, wakes waiters, frees successors.
  void complete(cl_int status) noexcept;
  /// Overload for callers that have a list of ready nodes: adds the successors that become ready to it.
  void complete(cl_int status, WorkList& list) noexcept {
    if (endsByIssue_ && !mayEnd(status)) return;
    finish(status, list);
  }
  std::byte* deviceState() { return deviceState_.bytes.data(); }
  /// Reports what went wrong with the command; an event tells its context's error callback and the log. No lock held.
  virtual void report(std::string message, LogLevel level) noexcept = 0;
  /// Puts out what the command's kernels have printed, before its end is told: on standard output, through the
  /// program's own stream, whatever the program has made of it. No lock held.
  virtual void print(std::string_view text) noexcept;

 protected:
  enum Stamp { Queued, Submitted, Started, Ended, Completed, kStamps };

  /// The command and the device's state lie in what derives from this, behind what it adds: threads that enqueue and
  /// threads that run commands look at the rest, and each cache line costs both a transfer.
  Node(DeviceQueue* deviceQueue, Command& command, DeviceState& deviceState, bool isTimed)
      : deviceQueue_(deviceQueue), command_(command), deviceState_(deviceState),
        status_(deviceQueue ? CL_QUEUED : CL_SUBMITTED), isTimed_(isTimed) {}

  bool isTimed() const { return isTimed_; }
  bool isTraced() const { return traceQueue_ != 0; }
  bool runsHere() const { return runsHere_; }
  /// From here on `reached` is called. A state that is reached after this line is told.
  void setObserved() noexcept { isObserved_.store(true, std::memory_order_seq_cst); }
  /// When what it waits for fails, it fails with the same error and not for its wait list, of which that is no part.
  /// And so do commands that wait for it.
  void failAlike() noexcept { failsAlike_ = passesAlike_ = true; }
  /// Blocks until the node is done. The end of a node wakes threads only if some are blocked here, so callers that poll
  /// first cost it nothing.
  void sleepUntilDone() noexcept;

  // Hooks of the API's object. No lock is held.
  /// If it is timed: a state is reached now, and its status follows.
  virtual void stamp(Stamp) noexcept {}
  /// If it is timed: when it ran, as its device says afterwards.
  virtual void storeTimes(std::uint64_t, std::uint64_t) noexcept {}
  /// If it is traced: it is over, and its times are known; then, which of its successors have it in their wait lists.
  virtual void traceEnd(cl_int) noexcept {}
  virtual void traceSuccessor(const Node&) noexcept {}
  /// If it is observed: a status was reached.
  virtual void reached(cl_int) noexcept {}
  /// Called only in contexts with several homes: `starts` when the command starts, `ends` when it is over, started or
  /// not, before its status is published.
  virtual void starts() noexcept {}
  virtual void ends() noexcept {}
  /// It is done, and its successors do not know yet. What becomes ready by that goes to the list.
  virtual void ended(cl_int, WorkList&) noexcept {}
  /// Makes a node as it was before it was enqueued, so that it can be enqueued again. The node is done, and no
  /// reference to it is left. Call it before anything else, also before `reserveDependencies`.
  void renew(DeviceQueue* deviceQueue) noexcept;
  /// Runs a HostCall, or the callback of a FreeShared, on a thread for user code; then `complete`.
  virtual void runOnHost() noexcept { complete(CL_INVALID_OPERATION); }
  /// Does what a FreeShared without a callback says.
  virtual void freeShared(const FreeShared&) noexcept {}

 private:
  friend class WorkList;
  static constexpr std::uint32_t kOpen = 1U << 31; ///< more than there can be nodes

  /// False when this node is done, so that there is nothing to wait for.
  bool link(Edge& edge, Node& successor, bool passesFailure) noexcept;
  bool dependencyMet() noexcept { return unmet_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  Edge& edgeAt(std::uint32_t i) const {
    return i < kInlineEdges ? const_cast<Edge&>(inlineEdges_[i]) : moreEdges_[i - kInlineEdges];
  }
  /// Whether the device starts this command after `predecessor` by itself, once that is issued.
  bool isOrderedAfter(const Node& predecessor) const noexcept;
  bool isStreamedCopy() const noexcept;
  /// The device is done with the command, or it fails without having started. False: a predecessor that was issued is
  /// not complete, and its end will be this one's. Successors that are met by issue know of a failure already.
  bool mayEnd(cl_int status) noexcept;
  /// Gives a failure to the successor of an edge.
  void passFailure(const Edge& edge, cl_int status) const noexcept;
  /// An issued predecessor is complete. True if this node has waited for that in order to end.
  bool predecessorEnded() noexcept { return unended_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  /// Dependencies are met: makes valid what the command uses. False: it waits for transfers now.
  bool acquireOperands(WorkList& list) noexcept;
  /// Bytes that the application may have written while they were mapped are valid in the host's home alone. A status.
  cl_int endMap(const Unmap& unmap) noexcept;
  /// The command has failed: corrects what its call has noted of maps in advance, before the status is published.
  void correctMaps() noexcept;
  /// Whether commands that the device orders after this one may start before it is known that this one does not run:
  /// it is behind one of its wait list, or behind another one of its sequence.
  bool mayNotRun() const noexcept;
  /// Whether the graph makes valid what the command uses, and not its queue.
  bool isPlacedByGraph() const noexcept;
  /// The command is about to start: what it writes is valid where it runs alone. A status.
  cl_int noteWrites() noexcept;
  /// The command has ended with this status: storages forget that it writes.
  void endWrites(cl_int status) noexcept;
  void finish(cl_int status, WorkList& list) noexcept;
  void prefetchSuccessor() const noexcept;

  DeviceQueue* deviceQueue_;
  Command& command_;
  DeviceState& deviceState_;
  std::atomic<std::uint32_t> status_;
  std::atomic<std::uint32_t> waiters_{0};
  std::atomic<std::uint32_t> unmet_{1}; // dependencies, reserved ones too, and one until arm(); kOpen of an open join
  std::atomic<cl_int> inheritedFailure_{0};
  const bool isTimed_;
  bool isTracked_ = false;   // what it uses is to be made valid first
  bool isAcquiring_ = false; // it waits for transfers, or need not
  bool hasNotedWrites_ = false;
  bool endsByIssue_ = false; // some edge to it is met by issue
  bool isEnding_ = false;    // in a WorkList in order to end
  bool isWatched_ = false;
  bool hasTimes_ = false; // told by the device
  bool runsHere_ = false;
  bool failsAlike_ = false;
  bool passesAlike_ = false;
  HomeId home_ = kHostHome;
  std::atomic<bool> isObserved_{false};
  std::atomic<bool> holdsArguments_{false};
  std::uint16_t traceQueue_ = 0; // by its number in the trace
  std::atomic<Edge*> successors_{nullptr};
  Node* nextReady_ = nullptr; // in a WorkList
  std::uint64_t sequence_ = 0;
  std::uint64_t referencesId_ = 0; // of a launch
  static constexpr std::size_t kInlineEdges = 4;
  std::uint32_t reserved_ = 0;
  std::uint32_t usedEdges_ = 0;
  std::array<Edge, kInlineEdges> inlineEdges_;
  Edge joinEdge_;
  std::unique_ptr<Edge[]> moreEdges_; // when those do not suffice
  std::uint32_t moreEdgeCount_ = 0;   // there is memory for; behind the inline edges, of which the first is in one line
  // For commands on devices with streams:
  std::atomic<std::uint64_t> issuedAs_{Edge::kNotIssued}; // ticket of its queue
  std::atomic<std::uint32_t> unended_{1}; // predecessors whose edges are met by issue, and one until the device is done
  std::atomic<cl_int> ownStatus_{CL_COMPLETE}; // what the device said
  std::uint32_t usedTransferEdges_ = 0;
  std::unique_ptr<Edge[]> transferEdges_; // to transfers, while the edges above are in use
};

} // namespace clotho
