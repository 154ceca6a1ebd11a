// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cpu/affinity.hpp"
#include "device/cpu/cpu_slots.hpp"
#include "device/cpu/executor.hpp"
#include "device/cpu/short_lock.hpp"
#include "device/cpu/task.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace clotho::cpu {

/// The threads of a CPU device and the list of tasks that they run.
///
/// Every task that is ready or has unclaimed units is in one list, under one lock that is held for some ten
/// instructions: threads take part in its first task. A thread that finishes a task and so makes another one ready
/// runs that next, without the list, so a chain of small commands stays on one core.
///
/// Threads start at the first task, one starting the next, and never end: a pool is never destroyed once it has run
/// anything. Idle threads poll for a moment and then sleep; a new task wakes two sleepers if pollers do not suffice,
/// and each that comes wakes two more while there is work for them. A task has no more participants than there are
/// workers, threads of the application that help among them: one more would take its processor from another.
class WorkerPool {
 public:
  enum class For { Device, Share };
  /// `cores`: how many may run at once; decides how long idle threads poll. The threads run on `cpus`, if any are
  /// given, whichever thread of the application's they are made by. Those of a share are others than the application's.
  WorkerPool(std::uint32_t workers, std::uint32_t cores, const CpuList& cpus = {}, For what = For::Device);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  std::uint32_t workers() const { return count_; }

  /// Starts the first thread, unless that was done. False when there is none and none can be made.
  bool ensureStarted() noexcept;

  /// Starts all threads, as far as there may be so many, and returns when they look for tasks. The calling thread is
  /// prepared to help, too.
  void startAll() noexcept;

  /// Makes a task ready. Any thread. When no thread can be created the task runs here.
  void start(Task& task) noexcept EXCLUDES(lock_);

  /// For a thread that waits: runs units of tasks that `wanted` accepts and that its stack has room for, and polls for
  /// such tasks for as long as waking it would take; meanwhile no worker is woken in its place. Returns when it is
  /// `over`, or when the thread had better sleep: there has been nothing for that time, or tasks keep all processors
  /// busy, and polling would only take from what the thread waits for. Once it is `over`, nothing that `wanted` accepts
  /// may be unfinished: the thread was counted on, and leaves without a look.
  using Filter = bool (*)(const Node& candidate, const void* context);
  using Condition = bool (*)(const void* context);
  /// Gives whether it has run anything.
  bool help(Filter wanted, Condition over, const void* context) noexcept EXCLUDES(lock_);

 private:
  /// A thread that looks at the list in a moment, and so need not be woken.
  struct PollingWaiter {
    Filter wanted = nullptr; ///< null: a worker, which takes any task
    const void* context = nullptr;
    std::size_t room = 0; ///< of its stack, for kernels
    bool expected = false;
    PollingWaiter* next = nullptr; ///< of the application's threads

    bool accepts(const Task& task) const {
      if (!wanted) return true;
      return task.hostStack != Task::kNotOnHosts && task.hostStack <= room && wanted(*task.node, context);
    }
  };
  struct alignas(64) Worker {
    WorkerPool* pool = nullptr;
    std::atomic<std::uint32_t> wake{0};
    Worker* nextIdle = nullptr;
    bool madeByBound = false; ///< by a thread of a pool that is bound to some processors
    PollingWaiter waiter;
    Executor executor;
  };
  /// Sleepers taken off the list of idle workers, to be woken once the lock is free.
  struct Wakeups {
    Worker* first = nullptr;
    Worker* second = nullptr;
  };
  /// A task that the thread takes part in, and whether it is the first to do so.
  struct Taken {
    Task* task = nullptr;
    bool first = false;
  };
  enum State : std::uint32_t { NotStarted, Starting, Running };

  bool createThread(std::uint32_t index) noexcept;
  static void* threadMain(void* worker) noexcept;
  [[noreturn]] void work(Worker& self) noexcept;
  Taken waitForTask(Worker& self) noexcept EXCLUDES(lock_);

  std::uint64_t pollTicks(std::uint64_t usual) const noexcept;
  bool pollForTask() const noexcept;
  /// `caller`: if it looks at the list next.
  void publish(Task& task, PollingWaiter* caller) noexcept EXCLUDES(lock_);
  void link(Task& task) noexcept REQUIRES(lock_);
  void unlink(Task& task) noexcept REQUIRES(lock_);
  /// The first task that has work and that `thread` accepts; the caller has become a participant.
  Taken take(const PollingWaiter& thread) noexcept REQUIRES(lock_);
  Wakeups takeSleepers(std::uint32_t wanted) noexcept REQUIRES(lock_);
  static void wake(const Wakeups& sleepers) noexcept;
  void expect(PollingWaiter& thread) noexcept REQUIRES(lock_);
  void expectNoMore(PollingWaiter& thread) noexcept REQUIRES(lock_);
  /// Threads that will come to the task without being woken.
  std::uint32_t coming(const Task& task) const noexcept REQUIRES(lock_);
  /// How many threads are, for the task.
  static std::uint32_t worthWaking(const Task& task) noexcept;
  void wakeForMore(const Task& task) noexcept EXCLUDES(lock_);

  /// The caller's part in a task that it has taken. `thread`: if it looks at the list again when nothing is left to
  /// claim.
  void participate(Taken taken, Executor& executor, PollingWaiter* thread) noexcept EXCLUDES(lock_);
  /// Runs what the thread's last task has made ready, while `wanted` accepts it; gives the rest to the others.
  void runFollowers(Executor& executor, PollingWaiter& thread) noexcept EXCLUDES(lock_);
  /// The part of `help` after it has an executor.
  bool helpWith(Executor& executor, PollingWaiter& self, Condition over) noexcept EXCLUDES(lock_);
  void drainHere() noexcept EXCLUDES(lock_);
  Executor* borrowExecutor() noexcept EXCLUDES(helpersLock_);
  void giveBack(Executor& executor) noexcept EXCLUDES(helpersLock_);

  const std::uint32_t count_;
  const std::uint32_t cores_;
  const std::uint64_t pollTicks_;
  const std::uint32_t maxPollers_;
  const std::unique_ptr<Worker[]> workers_;
  const std::optional<CpuMask> cpus_;
  const bool isOfShare_;
  const CpuSlots slots_;
  std::atomic<std::uint32_t> state_{NotStarted};
  std::atomic<std::uint32_t> ready_{0}; // threads that have looked for tasks
  std::atomic<bool> lacksThreads_{false};
  bool makesNext_ = true; // each thread makes the next one; written before there are any

  alignas(64) ShortLock lock_;
  Task* first_ GUARDED_BY(lock_) = nullptr;
  Task* last_ GUARDED_BY(lock_) = nullptr;
  Worker* idle_ GUARDED_BY(lock_) = nullptr;
  std::uint32_t pollers_ GUARDED_BY(lock_) = 0; // workers that are expected
  std::uint32_t waking_ GUARDED_BY(lock_) = 0;  // taken off idle_, not running yet
  std::uint32_t sharing_ GUARDED_BY(lock_) = 0; // participants of tasks for several threads
  PollingWaiter* pollingWaiters_ GUARDED_BY(lock_) = nullptr;

  // Fields that pollers read without the lock; written under it.
  alignas(64) std::atomic<std::uint32_t> listed_{0};
  std::atomic<std::uint32_t> urgent_{0};    // of those, the tasks for several threads
  std::atomic<std::uint32_t> published_{0}; // how many ever were
  alignas(64) std::atomic<bool> hasSleepers_{false};

  alignas(64) ShortLock helpersLock_;
  Executor* freeExecutors_ GUARDED_BY(helpersLock_) = nullptr;
};

/// A cheap clock for decisions about granularity: about kTicksPerMicrosecond a microsecond, give or take a factor of
/// two.
std::uint64_t ticks() noexcept;
#if defined(__x86_64__)
inline constexpr std::uint64_t kTicksPerMicrosecond = 2500;
#else
inline constexpr std::uint64_t kTicksPerMicrosecond = 1000;
#endif

} // namespace clotho::cpu
