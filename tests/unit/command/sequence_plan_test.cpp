// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How recorded commands become sequences.
#include "command/replay.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>

namespace clotho::test {

namespace {

using Places = std::vector<RecordedPlace>;

std::vector<std::uint32_t> counts(const SequencePlan& plan) {
  std::vector<std::uint32_t> all;
  for (const SequencePlan::Step& step : plan.steps())
    all.push_back(step.count);
  return all;
}

TEST(SequencePlan, NothingIsNoStep) { EXPECT_TRUE(SequencePlan({}).steps().empty()); }

TEST(SequencePlan, AChainIsOneStep) {
  Places chain(1000);
  for (std::uint32_t i = 1; i < chain.size(); ++i)
    chain[i].after = {i - 1};
  const SequencePlan plan(chain);
  EXPECT_EQ(counts(plan), std::vector<std::uint32_t>{1000});
  for (std::uint32_t i = 0; i < chain.size(); ++i)
    EXPECT_EQ(plan.positionOf(i), i);
}

TEST(SequencePlan, ChainsThatAlternateAreTwoSteps) {
  Places both(20);
  for (std::uint32_t i = 2; i < both.size(); ++i)
    both[i].after = {i - 2};
  const SequencePlan plan(both);
  EXPECT_EQ(counts(plan), (std::vector<std::uint32_t>{10, 10}));
  EXPECT_TRUE(plan.steps()[0].after.empty() && plan.steps()[1].after.empty());
  EXPECT_EQ(plan.positionOf(2), 1u);
  EXPECT_EQ(plan.positionOf(3), 11u);
}

TEST(SequencePlan, OtherLanesAndForksEndAStep) {
  EXPECT_EQ(counts(SequencePlan({{0, {}}, {1, {0}}, {1, {1}}})), (std::vector<std::uint32_t>{1, 2}));
  const SequencePlan diamond({{0, {}}, {0, {0}}, {0, {0}}, {0, {2, 1}}, {0, {3}}});
  EXPECT_EQ(counts(diamond), (std::vector<std::uint32_t>{1, 1, 1, 2}));
  EXPECT_EQ(diamond.steps()[3].after, (std::vector<std::uint32_t>{1, 2}));
}

/// For each command all that comes before it for certain, by the plan.
std::vector<std::set<std::uint32_t>> ordered(const SequencePlan& plan) {
  std::vector<std::set<std::uint32_t>> before(plan.commandCount()); // by position
  for (const SequencePlan::Step& step : plan.steps()) {
    std::set<std::uint32_t> known;
    for (const std::uint32_t each : step.after) {
      const SequencePlan::Step& other = plan.steps()[each];
      const std::uint32_t last = other.first + other.count - 1;
      known.insert(before[last].begin(), before[last].end());
      known.insert(last);
    }
    for (std::uint32_t i = step.first; i < step.first + step.count; ++i) {
      before[i] = known;
      known.insert(i);
    }
  }
  return before;
}

TEST(SequencePlan, OfRandomGraphsKeepsTheOrderAndAddsNone) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Places places(2 + random() % 60);
    std::vector<std::set<std::uint32_t>> wanted(places.size());
    for (std::uint32_t i = 0; i < places.size(); ++i) {
      places[i].lane = random() % 3;
      std::set<std::uint32_t> after;
      while (i > 0 && random() % 3 != 0)
        after.insert(random() % 2 ? i - 1 : static_cast<std::uint32_t>(random() % i));
      places[i].after.assign(after.begin(), after.end());
      for (const std::uint32_t each : after) {
        wanted[i].insert(each);
        wanted[i].insert(wanted[each].begin(), wanted[each].end());
      }
    }
    const SequencePlan plan(places);
    const std::vector<std::set<std::uint32_t>> before = ordered(plan);
    std::uint32_t total = 0;
    for (const SequencePlan::Step& step : plan.steps())
      total += step.count;
    ASSERT_EQ(total, places.size());
    for (std::uint32_t i = 0; i < places.size(); ++i) {
      std::set<std::uint32_t> positions;
      for (const std::uint32_t each : wanted[i])
        positions.insert(plan.positionOf(each));
      ASSERT_EQ(before[plan.positionOf(i)], positions) << "command " << i << " of round " << round;
    }
    for (const SequencePlan::Step& step : plan.steps())
      for (std::uint32_t i = 0; i < places.size(); ++i)
        if (plan.positionOf(i) - step.first < step.count) ASSERT_EQ(places[i].lane, step.lane);
  }
}

/// Counts how many there are.
struct Counted final : PreparedCommand {
  Counted(int& count, bool keeps) : count(count), keeps(keeps) { ++count; }
  ~Counted() override { --count; }
  bool keepsCommands() const noexcept override { return keeps; }
  int& count;
  const bool keeps;
};

TEST(SequencePlan, WhatKeepsAReplacedCommandGoes) {
  int count = 0;
  const SequencePlan plan(Places{{0, {}}, {0, {0}}, {1, {}}, {0, {1}}, {0, {2}}});
  ASSERT_EQ(plan.steps().size(), 3u);
  for (const bool keeps : {true, false}) {
    for (const SequencePlan::Step& step : plan.steps()) {
      MutexLock lock(step.prepared->mutex);
      step.prepared->prepared = std::make_unique<Counted>(count, keeps);
    }
    plan.forgetPrepared(3); // of the first sequence
    EXPECT_EQ(count, keeps ? 2 : 3);
    MutexLock lock(plan.steps()[0].prepared->mutex);
    EXPECT_EQ(plan.steps()[0].prepared->prepared == nullptr, keeps);
  }
}

} // namespace

} // namespace clotho::test
