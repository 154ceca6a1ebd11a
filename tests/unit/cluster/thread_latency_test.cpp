// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cluster/thread_latency.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace clotho::cluster {
namespace {

/// The slice of the calling thread in ns; 0 if the kernel does not say.
std::uint64_t sliceOfThread() {
  std::uint64_t attributes[6] = {}; // struct sched_attr, whose fourth word is the run time
  return syscall(SYS_sched_getattr, 0, attributes, sizeof attributes, 0) == 0 ? attributes[3] : 0;
}

TEST(ThreadLatencyTest, ShortSlicesAreThoseOfTheThread) {
  const std::uint64_t before = sliceOfThread();
  if (before == 0) GTEST_SKIP() << "this kernel has no slices of single threads";
  std::uint64_t inThread = 0, inItsThread = 0;
  std::thread([&] {
    takeShortSlices();
    inThread = sliceOfThread();
    std::thread([&] { inItsThread = sliceOfThread(); }).join();
  }).join();
  EXPECT_EQ(inThread, 100'000u);
  EXPECT_EQ(inItsThread, inThread);
  EXPECT_EQ(sliceOfThread(), before);
}

TEST(ThreadLatencyTest, PollsThatAreInVainBecomeRare) {
  PollHabit habit;
  EXPECT_TRUE(habit.isWorthwhile());
  habit.note(true);
  EXPECT_TRUE(habit.isWorthwhile());
  habit.note(false);
  int polls = 0;
  for (int i = 0; i < 160; ++i)
    if (habit.isWorthwhile()) {
      ++polls;
      habit.note(false);
    }
  EXPECT_EQ(polls, 10);
  while (!habit.isWorthwhile()) {
  }
  habit.note(true);
  EXPECT_TRUE(habit.isWorthwhile()) << "the first that is in time makes it worthwhile";
}

} // namespace
} // namespace clotho::cluster
