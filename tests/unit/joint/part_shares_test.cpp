// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of parts by measured speed.
#include "device/joint/part_shares.hpp"

#include <gtest/gtest.h>

#include <array>

namespace clotho::joint {
namespace {

constexpr double kItems = 1'000'000;

/// A launch whose members do so many work-items a ns, with the shares of now. Whether they have changed.
bool launch(PartShares& shares, const std::vector<double>& speeds) {
  const std::vector<double> now = shares.shares();
  std::vector<PartTime> parts;
  for (std::size_t i = 0; i < speeds.size(); ++i)
    if (now[i] > 0) parts.push_back({i, now[i] * kItems, now[i] * kItems / speeds[i]});
  return shares.note(parts);
}

TEST(PartSharesTest, AreThoseOfComputeUnitsAtFirst) {
  EXPECT_EQ(PartShares({1, 3}).shares(), (std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(PartShares({0, 2, 2}).shares(), (std::vector<double>{0, 0.5, 0.5}));
}

TEST(PartSharesTest, FollowTheSpeedOfMembers) {
  PartShares shares({1, 1});
  for (int i = 0; i < 40; ++i)
    launch(shares, {3, 1});
  EXPECT_NEAR(shares.shares()[0], 0.75, 0.05);
  for (int i = 0; i < 60; ++i)
    launch(shares, {1, 1});
  EXPECT_NEAR(shares.shares()[0], 0.5, 0.06);
}

TEST(PartSharesTest, LeaveSomethingToSlowMembers) {
  PartShares shares({1, 1});
  for (int i = 0; i < 40; ++i)
    launch(shares, {1, 0.001});
  EXPECT_NEAR(shares.shares()[1], 1.0 / 32, 0.002);
  for (int i = 0; i < 60; ++i)
    launch(shares, {1, 1});
  EXPECT_NEAR(shares.shares()[1], 0.5, 0.06);
}

TEST(PartSharesTest, FollowTheSpeedOfManyMembers) {
  constexpr std::size_t kMembers = 40;
  PartShares shares(std::vector<double>(kMembers, 1));
  std::vector<double> speeds(kMembers, 1);
  speeds[7] = 0.5;
  for (int i = 0; i < 40; ++i)
    launch(shares, speeds);
  EXPECT_NEAR(shares.shares()[7] / shares.shares()[8], 0.5, 0.05);
}

TEST(PartSharesTest, TellWhenTheyChange) {
  PartShares shares({1, 1});
  int changes = 0;
  for (int i = 0; i < 40; ++i)
    changes += launch(shares, {1, 1}) ? 1 : 0;
  EXPECT_EQ(changes, 0);
  for (int i = 0; i < 40; ++i)
    changes += launch(shares, {1, 0.001}) ? 1 : 0;
  EXPECT_GE(changes, 1);
  EXPECT_LE(changes, 8) << "a share is the least that there is";
}

TEST(PartSharesTest, DoNotFollowWhatOtherWorkCosts) {
  constexpr std::size_t kMembers = 16;
  PartShares shares(std::vector<double>(kMembers, 1));
  std::vector<double> speeds(kMembers);
  std::uint32_t random = 1;
  int changes = 0;
  for (int i = 0; i < 400; ++i) {
    for (double& speed : speeds) {
      random = random * 1664525 + 1013904223;
      speed = 0.75 + 0.5 * (random >> 8) / (1 << 24); // a quarter more or less
    }
    changes += launch(shares, speeds) ? 1 : 0;
  }
  EXPECT_EQ(changes, 0);
}

TEST(PartSharesTest, DoNotFollowSmallDifferences) {
  PartShares shares({1, 1});
  for (int i = 0; i < 40; ++i)
    launch(shares, {1, i % 2 == 0 ? 1.2 : 0.85});
  EXPECT_EQ(shares.shares(), (std::vector<double>{0.5, 0.5}));
}

TEST(PartSharesTest, DoNotFollowSingleLaunches) {
  PartShares shares({1, 1});
  for (int i = 0; i < 40; ++i)
    launch(shares, {1, i % 3 == 0 ? 0.2 : 1});
  EXPECT_EQ(shares.shares(), (std::vector<double>{0.5, 0.5}));
}

TEST(PartSharesTest, DoNotFollowShortParts) {
  PartShares shares({1, 1});
  for (int i = 0; i < 40; ++i)
    shares.note(std::array{PartTime{0, 100, 1000}, PartTime{1, 100, 9000}});
  EXPECT_EQ(shares.shares(), (std::vector<double>{0.5, 0.5}));
}

} // namespace
} // namespace clotho::joint
