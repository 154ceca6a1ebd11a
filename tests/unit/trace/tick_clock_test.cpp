// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/tick_clock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace clotho::trace {

namespace {

class TickClockTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!TickClock::isUsable()) GTEST_SKIP() << "the system does not take the processor's ticks for a clock";
    stampsAreTicks = true;
  }
  void TearDown() override { stampsAreTicks = false; }
};

TEST(HostStampTest, AreKept) {
  const TickClock clock;
  EXPECT_EQ(clock.nsOf(12'345), 12'345u);
  const std::uint64_t before = hostTime(), stamp = stampNow(), after = hostTime();
  EXPECT_LE(before, stamp);
  EXPECT_LE(stamp, after);
}

TEST_F(TickClockTest, AgreesWithTheHostsClock) {
  TickClock clock;
  struct Reading {
    std::uint64_t before, stamp, after;
  };
  std::vector<Reading> readings;
  for (int i = 0; i < 50; ++i) {
    const std::uint64_t before = hostTime(), stamp = stampNow(), after = hostTime();
    readings.push_back({before, stamp, after});
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    if (i % 10 == 9) clock.sample();
  }
  for (const Reading& each : readings) {
    constexpr std::uint64_t kError = 1000;
    const std::uint64_t ns = clock.nsOf(each.stamp);
    EXPECT_GE(ns + kError, each.before);
    EXPECT_LE(ns, each.after + kError);
    EXPECT_LE(ns, clock.last());
  }
}

/// Both ends of an arrow are written at different times.
TEST_F(TickClockTest, AStampHasOneTime) {
  TickClock clock;
  std::vector<std::uint64_t> stamps;
  for (int i = 0; i < 1000; ++i)
    stamps.push_back(stampNow());
  clock.sample();
  std::vector<std::uint64_t> times;
  for (const std::uint64_t stamp : stamps)
    times.push_back(clock.nsOf(stamp));
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  for (int i = 0; i < 100; ++i)
    clock.sample();
  for (std::size_t i = stamps.size(); i-- > 0;)
    EXPECT_EQ(clock.nsOf(stamps[i]), times[i]);
}

TEST_F(TickClockTest, LaterStampsAreAboveTheLastSample) {
  TickClock clock;
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  clock.sample();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_GT(clock.nsOf(stampNow()), clock.last());
}

TEST_F(TickClockTest, ForgetsOldSamples) {
  TickClock clock;
  const std::uint64_t stamp = stampNow(), before = hostTime();
  for (int i = 0; i < (1 << 16) + 10; ++i)
    clock.sample();
  EXPECT_NEAR(static_cast<double>(clock.nsOf(stamp)), static_cast<double>(before), 1e6); // the oldest line, continued
  EXPECT_GT(clock.nsOf(stampNow()) + 1'000'000, clock.last());
}

} // namespace

} // namespace clotho::trace
