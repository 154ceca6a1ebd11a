// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/summary.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace clotho::trace {

namespace {

TEST(IntervalUnion, CountsOverlapsOnce) {
  IntervalUnion intervals;
  intervals.add(0, 10);
  intervals.add(5, 15);
  intervals.add(20, 30);
  intervals.add(20, 25);
  EXPECT_EQ(intervals.covered(), 25u);
  EXPECT_EQ(intervals.span(), 30u);
  intervals.add(0, 30); // a long one that ends last
  EXPECT_EQ(intervals.covered(), 30u);
}

TEST(IntervalUnion, AgreesWithCounting) {
  std::mt19937 random(1);
  IntervalUnion intervals;
  std::vector<bool> covered(2000);
  for (int i = 0; i < 300; ++i) {
    const unsigned begin = random() % 1900, end = begin + random() % 20;
    intervals.add(begin, end);
    for (unsigned at = begin; at < end; ++at)
      covered[at] = true;
  }
  EXPECT_EQ(intervals.covered(), static_cast<std::uint64_t>(std::count(covered.begin(), covered.end(), true)));
}

TEST(IntervalUnion, ForgetsWhatIsLongAgo) {
  IntervalUnion intervals;
  for (std::uint64_t i = 0; i < 100'000; ++i)
    intervals.add(10 * i, 10 * i + 4);
  EXPECT_EQ(intervals.covered(), 400'000u);
  EXPECT_EQ(intervals.span(), 10u * 99'999 + 4);
}

CommandRun launch(std::uint64_t begin, std::uint64_t end, float flops, float bytes) {
  return {.started = begin + 1, .ended = end + 1, .amount = 1, .flops = flops, .bytes = bytes, .isLaunch = true};
}

TEST(Summary, RatesAreOfCallsThatAreCounted) {
  Summary summary;
  Summary::addCommand(summary.row("k"), summary.queue("queue 1"), launch(0, 1000, 2000, 4000));
  Summary::addCommand(summary.row("k"), summary.queue("queue 1"), launch(3000, 4000, -1, -1));
  const Summary::Row& row = summary.rows().find("k")->second;
  EXPECT_EQ(row.calls, 2u);
  EXPECT_EQ(row.time, 2000u);
  EXPECT_DOUBLE_EQ(row.gflops(), 2);
  EXPECT_DOUBLE_EQ(row.gigabytes(), 4);
}

TEST(Summary, TellsTheLongestFirstAndIdleTime) {
  Summary summary;
  Summary::addCommand(summary.row("short"), summary.queue("queue 1"), launch(0, 1000, -1, -1));
  Summary::addCommand(summary.row("long"), summary.queue("queue 1"), launch(3000, 6000, -1, 6000));
  const std::string text = summary.text();
  EXPECT_LT(text.find("long"), text.find("short")) << text;
  EXPECT_NE(text.find("75.0%"), std::string::npos) << text; // of the time
  EXPECT_NE(text.find("33.3%"), std::string::npos) << text; // idle
}

TEST(Summary, FailedCommandsAreCounted) {
  Summary summary;
  CommandRun failed = launch(0, 1000, 5000, 5000);
  failed.status = -5;
  Summary::addCommand(summary.row("k"), summary.queue("queue 1"), failed);
  EXPECT_NE(summary.text().find("1 failed"), std::string::npos) << summary.text();
  EXPECT_LT(summary.rows().find("k")->second.gflops(), 0);
}

} // namespace

} // namespace clotho::trace
