// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "precision/quad.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace precision {
namespace {

const Function& named(std::string_view name) {
  for (const Function& function : functions())
    if (function.name == name) return function;
  throw std::runtime_error("no such function");
}

TEST(Quad, KnowsHowFarTheNearestDoubleIs) {
  // e is 2.71828182845904523536..., the nearest double 2.71828182845904509080...
  EXPECT_NEAR(errorInQuad(named("exp"), {1, 0, 0, 0}, 0x1.5bf0a8b145769p+1).value(), 0.325534, 1e-5);
  EXPECT_NEAR(errorInQuad(named("exp"), {1, 0, 0, 0}, 0x1.5bf0a8b14576ap+1).value(), 0.674466, 1e-5);
  // A third of pi is 0x1.0c152382d7365846...
  EXPECT_NEAR(errorInQuad(named("acos"), {0.5, 0, 0, 0}, 0x1.0c152382d7366p+0).value(), 0.4833, 1e-3);
}

TEST(Quad, HalfTurnsHaveTheirSigns) {
  for (double x : {0.25, 0.75, 1.25, 1.75, -0.25, -0.75, 4503599627370495.5, 2251799813685247.75}) {
    const double turn = std::fmod(x, 2.0) * 3.14159265358979323846;
    if (std::fabs(std::sin(turn)) > 1e-9)
      EXPECT_LT(errorInQuad(named("sinpi"), {x, 0, 0, 0}, std::sin(turn)).value(), 4) << x;
    if (std::fabs(std::cos(turn)) > 1e-9)
      EXPECT_LT(errorInQuad(named("cospi"), {x, 0, 0, 0}, std::cos(turn)).value(), 4) << x;
    if (std::fabs(std::sin(2 * turn)) > 1e-9)
      EXPECT_LT(errorInQuad(named("tanpi"), {x, 0, 0, 0}, std::tan(turn)).value(), 8) << x;
  }
}

TEST(Quad, RootsAndPowers) {
  EXPECT_EQ(errorInQuad(named("rootn"), {-27, 0, 0, 3}, -3.0).value(), 0);
  EXPECT_NEAR(errorInQuad(named("rootn"), {4, 0, 0, -2}, 0.5).value(), 0, 1e-12);
  EXPECT_EQ(errorInQuad(named("pow"), {-2, 3, 0, 0}, std::nextafter(-8.0, 0.0)).value(), 0.5); // half an ulp of 8
  EXPECT_EQ(errorInQuad(named("pown"), {2, 0, 0, -1074}, std::numeric_limits<double>::denorm_min()).value(), 0);
}

TEST(Quad, LeavesTheRestToTheReference) {
  EXPECT_FALSE(errorInQuad(named("floor"), {1.5, 0, 0, 0}, 1)); // exact anyway
  EXPECT_FALSE(errorInQuad(named("exp"), {1000, 0, 0, 0}, std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(errorInQuad(named("exp"), {1000, 0, 0, 0}, std::numeric_limits<double>::max()));
  EXPECT_FALSE(errorInQuad(named("sin"), {0, 0, 0, 0}, 0));
  EXPECT_FALSE(errorInQuad(named("log"), {-1, 0, 0, 0}, std::nan("")));
}

TEST(Quad, ConfirmsWhatOtherBitsHaveFound) {
  Result result;
  result.worst = 0.1;
  result.ulp = 0.3;
  result.values = {1, 0, 0, 0};
  result.got = 0x1.5bf0a8b145769p+1;
  confirm(named("exp"), result);
  EXPECT_NEAR(result.ulp, 0.325534, 1e-5);
  EXPECT_NEAR(result.worst, 0.325534 / 3, 1e-5);
}

} // namespace
} // namespace precision
