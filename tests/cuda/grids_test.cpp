// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/grids.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>
#include <vector>

namespace clotho::cuda {
namespace {

std::uint32_t quotient(std::uint32_t x, const CudaDivisor& by) {
  return static_cast<std::uint32_t>(std::uint64_t{x} * by.multiplier >> by.shift);
}

TEST(GridsTest, DivisorsAreExactBelowTwoToThe31) {
  std::mt19937 random(1);
  std::vector<std::uint32_t> divisors{1,
                                      2,
                                      3,
                                      5,
                                      7,
                                      31,
                                      32,
                                      33,
                                      641,
                                      65535,
                                      65536,
                                      65537,
                                      (1U << 30) - 1,
                                      1U << 30,
                                      (1U << 30) + 1,
                                      (1U << 31) - 2,
                                      (1U << 31) - 1};
  for (int i = 0; i < 1000; ++i)
    divisors.push_back((random() & 0x7fff'ffff) >> random() % 31 | 1);
  for (const std::uint32_t divisor : divisors) {
    const CudaDivisor by = divisorOf(divisor);
    std::vector<std::uint32_t> numerators{0, 1, divisor - 1, divisor, (1U << 31) - 1};
    for (int i = 0; i < 100; ++i) {
      const std::uint32_t x = random() & 0x7fff'ffff;
      numerators.insert(numerators.end(), {x, x / divisor * divisor, x / divisor * divisor + divisor - 1});
    }
    for (const std::uint32_t x : numerators)
      if (x < 1U << 31) ASSERT_EQ(quotient(x, by), x / divisor) << x << " / " << divisor;
  }
}

using Group = std::array<std::uint64_t, 3>;

/// The local size of each work-group, as a kernel would find its id.
std::map<Group, std::array<std::uint32_t, 3>> groupsOf(const NDRange& range) {
  std::map<Group, std::array<std::uint32_t, 3>> found;
  forEachGrid(range, 0, 0, [&](const Grid& grid) {
    for (std::uint32_t index = 0; index < grid.groups; ++index) {
      const std::uint32_t row = quotient(index, grid.launch.groups[0]), z = quotient(row, grid.launch.groups[1]);
      const Group id{index - row * grid.launch.groups[0].divisor + grid.launch.firstGroup[0],
                     row - z * grid.launch.groups[1].divisor + grid.launch.firstGroup[1],
                     z + grid.launch.firstGroup[2]};
      EXPECT_TRUE(found.emplace(id, grid.local).second) << "twice";
    }
    return true;
  });
  return found;
}

TEST(GridsTest, EachWorkGroupRunsOnceWithItsSize) {
  const NDRange range{3, {1, 2, 3}, {70, 9, 5}, {32, 4, 2}};
  const auto groups = groupsOf(range);
  EXPECT_EQ(groups.size(), 3U * 3 * 3);
  for (const auto& [id, local] : groups)
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(local[i], std::min(range.local[i], range.global[i] - id[i] * range.local[i]));
}

TEST(GridsTest, UniformLaunchesAreOneGrid) {
  int grids = 0;
  forEachGrid({2, {0, 0, 0}, {64, 64, 1}, {16, 16, 1}}, 7, 48, [&](const Grid& grid) {
    ++grids;
    EXPECT_EQ(grid.groups, 16U);
    EXPECT_EQ(grid.launch.printf, 7U);
    EXPECT_EQ(grid.launch.workDim, 2U);
    EXPECT_EQ(grid.launch.numGroups[1], 4U);
    return true;
  });
  EXPECT_EQ(grids, 1);
}

TEST(GridsTest, HugeLaunchesAreSeveralGrids) {
  const std::array<NDRange, 3> ranges{NDRange{1, {0, 0, 0}, {std::uint64_t{5} << 32, 1, 1}, {2, 1, 1}},
                                      NDRange{2, {0, 0, 0}, {1 << 20, 1 << 20, 1}, {1, 1, 1}},
                                      NDRange{3, {0, 0, 0}, {3, std::uint64_t{1} << 31, 5}, {1, 1, 1}}};
  for (const NDRange& range : ranges) {
    std::uint64_t groups = 0;
    forEachGrid(range, 0, 0, [&](const Grid& grid) {
      EXPECT_LE(grid.groups, kMostGroups);
      groups += grid.groups;
      return true;
    });
    EXPECT_EQ(groups, range.groups(0) * range.groups(1) * range.groups(2));
  }
}

TEST(GridsTest, StopsWhereItIsTold) {
  int grids = 0;
  forEachGrid({1, {0, 0, 0}, {33, 1, 1}, {32, 1, 1}}, 0, 0, [&](const Grid&) { return ++grids < 1; });
  EXPECT_EQ(grids, 1);
}

} // namespace
} // namespace clotho::cuda
