// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/worker_pool.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <memory>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
// Children of this program create threads.
extern "C" const char* __tsan_default_options() { return "die_after_fork=0"; }
#endif
#endif

namespace clotho::cpu {
namespace {

/// A task that counts what happens to it, and its place in a chain.
struct Job {
  explicit Job(std::uint32_t units, std::uint32_t parallelism = 1, bool helpful = true);

  Task task;
  std::vector<std::atomic<int>> seen;
  std::atomic<int> begun{0}, finished{0};
  std::atomic<std::thread::id> ranOn;
  WorkerPool* pool = nullptr;
  Job* next = nullptr;
  void (*body)(Job&, std::uint64_t unit) = nullptr;
};

/// The job whose task it is: tasks are first members.
Job& jobOf(Task& task) { return reinterpret_cast<Job&>(task); }

void begin(Task& task) noexcept {
  EXPECT_EQ(jobOf(task).finished.load(), 0);
  ++jobOf(task).begun;
}
void run(Task& task, Executor&, std::uint64_t first, std::uint64_t end) noexcept {
  Job& job = jobOf(task);
  EXPECT_EQ(job.finished.load(), 0);
  job.ranOn = std::this_thread::get_id();
  for (std::uint64_t unit = first; unit < end; ++unit) {
    ++job.seen[unit];
    if (job.body) job.body(job, unit);
  }
}
void finish(Task& task) noexcept {
  Job& job = jobOf(task);
  Job* next = job.next;
  WorkerPool* pool = job.pool;
  ++job.finished;
  if (next) pool->start(next->task);
}
constexpr TaskOps kOps{begin, run, finish};

/// Filters here do not look at nodes, and nothing else does.
alignas(16) std::byte nodePlace[16];
Node* const kSomeNode = reinterpret_cast<Node*>(nodePlace);

Job::Job(std::uint32_t units, std::uint32_t parallelism, bool helpful) : task(kOps, kSomeNode), seen(units) {
  task.hostStack = helpful ? 0 : Task::kNotOnHosts;
  task.units = units;
  task.whole = units < 2;
  task.parallelism = parallelism;
  if (!task.whole) task.ranges.init(units, parallelism + 1);
}

void waitFor(const Job& job) {
  auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (job.finished.load() == 0) {
    ASSERT_LT(std::chrono::steady_clock::now(), limit) << "the task has not finished";
    std::this_thread::yield();
  }
}

void expectRunOnce(const Job& job) {
  EXPECT_EQ(job.begun.load(), 1);
  EXPECT_EQ(job.finished.load(), 1);
  for (const auto& count : job.seen)
    EXPECT_EQ(count.load(), 1);
}

bool acceptAll(const Node&, const void*) { return true; }
bool acceptNone(const Node&, const void*) { return false; }
bool never(const void*) { return false; }

// Pools are never destroyed: their threads have no end.
WorkerPool& newPool(std::uint32_t workers, std::uint32_t cores = 2) { return *new WorkerPool(workers, cores); }

/// Whose threads are there, and asleep.
WorkerPool& newSleepingPool(std::uint32_t workers, std::uint32_t cores) {
  WorkerPool& pool = newPool(workers, cores);
  Job warmUp(1);
  pool.start(warmUp.task);
  waitFor(warmUp);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return pool;
}

/// Keeps one worker of a pool busy until it is released.
struct Blocker {
  explicit Blocker(WorkerPool& pool) : job(1) {
    isReleased = false;
    job.body = [](Job&, std::uint64_t) {
      while (!isReleased.load())
        std::this_thread::yield();
    };
    pool.start(job.task);
    while (job.begun.load() == 0)
      std::this_thread::yield();
  }
  void release() { isReleased = true; }

  static inline std::atomic<bool> isReleased;
  Job job;
};

/// How many units have begun that wait for each other.
std::atomic<int> meeting;
/// No unit ends before so many have begun.
template <int kCount> void meet(Job&, std::uint64_t) {
  ++meeting;
  while (meeting.load() < kCount)
    std::this_thread::yield();
}

TEST(WorkerPool, RunsWithoutFurtherCalls) {
  WorkerPool& pool = newPool(2);
  Job whole(1), many(1000, 2);
  pool.start(whole.task);
  waitFor(whole);
  pool.start(many.task);
  waitFor(many);
  expectRunOnce(whole);
  expectRunOnce(many);
  EXPECT_NE(whole.ranOn.load(), std::this_thread::get_id());
}

TEST(WorkerPool, SleepersWakeForEachTask) {
  WorkerPool& pool = newPool(3, 8);
  for (int i = 0; i < 200; ++i) {
    Job job(i % 3 ? 1 : 7, 3);
    pool.start(job.task);
    waitFor(job);
    expectRunOnce(job);
    if (i % 4 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(WorkerPool, AllWorkersTakePart) {
  WorkerPool& pool = newPool(4, 8);
  meeting = 0;
  Job job(4, 4);
  job.task.ranges.init(4, 4);
  job.body = meet<4>;
  pool.start(job.task);
  waitFor(job);
  expectRunOnce(job);
}

TEST(WorkerPool, LongTaskCallsForOthersThoughNobodyWasToBeWoken) {
  WorkerPool& pool = newSleepingPool(2, 8);
  static std::atomic<std::thread::id> first;
  static std::atomic<bool> isShared;
  first = std::thread::id();
  isShared = false;
  Job job(64, 1);
  job.task.ranges.init(64, 2);
  job.body = [](Job&, std::uint64_t unit) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    std::thread::id none;
    if (!first.compare_exchange_strong(none, std::this_thread::get_id()) && none != std::this_thread::get_id())
      isShared = true;
    // This one cannot end unless a second thread is there.
    if (unit == 40)
      while (!isShared.load())
        std::this_thread::yield();
  };
  pool.start(job.task);
  waitFor(job);
  expectRunOnce(job);
}

TEST(WorkerPool, AllWorkersAreWokenForLongUnits) {
  // None of them might come to the end of its own for long, so that it could call others.
  WorkerPool& pool = newSleepingPool(3, 8);
  meeting = 0;
  Job job(3, 3);
  job.task.ranges.init(3, 3);
  job.body = meet<3>;
  pool.start(job.task);
  waitFor(job);
  expectRunOnce(job);
}

TEST(WorkerPool, AllWorkersComeToALongTask) {
  WorkerPool& pool = newSleepingPool(3, 8);
  meeting = 0;
  Job job(3000, 3);
  job.task.ranges.init(3000, 3);
  job.task.hasShortClaims = true; // one is called later
  // The last unit of each third cannot end before all have come.
  job.body = [](Job& self, std::uint64_t unit) {
    std::this_thread::sleep_for(std::chrono::microseconds(1));
    if (unit % 1000 == 999) meet<3>(self, unit);
  };
  pool.start(job.task);
  waitFor(job);
  expectRunOnce(job);
}

/// How many workers come to two units that do not end, of a task that the application starts.
int comersTo(bool hasShortClaims) {
  WorkerPool& pool = newSleepingPool(2, 8);
  static std::atomic<bool> isReleased;
  static std::atomic<int> comers;
  isReleased = false;
  comers = 0;
  Job job(2, 2);
  job.task.ranges.init(2, 2);
  job.task.hasShortClaims = hasShortClaims;
  job.body = [](Job&, std::uint64_t) {
    ++comers;
    while (!isReleased.load())
      std::this_thread::yield();
  };
  pool.start(job.task);
  while (comers.load() == 0)
    std::this_thread::yield();
  // Long enough for one that was woken.
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(hasShortClaims ? 100 : 60'000);
  while (comers.load() < 2 && std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
  const int result = comers.load();
  isReleased = true;
  waitFor(job);
  expectRunOnce(job);
  return result;
}

TEST(WorkerPool, ASeatIsLeftToTheThreadThatStartsATask) {
  // A worker that has just begun to look for tasks comes without being woken.
  int least = 2;
  for (int attempt = 0; attempt < 5 && least > 1; ++attempt)
    least = std::min(least, comersTo(/*hasShortClaims=*/true));
  EXPECT_EQ(least, 1);
  EXPECT_EQ(comersTo(/*hasShortClaims=*/false), 2);
}

TEST(WorkerPool, AllSeatsAreTakenWhereTheThreadThatStartsATaskComes) {
  constexpr std::uint32_t kSeats = 6;
  WorkerPool& pool = newSleepingPool(kSeats, 64);
  static std::atomic<std::uint32_t> comers;
  static std::chrono::steady_clock::time_point end;
  comers = 0;
  end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  Job job(kSeats, kSeats);
  job.task.ranges.init(kSeats, kSeats);
  job.task.hasShortClaims = true;
  job.body = [](Job&, std::uint64_t) {
    ++comers;
    while (comers.load() < kSeats && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
  };
  pool.start(job.task);
  EXPECT_TRUE(pool.help(acceptAll, never, nullptr));
  waitFor(job);
  EXPECT_LT(std::chrono::steady_clock::now(), end) << "somebody did not come";
  expectRunOnce(job);
}

TEST(WorkerPool, LongChainsNeedNoStack) {
  WorkerPool& pool = newPool(2);
  constexpr int kLength = 20000;
  std::vector<std::unique_ptr<Job>> chain;
  for (int i = 0; i < kLength; ++i) {
    chain.push_back(std::make_unique<Job>(i % 100 == 99 ? 3 : 1));
    chain.back()->pool = &pool;
    if (i) chain[static_cast<std::size_t>(i) - 1]->next = chain.back().get();
  }
  pool.start(chain.front()->task);
  waitFor(*chain.back());
  for (const auto& job : chain)
    expectRunOnce(*job);
}

TEST(WorkerPool, HelpRunsWantedTasksOnly) {
  // The only worker is kept busy, so the rest is for the helping thread.
  WorkerPool& pool = newPool(1);
  Blocker blocker(pool);
  Job job(1), many(50, 1), secret(1, 1, false);
  EXPECT_FALSE(pool.help(acceptAll, never, nullptr));
  pool.start(secret.task);
  EXPECT_FALSE(pool.help(acceptAll, never, nullptr));
  pool.start(job.task);
  pool.start(many.task);
  EXPECT_FALSE(pool.help(acceptNone, never, nullptr));
  EXPECT_FALSE(pool.help(acceptAll, [](const void*) { return true; }, nullptr));
  EXPECT_TRUE(pool.help(acceptAll, never, nullptr));
  EXPECT_EQ(job.ranOn.load(), std::this_thread::get_id());
  EXPECT_EQ(many.ranOn.load(), std::this_thread::get_id());
  expectRunOnce(job);
  expectRunOnce(many);
  EXPECT_FALSE(pool.help(acceptAll, never, nullptr));
  EXPECT_EQ(secret.begun.load(), 0);
  blocker.release();
  waitFor(secret);
  waitFor(blocker.job);
}

TEST(WorkerPool, HelpRunsWhatTheStackHasRoomFor) {
  WorkerPool& pool = newPool(1);
  Blocker blocker(pool);
  Job large(1), small(1);
  large.task.hostStack = std::uint32_t{1} << 30;
  small.task.hostStack = 4096;
  pool.start(large.task);
  EXPECT_FALSE(pool.help(acceptAll, never, nullptr));
  pool.start(small.task);
  EXPECT_TRUE(pool.help(acceptAll, never, nullptr));
  EXPECT_EQ(small.ranOn.load(), std::this_thread::get_id());
  EXPECT_EQ(large.begun.load(), 0);
  blocker.release();
  waitFor(large);
  waitFor(blocker.job);
}

TEST(WorkerPool, HelpTakesTheTaskThatComesLater) {
  WorkerPool& pool = newPool(1, 4);
  Blocker blocker(pool);
  Job job(1);
  struct Waiting {
    WorkerPool& pool;
    Job& job;
    int looks = 0;
  } waiting{pool, job};
  // The task is ready when the thread has found nothing.
  bool ran = pool.help(
      acceptAll,
      [](const void* context) {
        auto& self = *static_cast<Waiting*>(const_cast<void*>(context));
        if (++self.looks == 2) self.pool.start(self.job.task);
        return self.job.finished.load() != 0;
      },
      &waiting);
  EXPECT_TRUE(ran);
  expectRunOnce(job);
  blocker.release();
  waitFor(blocker.job);
}

TEST(WorkerPool, NoMoreParticipantsThanWorkers) {
  WorkerPool& pool = newPool(2, 2);
  static std::atomic<int> inside, most;
  inside = most = 0;
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      while (!done.load())
        pool.help(acceptAll, never, nullptr);
    });
  for (int i = 0; i < 20; ++i) {
    Job job(64, 2);
    job.body = [](Job&, std::uint64_t) {
      int now = ++inside;
      for (int seen = most.load(); now > seen && !most.compare_exchange_weak(seen, now);) {
      }
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      --inside;
    };
    pool.start(job.task);
    waitFor(job);
    expectRunOnce(job);
  }
  done = true;
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_LE(most.load(), 2);
}

TEST(WorkerPool, HelpFollowsAChain) {
  WorkerPool& pool = newPool(1);
  Blocker blocker(pool);
  Job first(1), second(1), third(1);
  first.pool = second.pool = &pool;
  first.next = &second;
  second.next = &third;
  pool.start(first.task);
  EXPECT_TRUE(pool.help(acceptAll, never, nullptr));
  expectRunOnce(third);
  blocker.release();
  waitFor(blocker.job);
}

TEST(WorkerPool, UnwantedFollowersGoToTheWorkers) {
  WorkerPool& pool = newPool(1);
  Blocker blocker(pool);
  Job first(1), second(1);
  first.pool = &pool;
  first.next = &second;
  pool.start(first.task);
  static int calls;
  calls = 0;
  EXPECT_TRUE(pool.help([](const Node&, const void*) { return ++calls == 1; }, never, nullptr));
  expectRunOnce(first);
  EXPECT_EQ(second.begun.load(), 0);
  blocker.release();
  waitFor(second);
  EXPECT_NE(second.ranOn.load(), std::this_thread::get_id());
  waitFor(blocker.job);
}

TEST(WorkerPool, AFailureStopsTheOtherUnits) {
  WorkerPool& pool = newPool(2);
  Job job(100000, 2);
  job.body = [](Job& self, std::uint64_t unit) {
    if (unit == 0) self.task.fail(CL_OUT_OF_RESOURCES);
    std::this_thread::sleep_for(std::chrono::microseconds(1));
  };
  pool.start(job.task);
  waitFor(job);
  EXPECT_EQ(job.task.status.load(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(job.finished.load(), 1);
  int ran = 0;
  for (const auto& count : job.seen)
    ran += count.load();
  EXPECT_LT(ran, 100000);
}

TEST(WorkerPool, ManyThreadsStartAndHelp) {
  WorkerPool& pool = newPool(3, 4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&pool, t] {
      for (int i = 0; i < 300; ++i) {
        Job a((i + t) % 5 ? 1 : 40, 3), b(1);
        a.pool = &pool;
        a.next = &b;
        pool.start(a.task);
        while (b.finished.load() == 0)
          if (!pool.help(acceptAll, never, nullptr)) std::this_thread::yield();
        expectRunOnce(a);
        expectRunOnce(b);
      }
    });
  for (std::thread& thread : threads)
    thread.join();
}

TEST(WorkerPool, ThreadsHaveNamesAndBlockSignals) {
  WorkerPool& pool = newPool(1);
  static char name[16];
  static bool blocksTerm, blocksSegv, detached;
  Job job(1);
  job.body = [](Job&, std::uint64_t) {
    pthread_getname_np(pthread_self(), name, sizeof name);
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    blocksTerm = sigismember(&mask, SIGTERM) && sigismember(&mask, SIGINT) && sigismember(&mask, SIGALRM);
    blocksSegv = sigismember(&mask, SIGSEGV) || sigismember(&mask, SIGFPE);
    pthread_attr_t attributes;
    int state = 0;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getdetachstate(&attributes, &state);
    pthread_attr_destroy(&attributes);
    detached = state == PTHREAD_CREATE_DETACHED;
  };
  pool.start(job.task);
  waitFor(job);
  EXPECT_STREQ(name, "clotho-0");
  EXPECT_TRUE(blocksTerm);
  EXPECT_FALSE(blocksSegv);
  EXPECT_TRUE(detached);
}

/// In a child that may not create threads: as a user without privileges, or the limit would not count.
int runWithoutThreads(void (*body)()) {
  pid_t child = fork();
  if (child == 0) {
    if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(99);
    rlimit none{0, 0};
    if (setrlimit(RLIMIT_NPROC, &none) != 0) _exit(98);
    alarm(60);
    body();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(WorkerPool, WithoutThreadsStartRunsTheTasks) {
  int status = runWithoutThreads([] {
    pthread_t probe;
    if (pthread_create(&probe, nullptr, [](void*) -> void* { return nullptr; }, nullptr) == 0) _exit(97);
    WorkerPool& pool = newPool(2);
    std::vector<std::unique_ptr<Job>> chain;
    for (int i = 0; i < 1000; ++i) {
      chain.push_back(std::make_unique<Job>(i % 10 ? 1 : 5));
      chain.back()->pool = &pool;
      if (i) chain[static_cast<std::size_t>(i) - 1]->next = chain.back().get();
    }
    pool.start(chain.front()->task);
    for (const auto& job : chain)
      expectRunOnce(*job);
  });
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(WorkerPool, WithoutThreadsTasksOfSeveralPoolsRun) {
  int status = runWithoutThreads([] {
    WorkerPool* pools[] = {&newPool(2), &newPool(1), &newPool(2)};
    std::vector<std::unique_ptr<Job>> chain;
    for (std::size_t i = 0; i < 1000; ++i) {
      chain.push_back(std::make_unique<Job>(i % 10 ? 1 : 5));
      if (i == 0) continue;
      chain[i - 1]->pool = pools[(i * i / 2) % 3];
      chain[i - 1]->next = chain.back().get();
    }
    pools[0]->start(chain.front()->task);
    for (const auto& job : chain)
      expectRunOnce(*job);
  });
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(WorkerPool, IdleWorkersUseNoTime) {
  WorkerPool& pool = newPool(2, 8);
  Job job(64, 2);
  pool.start(job.task);
  waitFor(job);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  auto cpuTime = [] {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
  };
  double before = cpuTime();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(cpuTime() - before, 50.0);
}

} // namespace
} // namespace clotho::cpu
