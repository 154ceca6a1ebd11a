// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/worker_pool.hpp"

#include "base/log.hpp"
#include "base/memory_lock.hpp"
#include "base/signals_blocked.hpp"
#include "base/thread_affinity.hpp"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <ctime>
#include <new>
#include <pthread.h>
#include <utility>

namespace clotho::cpu {

namespace {

/// Enough for formatting and the runtime's bookkeeping; kernels have stacks of their own.
constexpr std::size_t kWorkerStackSize = std::size_t{512} << 10;
/// Tasks of the list that a thread which helps may look at: it holds the lock meanwhile.
constexpr int kMaxCandidates = 64;
/// Tasks that one thread may run in succession before others of the list have their turn.
constexpr std::uint32_t kMaxFollowers = 64;
/// How long a polling thread leaves small tasks alone. A thread that enqueues many of them is not disturbed meanwhile
/// by one that runs each at once and so wants the same memory all the time, which costs both several times the work
/// itself (measured: 0.55 us a launch against 0.25); one that waits for its task runs it at once and by itself.
constexpr std::uint64_t kGatherTicks = 3 * kTicksPerMicrosecond;
constexpr std::uint64_t kWaiterPollTicks = std::uint64_t{kSpinTime.count()} * kTicksPerMicrosecond;
/// Threads with long work poll longer, up to this: in a chain of launches the next one may have work for a single
/// thread, and waking the others after that would take as long as it did.
constexpr std::uint64_t kLongestPollTicks = 200 * kTicksPerMicrosecond;
/// A participant that has worked this long without an end in sight calls for others.
constexpr std::uint64_t kPatienceTicks = 30 * kTicksPerMicrosecond;

/// A pool whose tasks this thread runs, since the pool has no thread. What these make ready may belong to other pools:
/// there is one for each device.
struct Draining {
  const WorkerPool* pool;
  const Draining* outer; ///< while whose task finished, the thread turned to this one
};

/// This thread's role for a pool. Read on every start(), so it must cost no call: initial-exec.
struct ThreadRole {
  const WorkerPool* pool = nullptr; ///< whose task the thread is running
  Task* follower = nullptr;         ///< the first task that this made ready
  std::uint64_t worked = 0;         ///< ticks of its part in the last task for several threads, unless it slept since
  const Draining* draining = nullptr;
};
constinit thread_local ThreadRole role __attribute__((tls_model("initial-exec")));

std::uint64_t pollTicksFor(std::uint32_t workers, std::uint32_t cores) {
  if (cores <= 1) return 0; // polling would keep the enqueuing thread from running
  return (workers > cores ? 5 : 40) * kTicksPerMicrosecond;
}

} // namespace

std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  return __rdtsc();
#else
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
#endif
}

// One core is left to the thread that enqueues.
WorkerPool::WorkerPool(std::uint32_t workers, std::uint32_t cores, const CpuList& cpus, For what)
    : count_(std::max(workers, 1u)), cores_(std::max(cores, 1u)), pollTicks_(pollTicksFor(count_, cores)),
      maxPollers_(std::max(1u, std::min(count_, cores) - 1)), workers_(new Worker[count_]),
      cpus_(cpus.empty() ? std::nullopt : std::optional<CpuMask>(cpus)), isOfShare_(what == For::Share),
      slots_(cpus.empty() ? affinityCpus() : cpus, count_) {
  for (std::uint32_t i = 0; i < count_; ++i) {
    workers_[i].pool = this;
    workers_[i].executor.index = i;
  }
}

// --- Starting ---

void WorkerPool::start(Task& task) noexcept {
  if (role.pool == this && !role.follower) {
    role.follower = &task;
    return;
  }
  publish(task, nullptr);
  if (!ensureStarted()) drainHere();
}

bool WorkerPool::ensureStarted() noexcept {
  std::uint32_t state = state_.load(std::memory_order_seq_cst);
  if (state == Running) [[likely]]
    return true;
  // While another thread tries, its failure finds our task: it was published before this look at the state.
  if (state == Starting || !state_.compare_exchange_strong(state, Starting, std::memory_order_seq_cst)) return true;
  // A thread that makes another one gets a heap of its own for that, in glibc, of 64 MiB of addresses. All of them
  // would count as locked.
  makesNext_ = !areMappingsLocked();
  bool created = createThread(0);
  state_.store(created ? Running : NotStarted, std::memory_order_seq_cst);
  if (created && !makesNext_)
    for (std::uint32_t i = 1; i < count_ && !lacksThreads_; ++i)
      if (!createThread(i)) lacksThreads_ = true;
  return created;
}

void WorkerPool::startAll() noexcept {
  callersStack(); // which opens a file when the process's first thread asks for the first time
  if (!ensureStarted()) return;
  // They are made one after the other.
  while (ready_ < count_ && !lacksThreads_) {
    const timespec pause{0, 100'000};
    nanosleep(&pause, nullptr);
  }
}

bool WorkerPool::createThread(std::uint32_t index) noexcept {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, std::max<std::size_t>(kWorkerStackSize, PTHREAD_STACK_MIN));
  SignalsBlocked blocked;
  workers_[index].madeByBound = isThreadBound();
  pthread_t thread;
  int error = pthread_create(&thread, &attributes, threadMain, &workers_[index]);
  // A process with much thread-local data needs larger stacks than ours.
  if (error == EINVAL) {
    pthread_attr_setstacksize(&attributes, std::size_t{8} << 20);
    error = pthread_create(&thread, &attributes, threadMain, &workers_[index]);
  }
  pthread_attr_destroy(&attributes);
  if (error != 0)
    CLOTHO_LOG(Device, Warn, "only %u of %u worker threads could be created (error %d)", index, count_, error);
  return error == 0;
}

void* WorkerPool::threadMain(void* rawWorker) noexcept {
  Worker& self = *static_cast<Worker*>(rawWorker);
  WorkerPool& pool = *self.pool;
  std::uint32_t index = self.executor.index;
  // Fails where these processors are not allowed any more; then any will do.
  if (pool.cpus_) {
    pthread_setaffinity_np(pthread_self(), pool.cpus_->size(), pool.cpus_->get());
    if (pool.isOfShare_) noteThreadBound();
  } else if (self.madeByBound) {
    takeAffinityOfProcess();
  }
  takeScheduling(schedulingOfProcess());
  if (pool.makesNext_ && index + 1 < pool.count_ && !pool.createThread(index + 1)) pool.lacksThreads_ = true;
  char name[16];
  std::snprintf(name, sizeof name, "clotho-%u", index);
  pthread_setname_np(pthread_self(), name);
  if (!self.executor.enter()) FloatEnvironment::setStandard();
  ++pool.ready_;
  pool.work(self);
}

void WorkerPool::work(Worker& self) noexcept {
  for (;;) {
    Taken taken = waitForTask(self);
    role.pool = this;
    participate(taken, self.executor, &self.waiter);
    runFollowers(self.executor, self.waiter);
    role.pool = nullptr;
  }
}

WorkerPool::Taken WorkerPool::waitForTask(Worker& self) noexcept {
  bool poll = pollTicks_ != 0, woken = false;
  for (;;) {
    Wakeups sleepers;
    Taken taken;
    bool polls = false;
    {
      ShortLockScope scope(lock_);
      expectNoMore(self.waiter);
      if (std::exchange(woken, false)) --waking_;
      taken = take(self.waiter);
      if (taken.task) {
        std::uint32_t there = taken.task->participants + coming(*taken.task);
        if (taken.task->listed && worthWaking(*taken.task) > there)
          sleepers = takeSleepers(worthWaking(*taken.task) - there);
      } else if (poll && pollers_ < maxPollers_ && pollers_ + sharing_ < cores_) {
        polls = true;
        expect(self.waiter);
      } else {
        self.wake.store(0, std::memory_order_relaxed);
        self.nextIdle = idle_;
        idle_ = &self;
        hasSleepers_.store(true, std::memory_order_relaxed);
      }
    }
    if (taken.task) {
      wake(sleepers);
      return taken;
    }
    if (polls) {
      poll = pollForTask();
    } else {
      while (self.wake.load(std::memory_order_acquire) == 0)
        Parking::wait(self.wake, 0);
      poll = pollTicks_ != 0;
      woken = true;
      role.worked = 0;
    }
  }
}

/// How long this thread polls which would usually do so for that long.
std::uint64_t WorkerPool::pollTicks(std::uint64_t usual) const noexcept {
  return count_ > cores_ ? usual : std::clamp(role.worked, usual, kLongestPollTicks);
}

/// Whether there is something to do, looked for during some time.
bool WorkerPool::pollForTask() const noexcept {
  const std::uint64_t most = pollTicks(pollTicks_);
  std::uint64_t begin = ticks();
  while (listed_.load(std::memory_order_relaxed) == 0) {
    if (ticks() - begin >= most) return false;
    pauseCpu();
  }
  begin = ticks();
  while (urgent_.load(std::memory_order_relaxed) == 0 && ticks() - begin < kGatherTicks)
    pauseCpu();
  return true;
}

// --- The list ---

void WorkerPool::expect(PollingWaiter& thread) noexcept {
  if (std::exchange(thread.expected, true)) return;
  if (!thread.wanted) {
    ++pollers_;
    return;
  }
  thread.next = pollingWaiters_;
  pollingWaiters_ = &thread;
}

void WorkerPool::expectNoMore(PollingWaiter& thread) noexcept {
  if (!std::exchange(thread.expected, false)) return;
  if (!thread.wanted) {
    --pollers_;
    return;
  }
  PollingWaiter** place = &pollingWaiters_;
  while (*place != &thread)
    place = &(*place)->next;
  *place = thread.next;
}

std::uint32_t WorkerPool::coming(const Task& task) const noexcept {
  std::uint32_t count = pollers_ + waking_;
  if (task.hostStack == Task::kNotOnHosts) return count;
  // No task wants more of them than there are workers, however many threads wait.
  for (const PollingWaiter* each = pollingWaiters_; each && count < count_; each = each->next)
    if (each->accepts(task)) ++count;
  return count;
}

/// A thread of the application's that starts a task is on a processor, which a worker would take from it before it has
/// enqueued what comes next; and it takes part soon if it waits. If not, the first that comes calls another in a moment
/// (kPatienceTicks), unless its first claim is too long for that. Once it has come, as many come as the task is worth.
std::uint32_t WorkerPool::worthWaking(const Task& task) noexcept {
  return task.startedOutside && task.parallelism > 1 && task.hasShortClaims ? task.parallelism - 1 : task.parallelism;
}

void WorkerPool::publish(Task& task, PollingWaiter* caller) noexcept {
  Wakeups sleepers;
  {
    ShortLockScope scope(lock_);
    link(task);
    // Each listed task should have a thread on its way, and this one as many as it is worth.
    task.startedOutside = !role.pool && task.hostStack != Task::kNotOnHosts && !isOfShare_;
    if (caller) expect(*caller);
    std::uint32_t there = coming(task);
    std::uint32_t wanted = listed_.load(std::memory_order_relaxed) - 1 + worthWaking(task);
    if (wanted > there) sleepers = takeSleepers(wanted - there);
  }
  wake(sleepers);
}

void WorkerPool::link(Task& task) noexcept {
  task.listed = true;
  task.next = nullptr;
  task.previous = last_;
  (last_ ? last_->next : first_) = &task;
  last_ = &task;
  listed_.store(listed_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (!task.whole) urgent_.store(urgent_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  published_.store(published_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void WorkerPool::unlink(Task& task) noexcept {
  task.listed = false;
  (task.previous ? task.previous->next : first_) = task.next;
  (task.next ? task.next->previous : last_) = task.previous;
  listed_.store(listed_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  if (!task.whole) urgent_.store(urgent_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
}

WorkerPool::Taken WorkerPool::take(const PollingWaiter& thread) noexcept {
  Task* task = first_;
  for (int seen = 0; task && (!thread.wanted || seen < kMaxCandidates); ++seen) {
    Task* next = task->next;
    // A task that has run out of units is done without us; its participants complete it.
    if (!task->whole && (task->stopped.load(std::memory_order_relaxed) || task->ranges.empty())) {
      unlink(*task);
    } else if (thread.accepts(*task)) {
      ++task->participants;
      if (thread.wanted) task->startedOutside = false; // the worker slot that was left is taken
      if (!task->whole) ++sharing_;
      if (task->whole || task->participants >= std::min(count_, task->mostThreads)) unlink(*task);
      return {task, !std::exchange(task->begun, true)};
    }
    task = next;
  }
  return {};
}

WorkerPool::Wakeups WorkerPool::takeSleepers(std::uint32_t wanted) noexcept {
  Wakeups taken;
  for (Worker** place : {&taken.first, &taken.second}) {
    if (wanted-- == 0 || !idle_) break;
    *place = idle_;
    idle_ = idle_->nextIdle;
    ++waking_;
  }
  hasSleepers_.store(idle_ != nullptr, std::memory_order_relaxed);
  return taken;
}

void WorkerPool::wake(const Wakeups& sleepers) noexcept {
  for (Worker* worker : {sleepers.first, sleepers.second}) {
    if (!worker) return;
    worker->wake.store(1, std::memory_order_release);
    Parking::wake(worker->wake, 1);
  }
}

void WorkerPool::wakeForMore(const Task& task) noexcept {
  if (!hasSleepers_.load(std::memory_order_relaxed) || task.ranges.empty()) return;
  Wakeups sleepers;
  {
    ShortLockScope scope(lock_);
    if (task.listed && coming(task) == 0) sleepers = takeSleepers(1);
  }
  wake(sleepers);
}

// --- Running ---

void WorkerPool::participate(Taken taken, Executor& executor, PollingWaiter* thread) noexcept {
  Task& task = *taken.task;
  const TaskOps& ops = *task.ops;
  if (taken.first) ops.begin(task);
  if (task.whole) {
    if (!task.stopped.load(std::memory_order_relaxed)) ops.run(task, executor, 0, task.units);
    ops.finish(task);
    return;
  }

  const trace::PartBegin traceBegin = trace::beginPart();
  std::uint32_t chunks = 0;
  std::uint64_t begin = ticks();
  std::uint32_t slot = slots_.current();
  while (!task.stopped.load(std::memory_order_relaxed)) {
    WorkRanges::Chunk chunk = task.ranges.claim(slot, task.leastChunk, task.quickChunk);
    if (!chunk) break;
    ops.run(task, executor, chunk.first, chunk.end);
    ++chunks;
    if (ticks() - begin > kPatienceTicks) wakeForMore(task);
  }
  role.worked = ticks() - begin;
  if (traceBegin.time && ops.share && chunks) [[unlikely]]
    ops.share(task, traceBegin, chunks);
  bool last;
  {
    ShortLockScope scope(lock_);
    if (task.listed) unlink(task);
    --sharing_;
    last = --task.participants == 0;
    if (thread && !last) expect(*thread);
  }
  if (last) ops.finish(task);
}

void WorkerPool::runFollowers(Executor& executor, PollingWaiter& thread) noexcept {
  for (std::uint32_t ran = 0; Task* task = role.follower; ++ran) {
    role.follower = nullptr;
    bool mine =
        task->whole && (ran < kMaxFollowers || listed_.load(std::memory_order_relaxed) == 0) && thread.accepts(*task);
    if (!mine) {
      publish(*task, &thread);
      return;
    }
    participate({task, true}, executor, nullptr);
  }
}

bool WorkerPool::help(Filter wanted, Condition over, const void* context) noexcept {
  if (role.pool) return false;
  Executor* executor = borrowExecutor();
  if (!executor) return false;
  const CallersStack stack = callersStack();
  executor->enterOnOwnStack(stack);
  PollingWaiter self{wanted, context, stack.room};
  const bool ran = helpWith(*executor, self, over);
  executor->leave();
  giveBack(*executor);
  // Tasks that this made ready and that were not wanted are in the list, and need a thread to run them.
  if (ran && !ensureStarted()) drainHere();
  return ran;
}

bool WorkerPool::helpWith(Executor& executor, PollingWaiter& self, Condition over) noexcept {
  const void* context = self.context;
  bool ran = false;
  role.worked = 0;
  for (std::uint64_t begin = ticks();;) {
    const std::uint64_t most = pollTicks(kWaiterPollTicks);
    bool isOver = over(context), inTime = ticks() - begin < most;
    Taken taken;
    std::uint32_t seen = 0;
    {
      ShortLockScope scope(lock_);
      expectNoMore(self);
      if (!isOver) taken = take(self);
      if (!taken.task) {
        if (isOver || !inTime || sharing_ >= cores_) return ran;
        expect(self);
        seen = published_.load(std::memory_order_relaxed);
      }
    }
    if (taken.task) {
      role.pool = this;
      participate(taken, executor, &self);
      runFollowers(executor, self);
      role.pool = nullptr;
      ran = true;
      begin = ticks();
      continue;
    }
    // There may be something in the list for others only; they are not to find the lock taken all the time.
    while (published_.load(std::memory_order_relaxed) == seen && !over(context) && ticks() - begin < most)
      pauseCpu();
  }
}

/// Runs what is listed on the calling thread, if the pool has no thread of its own: a task that this thread has
/// started, and what that makes ready. A loop, not a recursion.
void WorkerPool::drainHere() noexcept {
  if (role.pool == this) return;
  for (const Draining* each = role.draining; each; each = each->outer)
    if (each->pool == this) return;
  const Draining draining{this, role.draining};
  role.draining = &draining;
  Executor* executor = borrowExecutor();
  bool entered = executor && executor->enter();
  Executor unprepared;
  for (;;) {
    Taken taken;
    {
      ShortLockScope scope(lock_);
      taken = take(PollingWaiter());
    }
    if (!taken.task) break;
    if (!entered) taken.task->fail(CL_OUT_OF_RESOURCES);
    participate(taken, entered ? *executor : unprepared, nullptr);
  }
  if (entered) executor->leave();
  if (executor) giveBack(*executor);
  role.draining = draining.outer;
}

Executor* WorkerPool::borrowExecutor() noexcept {
  {
    ShortLockScope scope(helpersLock_);
    if (Executor* executor = freeExecutors_) {
      freeExecutors_ = executor->nextFree;
      return executor;
    }
  }
  return new (std::nothrow) Executor;
}

void WorkerPool::giveBack(Executor& executor) noexcept {
  // There may be many more of these than workers, so they keep little.
  constexpr std::size_t kMostKept = std::size_t{1} << 20;
  if (executor.frame.size() > kMostKept) executor.shrink();
  ShortLockScope scope(helpersLock_);
  executor.nextFree = freeExecutors_;
  freeExecutors_ = &executor;
}

} // namespace clotho::cpu
