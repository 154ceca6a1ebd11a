// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/private_memory.hpp"

#include "device/cpu/executor.hpp"
#include "device/cpu/private_budget.hpp"
#include "device/cpu/topology.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

namespace clotho::cpu {
namespace {

constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * kKiB;

KernelInfo keeping(std::uint64_t bytes, std::uint32_t width) {
  KernelInfo kernel;
  kernel.privateBytes = bytes;
  kernel.subGroupSize = width;
  kernel.frameBytesPerItem = bytes * width;
  kernel.usesBarrier = true;
  return kernel;
}

TEST(PrivateMemory, IsOfAllSubGroupsOfAWorkGroup) {
  EXPECT_EQ(privateBytesOfGroup(KernelInfo(), {4096, 1, 1}), 0u);
  const KernelInfo one = keeping(256 * kKiB, 1), wide = keeping(kKiB, 16);
  EXPECT_EQ(privateBytesOfGroup(one, {4096, 1, 1}), 1024 * kMiB);
  EXPECT_EQ(privateBytesOfGroup(one, {16, 8, 2}), 64 * kMiB);
  EXPECT_EQ(privateBytesOfGroup(wide, {64, 1, 1}), 64 * kKiB);
  // Rows do not share a sub-group.
  EXPECT_EQ(privateBytesOfGroup(wide, {1, 64, 1}), kMiB);
  EXPECT_EQ(privateBytesOfGroup(wide, {17, 2, 1}), 64 * kKiB);
}

TEST(PrivateMemory, WithoutBarriersIsOfOneSubGroup) {
  KernelInfo kernel = keeping(16 * kMiB, 1);
  kernel.frameBytesPerItem = 0;
  EXPECT_EQ(privateStackBytes(kernel), 32 * kMiB);
  EXPECT_EQ(privateBytesOfGroup(kernel, {4096, 1, 1}), 32 * kMiB);
  EXPECT_EQ(privateStackBytes(keeping(16 * kMiB, 1)), 0u) << "what lives across barriers is not on the stack";
}

TEST(PrivateMemory, SubGroupsInTurnHaveAStackEach) {
  KernelInfo kernel = keeping(kKiB, 16);
  kernel.frameBytesPerItem = 0;
  kernel.subGroupStackBytes = 96 * kKiB;
  EXPECT_EQ(privateStackBytes(kernel), 0u);
  EXPECT_EQ(privateBytesOfGroup(kernel, {64, 1, 1}), 4 * 24 * kKiB);
  EXPECT_EQ(privateBytesOfGroup(kernel, {1, 64, 1}), 64 * 24 * kKiB);
  kernel.usesSubGroups = true; // which follow the linear id
  EXPECT_EQ(privateBytesOfGroup(kernel, {1, 64, 1}), 4 * 24 * kKiB);
}

TEST(PrivateMemory, LargestWorkGroupFits) {
  const KernelInfo kernel = keeping(256 * kKiB, 1);
  EXPECT_EQ(largestGroup(kernel, 1024 * kMiB, 4096), 4096u);
  EXPECT_EQ(largestGroup(kernel, 1024 * kMiB - 1, 4096), 2048u);
  EXPECT_EQ(largestGroup(kernel, 153 * kMiB, 4096), 512u);
  EXPECT_EQ(largestGroup(kernel, 256 * kKiB, 4096), 1u);
  EXPECT_EQ(largestGroup(kernel, 256 * kKiB - 1, 4096), 0u);
  EXPECT_EQ(largestGroup(KernelInfo(), 0, 4096), 4096u);
  EXPECT_EQ(largestGroup(keeping(UINT64_MAX / 2, 16), UINT64_MAX - 1, 4096), 0u) << "sums that do not fit";
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

TEST(PrivateBudget, DoesNotWaitForWhatThereIsNot) {
  PrivateBudget budget(100, 4);
  EXPECT_FALSE(budget.take(101));
  EXPECT_FALSE(budget.take(UINT64_MAX));
  EXPECT_TRUE(budget.take(100));
  budget.giveBack(100);
}

TEST(PrivateBudget, IsNeverExceeded) {
  PrivateBudget budget(100, 4);
  std::atomic<int> taken{0}, most{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        if (!budget.take(40)) ADD_FAILURE();
        const int now = taken += 40;
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
        }
        taken -= 40;
        budget.giveBack(40);
      }
    });
  for (std::thread& thread : threads)
    thread.join();
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
