// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of two codes is found to be faster, where launches of each take what the test says.
#include "runtime/versions/code_trial.hpp"

#include "fake_kernel.hpp"

#include <gtest/gtest.h>
#include <random>

namespace clotho {

namespace {

class CodeTrialTest : public testing::Test {
 protected:
  /// So many launches, of which those of the tried code take so many times as long.
  CodeTrial::Result run(int launches, double times, double noise = 0.1) {
    std::lognormal_distribution<double> random(0, noise);
    for (int i = 0; i < launches; ++i) {
      const bool isTried = &trial_.next() == &tried_;
      (isTried ? tried_ : usual_).add(0.01 * (isTried ? times : 1) * random(engine_));
      ++(isTried ? ofTried_ : ofUsual_);
    }
    return trial_.result();
  }

  const BuiltKernel built_ = builtFor(8);
  FakeKernel usual_{built_}, tried_{built_};
  CodeTrial trial_; // ends before what it measures
  std::mt19937 engine_{5};
  int ofTried_ = 0, ofUsual_ = 0;
};

TEST_F(CodeTrialTest, BothRunByChance) {
  ASSERT_TRUE(trial_.begin(usual_, tried_));
  run(1000, 1);
  EXPECT_GT(ofTried_, 400);
  EXPECT_GT(ofUsual_, 400);
}

TEST_F(CodeTrialTest, SaysHowManyTimesAsFast) {
  ASSERT_TRUE(trial_.begin(usual_, tried_));
  const CodeTrial::Result result = run(200, 0.8);
  EXPECT_NEAR(result.gain, std::log2(1 / 0.8), 0.1);
  EXPECT_GT(result.gain, result.error);
  EXPECT_TRUE(result.hasEnough());
  EXPECT_FALSE(result.isTriumph());
  EXPECT_FALSE(result.isDisaster());
}

TEST_F(CodeTrialTest, NothingIsSaidOfTheSame) {
  ASSERT_TRUE(trial_.begin(usual_, tried_));
  const CodeTrial::Result result = run(400, 1, 0.5);
  EXPECT_LT(std::abs(result.gain), result.error);
}

TEST_F(CodeTrialTest, FewLaunchesAreEnoughForMuch) {
  ASSERT_TRUE(trial_.begin(usual_, tried_));
  EXPECT_FALSE(trial_.result().isTriumph()) << "before there are any";
  EXPECT_TRUE(run(16, 0.2).isTriumph());
  trial_.end();
  ASSERT_TRUE(trial_.begin(usual_, tried_));
  EXPECT_TRUE(run(16, 9).isDisaster());
  EXPECT_FALSE(trial_.result().isTriumph());
}

// Launches fail, or are not of sizes that the code takes.
TEST_F(CodeTrialTest, GoesOnWhereSomeLeaveNoSample) {
  ASSERT_TRUE(trial_.begin(usual_, tried_));
  for (int i = 0; i < 20; ++i)
    if (&trial_.next() != &tried_) usual_.add(0.01);
  const CodeTrial::Result result = run(4000, 0.8);
  EXPECT_TRUE(result.hasEnough());
  EXPECT_NEAR(result.gain, std::log2(1 / 0.8), 0.1);
}

// Launches may be enqueued long before they run.
TEST_F(CodeTrialTest, FewAreUnderWayOfWhatIsNotKnown) {
  ASSERT_TRUE(trial_.begin(usual_, tried_));
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(&trial_.next(), &usual_) << "of which nothing is known yet";
  for (int i = 0; i < 10; ++i)
    usual_.add(0.01);
  int taken = 0;
  for (int i = 0; i < 100; ++i)
    taken += &trial_.next() == &tried_ ? 1 : 0;
  EXPECT_EQ(taken, 2);
}

TEST_F(CodeTrialTest, NothingIsSaidOfWhatHasNotRun) {
  ASSERT_TRUE(trial_.begin(usual_, tried_));
  for (int i = 0; i < 20; ++i)
    usual_.add(0.01);
  EXPECT_EQ(trial_.result().figures(), TrialFigures());
  // The first launch of code finds nothing in the caches.
  tried_.add(0.01);
  EXPECT_EQ(trial_.result().figures(), TrialFigures());
  tried_.add(0.01);
  EXPECT_EQ(trial_.result().least, 1U);
}

TEST_F(CodeTrialTest, OneLaunchOfEachSaysNothing) {
  ASSERT_TRUE(trial_.begin(usual_, tried_));
  for (int i = 0; i < 2; ++i) {
    usual_.add(0.01);
    tried_.add(0.1);
  }
  ASSERT_EQ(trial_.result().least, 1U);
  EXPECT_FALSE(trial_.result().isDisaster());
}

/// Launches that differ among themselves say nothing of code after a few, whatever pattern of the application's they
/// follow. Others than the usual ones have few work-items, which cost more each, or a hundred times as much work.
TEST_F(CodeTrialTest, NothingIsSaidSoonOfLaunchesThatDiffer) {
  const auto run = [&](int period, int pattern, bool areSmall) {
    ASSERT_TRUE(trial_.begin(usual_, tried_));
    for (int i = 0; i < 60; ++i) {
      const bool isOther = (pattern & (1 << i % period)) != 0;
      const double items = isOther && areSmall ? 64 : 65536, each = !isOther ? 1 : areSmall ? 30 : 100;
      const bool isTried = &trial_.next() == &tried_;
      (isTried ? tried_ : usual_).add(1e-7 * items * each, items);
      const CodeTrial::Result now = trial_.result();
      EXPECT_FALSE(now.isTriumph() || now.isDisaster()) << period << ' ' << pattern << ' ' << areSmall << ' ' << i;
    }
    trial_.end();
  };
  for (const bool areSmall : {false, true})
    for (int period = 2; period <= 6; ++period)
      for (int pattern = 0; pattern < 1 << period; ++pattern)
        run(period, pattern, areSmall);
}

TEST_F(CodeTrialTest, CodeIsOnOneTrialAtATime) {
  FakeKernel other(built_);
  CodeTrial second;
  ASSERT_TRUE(trial_.begin(usual_, tried_));
  EXPECT_FALSE(second.begin(usual_, other));
  EXPECT_FALSE(second.isOn());
  trial_.end();
  EXPECT_FALSE(trial_.isOn());
  EXPECT_FALSE(usual_.isMeasured());
  EXPECT_FALSE(tried_.isMeasured());
  EXPECT_TRUE(second.begin(usual_, other));
}

TEST_F(CodeTrialTest, EndsByItself) {
  ASSERT_TRUE(trial_.begin(usual_, tried_));
  EXPECT_FALSE(run(100, 1).isLong);
  EXPECT_TRUE(run(2000, 1).isLong);
}

} // namespace

} // namespace clotho
