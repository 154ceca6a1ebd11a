// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/cpu_slots.hpp"
#include "device/cpu/work_ranges.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <thread>
#include <vector>

namespace clotho::cpu {
namespace {

TEST(WorkRanges, OneParticipantGetsEveryUnitOnce) {
  for (std::uint32_t units : {1u, 2u, 7u, 1000u}) {
    for (std::uint32_t slots : {1u, 3u, 16u}) {
      WorkRanges ranges;
      ranges.init(units, slots);
      std::vector<int> seen(units);
      while (auto chunk = ranges.claim(5, 1))
        for (std::uint32_t i = chunk.first; i < chunk.end; ++i)
          ++seen[i];
      EXPECT_EQ(seen, std::vector<int>(units, 1)) << units << " units, " << slots << " slots";
      EXPECT_TRUE(ranges.empty());
    }
  }
}

TEST(WorkRanges, OwnRangeComesFirstAndFromItsFront) {
  WorkRanges ranges;
  ranges.init(100, 4);
  auto chunk = ranges.claim(2, 1);
  EXPECT_EQ(chunk.first, 50u);
  EXPECT_EQ(chunk.end, 53u); // an eighth of 25
  EXPECT_EQ(ranges.claim(2, 10).size(), 10u);
}

TEST(WorkRanges, HalfOfARangeAtOnceWhereThatIsQuick) {
  WorkRanges ranges;
  ranges.init(100, 1);
  EXPECT_EQ(ranges.claim(0, 1, 30).size(), 30u);
  EXPECT_EQ(ranges.claim(0, 1, 60).size(), 35u); // half of 70
  EXPECT_EQ(ranges.claim(0, 1, 0).size(), 4u);
  EXPECT_EQ(ranges.claim(0, 20, 10).size(), 20u);
  EXPECT_EQ(ranges.claim(0, 20, 10).size(), 11u); // all that is left
}

TEST(WorkRanges, StealsHalfOfTheLargestRange) {
  WorkRanges ranges;
  ranges.init(64, 2);
  while (ranges.claim(0, 32).first < 32 && !ranges.empty()) {
    auto next = ranges.claim(0, 16);
    EXPECT_GE(next.first, 48u); // the upper half of the other's
    EXPECT_EQ(ranges.claim(1, 16).first, 32u);
    break;
  }
}

TEST(WorkRanges, LargestCountOfUnits) {
  WorkRanges ranges;
  ranges.init(WorkRanges::kMaxUnits, 16);
  std::uint64_t total = 0;
  while (auto chunk = ranges.claim(0, 1 << 20))
    total += chunk.size();
  EXPECT_EQ(total, WorkRanges::kMaxUnits);
}

TEST(WorkRanges, ManyThreadsGetEveryUnitOnce) {
  // More threads than slots, and chunks of uneven cost so that they steal.
  constexpr std::uint32_t kUnits = 20000, kThreads = 20;
  for (int round = 0; round < 20; ++round) {
    WorkRanges ranges;
    ranges.init(kUnits, kThreads);
    std::vector<std::atomic<int>> seen(kUnits);
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        while (auto chunk = ranges.claim(t, 1)) {
          for (std::uint32_t i = chunk.first; i < chunk.end; ++i)
            seen[i].fetch_add(1, std::memory_order_relaxed);
          if (t % 4 == 0) std::this_thread::yield();
        }
      });
    for (std::thread& thread : threads)
      thread.join();
    for (std::uint32_t i = 0; i < kUnits; ++i)
      ASSERT_EQ(seen[i].load(), 1) << i;
    EXPECT_TRUE(ranges.empty());
  }
}

TEST(CpuSlots, ProcessorsDivideTheSlots) {
  const CpuSlots two({3, 9}, 2);
  EXPECT_EQ(two.slotOf(3), 0u);
  EXPECT_EQ(two.slotOf(9), 1u);
  // Those that were not there are as good as their neighbours.
  EXPECT_EQ(two.slotOf(0), 0u);
  EXPECT_EQ(two.slotOf(5), 1u);
  EXPECT_EQ(two.slotOf(1000), 1u);

  CpuList many(64);
  std::iota(many.begin(), many.end(), 0U);
  const CpuSlots shared(many, 64);
  for (unsigned cpu = 0; cpu < 64; ++cpu)
    EXPECT_EQ(shared.slotOf(cpu), cpu / 4);
  const CpuSlots fewThreads(many, 4); // with a quota, say
  EXPECT_EQ(fewThreads.slotOf(15), 0u);
  EXPECT_EQ(fewThreads.slotOf(16), 1u);
  EXPECT_EQ(fewThreads.slotOf(63), 3u);

  const CpuSlots unknown({}, 2);
  EXPECT_LT(unknown.slotOf(77), 2u);
}

TEST(CpuSlots, AThreadHasThatOfItsProcessor) {
  const CpuList cpus = affinityCpus();
  const CpuSlots slots(cpus, static_cast<std::uint32_t>(cpus.size()));
  std::thread([&] {
    for (unsigned cpu : cpus) {
      CpuMask mask({cpu});
      ASSERT_EQ(sched_setaffinity(0, mask.size(), mask.get()), 0);
      EXPECT_EQ(slots.current(), slots.slotOf(cpu));
    }
  }).join();
}

} // namespace
} // namespace clotho::cpu
