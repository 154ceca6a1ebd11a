// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/private_memory.hpp"

#include "device/cpu/executor.hpp"
#include "device/cpu/private_budget.hpp"
#include "device/cpu/topology.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <deque>
#include <thread>
#include <vector>

namespace clotho::cpu {
namespace {

constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * kKiB;

struct Sizes {
  GroupLimits limits;
  CpuKernelFacts facts;
};

Sizes keeping(std::uint64_t bytes, std::uint32_t width) {
  Sizes kernel;
  kernel.limits.privateBytes = bytes;
  kernel.limits.subGroupSize = width;
  kernel.facts.frameBytesPerItem = bytes * width;
  kernel.facts.usesBarrier = true;
  return kernel;
}

std::uint64_t bytesOfGroup(const Sizes& kernel, const std::array<std::uint64_t, 3>& local) {
  return privateBytesOfGroup(kernel.limits, kernel.facts, local);
}
std::uint64_t stackBytes(const Sizes& kernel) { return privateStackBytes(kernel.limits, kernel.facts); }
std::size_t largest(const Sizes& kernel, std::uint64_t bytes, std::size_t most) {
  return largestGroup(kernel.limits, kernel.facts, bytes, most);
}

TEST(PrivateMemory, IsOfAllSubGroupsOfAWorkGroup) {
  EXPECT_EQ(bytesOfGroup(Sizes(), {4096, 1, 1}), 0u);
  const Sizes one = keeping(256 * kKiB, 1), wide = keeping(kKiB, 16);
  EXPECT_EQ(bytesOfGroup(one, {4096, 1, 1}), 1024 * kMiB);
  EXPECT_EQ(bytesOfGroup(one, {16, 8, 2}), 64 * kMiB);
  EXPECT_EQ(bytesOfGroup(wide, {64, 1, 1}), 64 * kKiB);
  // Rows do not share a sub-group.
  EXPECT_EQ(bytesOfGroup(wide, {1, 64, 1}), kMiB);
  EXPECT_EQ(bytesOfGroup(wide, {17, 2, 1}), 64 * kKiB);
}

TEST(PrivateMemory, LargestGroupIsAlongTheProgramsDimensionZero) {
  Sizes kernel = keeping(kKiB, 16);
  EXPECT_EQ(largest(kernel, 64 * kKiB, 4096), 64u);
  kernel.facts.laneDimension = 1; // each work-item of such a group is a row
  EXPECT_EQ(largest(kernel, 64 * kKiB, 4096), 4u);
}

TEST(PrivateMemory, WithoutBarriersIsOfOneSubGroup) {
  Sizes kernel = keeping(16 * kMiB, 1);
  kernel.facts.frameBytesPerItem = 0;
  EXPECT_EQ(stackBytes(kernel), 32 * kMiB);
  EXPECT_EQ(bytesOfGroup(kernel, {4096, 1, 1}), 32 * kMiB);
  EXPECT_EQ(stackBytes(keeping(16 * kMiB, 1)), 0u) << "what lives across barriers is not on the stack";
}

TEST(PrivateMemory, SubGroupsInTurnHaveAStackEach) {
  Sizes kernel = keeping(kKiB, 16);
  kernel.facts.frameBytesPerItem = 0;
  kernel.facts.subGroupStackBytes = 96 * kKiB;
  EXPECT_EQ(stackBytes(kernel), 0u);
  EXPECT_EQ(bytesOfGroup(kernel, {64, 1, 1}), 4 * 24 * kKiB);
  EXPECT_EQ(bytesOfGroup(kernel, {1, 64, 1}), 64 * 24 * kKiB);
  kernel.limits.usesSubGroups = true; // which follow the linear id
  EXPECT_EQ(bytesOfGroup(kernel, {1, 64, 1}), 4 * 24 * kKiB);
}

TEST(PrivateMemory, LargestWorkGroupFits) {
  const Sizes kernel = keeping(256 * kKiB, 1);
  EXPECT_EQ(largest(kernel, 1024 * kMiB, 4096), 4096u);
  EXPECT_EQ(largest(kernel, 1024 * kMiB - 1, 4096), 2048u);
  EXPECT_EQ(largest(kernel, 153 * kMiB, 4096), 512u);
  EXPECT_EQ(largest(kernel, 256 * kKiB, 4096), 1u);
  EXPECT_EQ(largest(kernel, 256 * kKiB - 1, 4096), 0u);
  EXPECT_EQ(largest(Sizes(), 0, 4096), 4096u);
  EXPECT_EQ(largest(keeping(UINT64_MAX / 2, 16), UINT64_MAX - 1, 4096), 0u) << "sums that do not fit";
}

TEST(PrivateMemory, IsAQuarterOfGlobalMemory) {
  EXPECT_EQ(choosePrivateMemory(612 * kMiB), 153 * kMiB);
  EXPECT_EQ(choosePrivateMemory(kMiB), 16 * kMiB);
}

TEST(PrivateBudget, DividesByWhatEachThreadNeeds) {
  const PrivateBudget budget(100 * kMiB, 4);
  EXPECT_EQ(budget.share(), 25 * kMiB);
  EXPECT_EQ(budget.threadsFor(0, 4), 4u);
  EXPECT_EQ(budget.threadsFor(25 * kMiB, 4), 4u);
  EXPECT_EQ(budget.threadsFor(25 * kMiB + 1, 4), 3u);
  EXPECT_EQ(budget.threadsFor(60 * kMiB, 4), 1u);
  EXPECT_EQ(budget.threadsFor(101 * kMiB, 4), 1u);
  EXPECT_EQ(budget.threadsFor(30 * kMiB, 2), 2u);
}

constexpr TaskOps kNoOps{nullptr, nullptr, nullptr};

struct LargeTask : Task {
  explicit LargeTask(std::uint64_t bytes) : Task(kNoOps, nullptr) { privateBytes = bytes; }
};

TEST(PrivateBudget, KnowsWhatThereIsNot) {
  const PrivateBudget budget(100, 4);
  EXPECT_FALSE(budget.fits(101));
  EXPECT_FALSE(budget.fits(UINT64_MAX));
  EXPECT_TRUE(budget.fits(100));
}

TEST(PrivateBudget, TasksThatWaitStartInTheirOrder) {
  PrivateBudget budget(100, 4);
  LargeTask first(60), second(60), third(30), fourth(20), fifth(100);
  EXPECT_TRUE(budget.admit(first));
  EXPECT_FALSE(budget.admit(second));
  EXPECT_FALSE(budget.admit(third)) << "overtakes one that waits";
  EXPECT_FALSE(budget.admit(fourth));
  EXPECT_EQ(budget.giveBack(60), &second);
  EXPECT_EQ(second.next, &third);
  EXPECT_EQ(third.next, nullptr) << "there is not so much";
  EXPECT_FALSE(budget.admit(fifth));
  EXPECT_EQ(budget.giveBack(30), &fourth);
  EXPECT_EQ(fourth.next, nullptr);
  EXPECT_EQ(budget.giveBack(60), nullptr);
  EXPECT_EQ(budget.giveBack(20), &fifth);
  EXPECT_EQ(fifth.next, nullptr);
  EXPECT_EQ(budget.giveBack(100), nullptr);
  EXPECT_TRUE(budget.admit(fifth));
}

TEST(PrivateBudget, IsNeverExceeded) {
  constexpr int kThreads = 4, kTasks = 2000;
  PrivateBudget budget(100, kThreads);
  std::atomic<int> taken{0}, most{0}, ran{0};
  // The thread that ends a task runs the tasks that this end has started.
  const auto run = [&](Task* task) {
    for (std::vector<Task*> started{task}; !started.empty();) {
      started.pop_back();
      const int now = taken += 40;
      for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
      }
      ++ran;
      taken -= 40;
      for (Task* next = budget.giveBack(40); next; next = next->next)
        started.push_back(next);
    }
  };
  std::vector<std::thread> threads;
  std::deque<LargeTask> tasks;
  for (int i = 0; i < kThreads * kTasks; ++i)
    tasks.emplace_back(40);
  for (std::size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < kTasks; ++i)
        if (Task& task = tasks[t * kTasks + i]; budget.admit(task)) run(&task);
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(ran, kThreads * kTasks);
  EXPECT_LE(most, 80);
  EXPECT_GE(most, 40);
}

TEST(Executor, HasAStackForLargeVariables) {
  Executor executor;
  ASSERT_TRUE(executor.hasStack());
  const std::size_t usual = executor.kernelStack()->size();
  ASSERT_TRUE(executor.hasStack(usual));
  EXPECT_GE(executor.kernelStack()->size(), usual + kMiB);
  std::memset(executor.kernelStack()->bottom(), 1, executor.kernelStack()->size());
  const std::byte* large = executor.kernelStack()->bottom();
  ASSERT_TRUE(executor.hasStack(64));
  EXPECT_EQ(executor.kernelStack()->bottom(), large);
  executor.shrink();
  ASSERT_TRUE(executor.hasStack(64));
  EXPECT_EQ(executor.kernelStack()->size(), usual);
  EXPECT_FALSE(executor.hasStack(SIZE_MAX / 2));
}

} // namespace
} // namespace clotho::cpu
