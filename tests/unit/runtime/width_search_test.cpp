// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which width a kernel is run at after a while, where each costs what the test says.
#include "runtime/versions/width_search.hpp"

#include "fake_kernel.hpp"

#include <gtest/gtest.h>
#include <map>
#include <random>

namespace clotho {

namespace {

constexpr std::uint32_t kUsual = 8, kWidest = 64;

class WidthSearchTest : public testing::Test {
 protected:
  /// So many launches that take about 10 ms in code as good as the best. `cost`: of the widths there is code of.
  void run(int launches, const std::map<std::uint32_t, double>& cost, std::uint32_t base, double noise = 0.1) {
    std::lognormal_distribution<double> random(0, noise);
    for (int i = 0; i < launches; ++i) {
      if (const auto wanted = search_.wanted({&code(base)})) {
        asked_.push_back(wanted->width);
        search_.built(wanted->number, {cost.contains(wanted->width) ? &code(wanted->width) : nullptr}, 0.05);
      }
      auto& launched = static_cast<FakeKernel&>(const_cast<DeviceKernel&>(ask(code(base), true)));
      ++launches_[launched.limits().subGroupSize];
      launched.add(0.01 * cost.at(launched.limits().subGroupSize) * random(engine_));
    }
  }
  FakeKernel& code(std::uint32_t width) {
    auto& known = codes_[width];
    if (known == nullptr) {
      built_[width] = builtFor(width);
      built_[width].limits.widthToTry = widthToTry_;
      built_[width].limits.mayOnlyWiden = mayOnlyWiden_;
      known = std::make_unique<FakeKernel>(built_[width]);
    }
    return *known;
  }
  const DeviceKernel& ask(FakeKernel& base, bool mayTry) { return *search_.code({&base}, mayTry).kernel; }
  std::uint32_t best(std::uint32_t base) { return ask(code(base), false).limits().subGroupSize; }

  void startTrial() {
    (void)ask(code(8), true);
    code(8).add(1);
    const auto wanted = search_.wanted({&code(8)});
    ASSERT_TRUE(wanted);
    ASSERT_EQ(wanted->width, 16U);
    search_.built(wanted->number, {&code(16)}, 0.05);
  }

  std::uint32_t widthToTry_ = 0; // of code that is asked for from now on
  bool mayOnlyWiden_ = false;    // likewise
  std::map<std::uint32_t, BuiltKernel> built_;
  std::map<std::uint32_t, std::unique_ptr<FakeKernel>> codes_;
  WidthSearch search_{kUsual, kWidest}; // before what it measures
  std::mt19937 engine_{7};
  std::vector<std::uint32_t> asked_;
  std::map<std::uint32_t, int> launches_;
};

using Costs = std::map<std::uint32_t, double>;
using Widths = std::vector<std::uint32_t>;

TEST_F(WidthSearchTest, ShortProgramsBuildNothing) {
  run(20, {{8, 1}, {16, 0.1}}, 8);
  EXPECT_EQ(asked_, Widths());
  EXPECT_EQ(launches_[8], 20);
}

TEST_F(WidthSearchTest, LongBuildsWaitForMore) {
  search_.expect(0.1); // 100 launches take ten times as long
  run(90, {{8, 1}, {16, 0.1}}, 8, 0);
  EXPECT_EQ(asked_, Widths());
  run(20, {{8, 1}, {16, 0.1}}, 8, 0);
  EXPECT_EQ(asked_, Widths({16}));
}

TEST_F(WidthSearchTest, GoesUpWhileItPays) {
  const Costs cost = {{1, 9}, {4, 5}, {8, 1}, {16, 0.7}, {32, 0.5}, {64, 0.6}};
  run(2000, cost, 8);
  EXPECT_EQ(best(8), 32U);
  EXPECT_EQ(asked_, Widths({16, 32, 64}));
  EXPECT_GT(launches_[32], 1500);
}

TEST_F(WidthSearchTest, UpToTheWidest) {
  run(2000, {{8, 1}, {16, 0.7}, {32, 0.5}, {64, 0.3}}, 8);
  EXPECT_EQ(best(8), 64U);
}

TEST_F(WidthSearchTest, GoesDownWhereItPays) {
  run(2000, {{1, 2}, {4, 0.6}, {8, 1}, {16, 1.3}}, 8);
  EXPECT_EQ(best(8), 4U);
  EXPECT_EQ(asked_, Widths({16, 1, 4}));
}

TEST_F(WidthSearchTest, OneAfterTheOther) {
  run(2000, {{1, 0.5}, {4, 1.2}, {8, 1}, {16, 1.3}}, 8);
  EXPECT_EQ(best(8), 1U);
  EXPECT_EQ(asked_, Widths({16, 1}));
}

TEST_F(WidthSearchTest, OneAfterTheOtherFirstWhereItMayBeFaster) {
  widthToTry_ = 1;
  run(2000, {{1, 0.4}, {4, 2}, {8, 1}, {16, 3}}, 8);
  EXPECT_EQ(best(8), 1U);
  EXPECT_EQ(asked_, Widths({1, 16}));
}

/// As where so many lanes are a row of a sparse matrix, and fewer go through several of different lengths.
TEST_F(WidthSearchTest, WiderWhereOneAfterTheOtherWasBetterThanUsual) {
  widthToTry_ = 1;
  run(3000, {{1, 0.8}, {4, 2}, {8, 1}, {16, 0.6}, {32, 0.4}, {64, 0.5}}, 8);
  EXPECT_EQ(best(8), 32U);
  EXPECT_EQ(asked_, Widths({1, 16, 32, 64}));
}

TEST_F(WidthSearchTest, WhatGoesInStepBecomesWiderOnly) {
  mayOnlyWiden_ = true;
  run(3000, {{1, 0.2}, {4, 0.5}, {8, 1}, {16, 0.8}, {32, 1.1}}, 8);
  EXPECT_EQ(best(8), 16U);
  EXPECT_EQ(asked_, Widths({16, 32}));
}

TEST_F(WidthSearchTest, WhatGoesInStepIsNotTriedOneAfterTheOther) {
  mayOnlyWiden_ = true;
  widthToTry_ = 1;
  run(3000, {{1, 0.2}, {4, 0.5}, {8, 1}, {16, 1.3}}, 8);
  EXPECT_EQ(best(8), 8U);
  EXPECT_EQ(asked_, Widths({16}));
}

TEST_F(WidthSearchTest, WidthsWhereItIsNotFasterAfterAll) {
  widthToTry_ = 1;
  run(3000, {{1, 1.4}, {4, 2}, {8, 1}, {16, 0.6}, {32, 2}}, 8);
  EXPECT_EQ(best(8), 16U);
  EXPECT_EQ(asked_, Widths({1, 16, 32}));
}

TEST_F(WidthSearchTest, ScalarCodeMayBecomeVectors) {
  run(2000, {{1, 1}, {8, 0.5}, {16, 0.7}}, 1);
  EXPECT_EQ(best(1), 8U);
  EXPECT_EQ(asked_, Widths({8, 16}));
}

TEST_F(WidthSearchTest, FullVectorsBecomeTwo) {
  widthToTry_ = 2;
  run(3000, {{1, 1}, {2, 0.7}, {4, 0.5}, {8, 0.8}}, 1);
  EXPECT_EQ(best(1), 4U);
  EXPECT_EQ(asked_, Widths({2, 4, 8}));
}

TEST_F(WidthSearchTest, StaysWhereNothingIsFaster) {
  run(3000, {{1, 3}, {4, 1.5}, {8, 1}, {16, 0.97}}, 8, 0.03);
  EXPECT_EQ(best(8), 8U) << "what is hardly faster is not worth the change";
  EXPECT_EQ(asked_, Widths({16, 1, 4}));
  EXPECT_FALSE(code(8).isMeasured() || code(16).isMeasured());
}

/// Launches of which some take a hundred times as long as others.
TEST_F(WidthSearchTest, IsNotMisledByNoise) {
  run(4000, {{1, 3}, {4, 1.4}, {8, 1}, {16, 1.1}}, 8, 1.5);
  EXPECT_EQ(best(8), 8U);
}

TEST_F(WidthSearchTest, GoesOnWhereThereIsNoSuchCode) {
  run(2000, {{1, 0.5}, {8, 1}}, 8);
  EXPECT_EQ(asked_, Widths({16, 1}));
  EXPECT_EQ(best(8), 1U);
}

/// A version of the kernel was built meanwhile: what is known is not of that.
TEST_F(WidthSearchTest, AnotherBaseBeginsAnew) {
  run(2000, {{8, 1}, {16, 0.5}, {32, 0.8}}, 8);
  EXPECT_EQ(best(8), 16U);
  BuiltKernel built = builtFor(8);
  FakeKernel version(built);
  EXPECT_EQ(&ask(version, true), &version);
  EXPECT_FALSE(search_.wanted({&version}));
  version.add(0.3);
  const auto wanted = search_.wanted({&version});
  ASSERT_TRUE(wanted);
  EXPECT_EQ(wanted->width, 16U);
  EXPECT_FALSE(search_.wanted({&version})) << "is asked for once";
  // It comes when that is no longer what is run, and when something else is being built.
  EXPECT_EQ(&ask(code(8), true), &code(8));
  code(8).add(1);
  const auto other = search_.wanted({&code(8)});
  ASSERT_TRUE(other);
  search_.built(wanted->number, {&code(32)}, 0.05);
  EXPECT_FALSE(code(32).isMeasured());
  search_.built(other->number, {&code(16)}, 0.05);
  EXPECT_TRUE(code(16).isMeasured() && code(8).isMeasured());
  // A trial that is broken off measures no more.
  EXPECT_EQ(&ask(version, true), &version);
  EXPECT_FALSE(code(16).isMeasured() || code(8).isMeasured());
}

/// Who cannot change from launch to launch gets what is best.
TEST_F(WidthSearchTest, WhoMayNotTryIsNotOnTrial) {
  startTrial();
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(&ask(code(8), false), &code(8));
}

/// Launches that are enqueued long before they run seldom use code that is not measured yet.
TEST_F(WidthSearchTest, IsNotFarAheadOfWhatIsKnown) {
  startTrial();
  for (int i = 0; i < 10; ++i)
    code(8).add(0.01);
  int tried = 0;
  for (int i = 0; i < 1000; ++i)
    tried += &ask(code(8), true) == &code(16) ? 1 : 0;
  EXPECT_EQ(tried, 2);
  for (int i = 0; i < 3; ++i)
    code(16).add(0.05);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(&ask(code(8), true), &code(8)) << "few that take five times as long are enough";
  EXPECT_FALSE(code(16).isMeasured());
}

/// The general code is the base of several searches: one at a time measures it.
TEST_F(WidthSearchTest, OthersMayMeasureTheSame) {
  WidthSearch other(kUsual, kWidest);
  int owner = 0;
  ASSERT_TRUE(code(8).measure(&owner));
  int asked = 0;
  for (int i = 0; i < 100; ++i) {
    (void)ask(code(8), true);
    code(8).add(0.05);
    if (const auto wanted = search_.wanted({&code(8)})) {
      ++asked;
      search_.built(wanted->number, {&code(wanted->width)}, 0.01);
      EXPECT_FALSE(code(wanted->width).isMeasured());
    }
  }
  EXPECT_EQ(asked, 4) << "and does not try for ever";
}

/// Code that has lost is let go of when no launch runs it any more.
TEST_F(WidthSearchTest, WhatLosesIsLetGo) {
  struct FakeProgram final : DeviceProgram {
    const DeviceKernel* kernel(std::string_view) const noexcept override { return nullptr; }
  };
  (void)ask(code(8), true);
  code(8).add(1);
  const auto wanted = search_.wanted({&code(8)});
  ASSERT_TRUE(wanted);
  auto program = std::make_shared<FakeProgram>();
  const std::weak_ptr<FakeProgram> there = program;
  search_.built(wanted->number, {&code(16), std::move(program)}, 0.05);
  for (int i = 0; i < 10; ++i)
    code(8).add(0.01);
  LoadedCode launch;
  for (int i = 0; i < 100 && launch.kernel != &code(16); ++i)
    launch = search_.code({&code(8)}, true);
  ASSERT_EQ(launch.kernel, &code(16));
  for (int i = 0; i < 3; ++i)
    code(16).add(0.05);
  EXPECT_EQ(&ask(code(8), true), &code(8));
  EXPECT_FALSE(there.expired());
  launch = {};
  EXPECT_TRUE(there.expired());
}

/// Work-items alone may take so long that even a few such launches are too many.
TEST_F(WidthSearchTest, LongLaunchesDoNotTryWorkItemsAlone) {
  (void)ask(code(8), true);
  code(8).add(1);
  run(400, {{1, 10}, {4, 1.2}, {8, 3}, {16, 3.3}}, 8);
  EXPECT_EQ(asked_, Widths({16, 4}));
}

} // namespace

} // namespace clotho
