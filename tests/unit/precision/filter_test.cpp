// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "precision/filter.hpp"

#include "precision/error.hpp"
#include "precision/values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <string>

using namespace precision;

namespace {

constexpr float kInfinityOfFloat = std::numeric_limits<float>::infinity();

const Function& functionOf(std::string_view name) {
  const auto all = functions();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Function& f) { return f.name == name; });
  if (found == all.end()) throw std::runtime_error("no function " + std::string(name));
  return *found;
}

/// A block of arguments with made-up results.
struct Case {
  std::array<float, kBlock> x{}, y{}, z{}, results{};
  std::array<int, kBlock> k{};
  std::array<double, kBlock> references{};

  Values<float> at(std::size_t i) const { return {x[i], y[i], z[i], k[i]}; }
  Block block(const Function& function) const {
    const Arguments a = function.arguments;
    return {x.data(), a == Arguments::XY || a == Arguments::XYZ ? y.data() : nullptr,
            a == Arguments::XYZ ? z.data() : nullptr, a == Arguments::XK ? k.data() : nullptr, results.data()};
  }
};

std::array<std::uint8_t, kBlock> markOf(const Filter& filter, const Function& function, const Case& c, double worst) {
  PeerResults peers;
  std::array<std::uint8_t, kBlock> marked{};
  filter.compute(c.block(function), peers);
  if (!filter.mark(c.block(function), peers, worst, marked)) marked.fill(0);
  return marked;
}

std::string textOf(const Function& function, const Values<float>& v, float got, double wanted) {
  char text[256];
  std::snprintf(text, sizeof text, "%s(%a, %a, %a, %d): %a, not %a", std::string(function.name).c_str(), v.x, v.y, v.z,
                v.k, got, wanted);
  return text;
}

/// What a function may make of what it should give.
using Spoil = float (*)(double reference, double limit);

float moved(double reference, double ulps) {
  return static_cast<float>(reference + ulps * ulpAt<float>(std::isfinite(reference) ? reference : 0.0));
}

const Spoil kSpoils[] = {
    [](double reference, double) { return static_cast<float>(reference); },
    [](double reference, double) { return moved(reference, 0.75); },
    [](double reference, double limit) { return moved(reference, limit * 0.5); },
    [](double reference, double limit) { return moved(reference, -limit - 1); },
    [](double reference, double limit) { return moved(reference, limit + 1); },
    [](double reference, double) { return -static_cast<float>(reference); },
    [](double, double) { return std::numeric_limits<float>::quiet_NaN(); },
    [](double, double) { return kInfinityOfFloat; },
    [](double, double) { return -kInfinityOfFloat; },
    [](double, double) { return 0.0F; },
    [](double, double) { return -0.0F; },
    [](double, double) { return 1.0F; },
    [](double, double) { return std::numeric_limits<float>::denorm_min(); },
};

/// Arguments that are special, and others from all of what a function is given.
void eachCase(const Function& function, const std::function<void(Case&)>& use) {
  constexpr std::uint64_t kStride = 262147, kSamples = kStride << 14;
  const ArgumentList<float> list(function, kSamples, kStride);
  for (std::uint64_t first = 0; first < list.size(); first += kBlock) {
    Case c;
    // So that the last block is whole.
    const std::uint64_t begin = std::min(first, list.size() - std::min<std::uint64_t>(list.size(), kBlock));
    list.fill(begin, kBlock, c.x.data(), c.y.data(), c.z.data(), c.k.data());
    for (std::size_t i = 0; i < kBlock; ++i)
      c.references[i] = function.forFloat(c.x[i], c.y[i], c.z[i], c.k[i]);
    use(c);
  }
}

void expectNoneLost(const Filter& filter, const Function& function, bool relaxed, const Case& c, double worst) {
  const auto marked = markOf(filter, function, c, worst);
  for (std::size_t i = 0; i < kBlock; ++i) {
    if (marked[i] != 0) continue;
    const Error error = errorOf(function, relaxed, c.at(i), c.results[i], c.references[i]);
    const bool isNews = error.ulp > error.allowed || shareOf(error, function.limits[0]) > worst;
    ASSERT_FALSE(isNews) << textOf(function, c.at(i), c.results[i], c.references[i]) << " is lost at " << worst;
  }
}

class Filters : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!Filter(functionOf("sin"), false, GetParam()).isThere()) GTEST_SKIP() << "no SLEEF, or none for this CPU";
  }
};

TEST_P(Filters, LoseNothingThatIsNews) {
  for (const Function& function : functions())
    for (bool relaxed : {false, true}) {
      const Filter filter(function, relaxed, GetParam());
      if (!filter.isThere() || (relaxed && function.forDouble == nullptr)) continue;
      eachCase(function, [&](Case& c) {
        const double limit = function.limits[0] > 0 ? function.limits[0] : 1;
        for (Spoil spoil : kSpoils) {
          std::transform(c.references.begin(), c.references.end(), c.results.begin(),
                         [&](double reference) { return spoil(reference, limit); });
          for (double worst : {0.0, 0.3, 1.0})
            expectNoneLost(filter, function, relaxed, c, worst);
        }
      });
      if (HasFatalFailure()) return;
    }
}

TEST_P(Filters, HavePeersAsNearAsTheyClaim) {
  for (const Function& function : functions()) {
    const Filter filter(function, false, GetParam());
    if (!filter.isThere()) continue;
    eachCase(function, [&](const Case& c) {
      PeerResults peers;
      filter.compute(c.block(function), peers);
      for (std::size_t i = 0; i < kBlock; ++i) {
        const double wanted = c.references[i], got = peers.wanted[i];
        const bool isNumber = std::isfinite(wanted) && std::isfinite(got);
        if (isNumber)
          ASSERT_LE(std::fabs(got - wanted), kPeerError * std::fabs(wanted) + kVanishing)
              << textOf(function, c.at(i), static_cast<float>(got), wanted);
        else if (!std::isnan(got) && std::fabs(wanted) < 0x1p129)
          ASSERT_EQ(got, wanted) << textOf(function, c.at(i), static_cast<float>(got), wanted);
        if (c.x[i] < filter.peer()->nanBelow || c.x[i] > filter.peer()->nanAbove)
          ASSERT_TRUE(std::isnan(wanted)) << textOf(function, c.at(i), static_cast<float>(got), wanted);
      }
    });
    if (HasFatalFailure()) return;
  }
}

/// Nearly all correctly rounded results are let through: else the filter would be of no use.
TEST_P(Filters, LetThroughWhatIsRight) {
  for (const Function& function : functions()) {
    const Filter filter(function, false, GetParam());
    if (!filter.isThere()) continue;
    std::size_t count = 0, suspicious = 0;
    eachCase(function, [&](Case& c) {
      std::transform(c.references.begin(), c.references.end(), c.results.begin(),
                     [](double reference) { return static_cast<float>(reference); });
      const auto marked = markOf(filter, function, c, 0.6);
      count += kBlock;
      suspicious += static_cast<std::size_t>(std::count(marked.begin(), marked.end(), 1));
    });
    // Special values are a large part of these arguments, and powers of negative numbers mostly none.
    EXPECT_LT(suspicious, count / 2) << function.name;
  }
}

bool isMarked(std::string_view name, bool isWide, float x, float result, double worst) {
  const Function& function = functionOf(name);
  Case c;
  c.x.fill(0.25F);
  const double reference = function.forFloat(0.25F, 0, 0, 0);
  c.results.fill(static_cast<float>(reference));
  // Beyond the first vectors, in no round place.
  c.x[517] = x;
  c.results[517] = result;
  const auto marked = markOf(Filter(function, false, isWide), function, c, worst);
  for (std::size_t i = 0; i < kBlock; ++i)
    if (i != 517) EXPECT_EQ(marked[i], 0) << name << " at " << i;
  return marked[517] != 0;
}

TEST_P(Filters, MarkWhatIsJustBeyondTheLimit) {
  const bool isWide = GetParam();
  const double sine = std::sin(1.25);
  EXPECT_TRUE(isMarked("sin", isWide, 1.25F, moved(sine, 4.6), 1));
  EXPECT_TRUE(isMarked("sin", isWide, 1.25F, moved(sine, -4.6), 1));
  EXPECT_FALSE(isMarked("sin", isWide, 1.25F, moved(sine, 3.4), 1));
  EXPECT_TRUE(isMarked("sin", isWide, 1.25F, moved(sine, 3.4), 0.5));
  EXPECT_TRUE(isMarked("floor", isWide, 1.25F, std::nextafter(1.0F, 2.0F), 1));
  EXPECT_TRUE(isMarked("exp", isWide, 88.0F, moved(std::exp(88.0), 3.6), 1));
}

TEST_P(Filters, MarkAnotherKindOfValue) {
  const bool isWide = GetParam();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(isMarked("sin", isWide, 1.25F, nan, 1));
  EXPECT_TRUE(isMarked("sin", isWide, 0.0F, -0.0F, 1));
  EXPECT_TRUE(isMarked("floor", isWide, -0.0F, 0.0F, 1));
  EXPECT_TRUE(isMarked("exp", isWide, -1e30F, -0.0F, 1));
  EXPECT_TRUE(isMarked("exp", isWide, 1e30F, std::numeric_limits<float>::max(), 1));
  EXPECT_TRUE(isMarked("exp", isWide, 1e30F, -kInfinityOfFloat, 1));
  EXPECT_TRUE(isMarked("log", isWide, -1.0F, 1.0F, 1));
  EXPECT_TRUE(isMarked("log", isWide, 1e-40F, nan, 1));
  EXPECT_TRUE(isMarked("tgamma", isWide, -300.5F, -0.0F, 1) != isMarked("tgamma", isWide, -300.5F, 0.0F, 1));
}

INSTANTIATE_TEST_SUITE_P(Widths, Filters, testing::Bool(),
                         [](const auto& instance) { return std::string(instance.param ? "wide" : "narrow"); });

} // namespace
