// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cpu/work_ranges.hpp"
#include "trace/trace.hpp"

#include <CL/cl.h>

#include <atomic>
#include <cstdint>

namespace clotho {
class Node;
}

namespace clotho::cpu {

class Enqueuer;
class Executor;
struct PrintfArena;
struct Task;

/// The functions by which the pool runs one kind of task. No function throws; none is called with a lock held.
struct TaskOps {
  /// Once, before the first unit.
  void (*begin)(Task& task) noexcept;
  /// Units [first, end), on a thread whose floating-point environment and alternate signal stack are set up.
  void (*run)(Task& task, Executor& executor, std::uint64_t first, std::uint64_t end) noexcept;
  /// Once, after the last unit, by the last participant. The task is gone when it returns.
  void (*finish)(Task& task) noexcept;
  /// For traces: the calling thread has run so many chunks of a shared task since `begin`. Null: that is not recorded.
  void (*share)(Task& task, const trace::PartBegin& begin, std::uint32_t chunks) noexcept = nullptr;
};

/// A command that has been started: a number of units of work and where their state stands. Lies in the
/// command's node (Node::deviceState), so starting a command allocates nothing.
struct Task {
  Task(const TaskOps& taskOps, Node* command) : ops(&taskOps), node(command) {}

  const TaskOps* ops;
  Node* node; ///< null in the pool's own tests

  // The work: set before the task is published.
  std::uint64_t unitSize = 1;          ///< work-groups, rows or bytes of one unit
  std::uint64_t largestMemory = 0;     ///< bytes of the largest buffer among a kernel's arguments
  std::uint32_t units = 1;             ///< at most WorkRanges::kMaxUnits
  std::uint32_t mergedGroups = 1;      ///< work-groups that are run as one
  std::uint16_t interleavedGroups = 1; ///< neighbours that run in rounds, each a piece in turn
  std::uint16_t counterBytes = 0;      ///< as LaunchParams has it
  std::uint8_t stackedGroups = 1;      ///< along dimension 1, that are run as one larger work-group
  bool areArgumentsApart : 1 = false;  ///< told to kernels that ask
  bool runsDirectly : 1 = false;       ///< as CpuKernelFacts::directSize says
  bool keepsOutput : 1 = false;        ///< in the caches (device/cpu/kept_outputs.hpp)
  bool hasShortClaims : 1 = false;     ///< the first thread that takes part can soon wake others
  bool whole = true;                   ///< one thread runs all units, as one chunk
  bool isMeasured = false;             ///< a launch in code of which costs are compared
  std::uint32_t leastChunk = 1;        ///< fewer units are not worth a claim
  std::uint32_t quickChunk = 0;        ///< so many units are done too soon to leave a part to other threads
  std::uint16_t parallelism = 1;       ///< how many threads are worth waking for it at once
  std::uint16_t participants = 0;      ///< no more than workers; the pool's, guarded by its lock
  /// How much of its own stack a waiting thread of the application's must have left to take part.
  std::uint32_t hostStack = 0;
  static constexpr std::uint32_t kNotOnHosts = UINT32_MAX; ///< none may
  /// How many threads may take part at once, by the memory that each needs.
  std::uint32_t mostThreads = UINT32_MAX;
  std::atomic<cl_int> status{CL_COMPLETE}; ///< the only thing here that changes later
  /// These threads' part of the device's PrivateBudget; 0: no more than their shares.
  std::uint64_t privateBytes = 0;

  /// Ends the task early with the first failure's status; true for the caller that was first.
  bool fail(cl_int failure) noexcept {
    cl_int expected = CL_COMPLETE;
    bool first = status.compare_exchange_strong(expected, failure, std::memory_order_relaxed);
    stopped.store(true, std::memory_order_relaxed);
    return first;
  }

  PrintfArena* printf = nullptr; ///< null unless the kernel prints or is checked
  Enqueuer* enqueuer = nullptr;  ///< null unless the kernel may enqueue others

  std::atomic<bool> stopped{false}; ///< no further unit is started: the task has failed

  // The pool's: guarded by its lock.
  bool listed = false;
  bool begun = false;
  bool startedOutside = false; ///< by a thread of the application's, which may take part

  std::atomic<std::uint32_t> spent{0}; ///< on what is measured, in kSpentUnit ticks: two hours of a processor
  static constexpr std::uint64_t kSpentUnit = 4096;

  Task* next = nullptr; ///< the PrivateBudget's until the task is published
  Task* previous = nullptr;

  WorkRanges ranges; ///< unless whole
};

} // namespace clotho::cpu
