// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/grids.hpp"

#include <gtest/gtest.h>

#include <map>
#include <tuple>
#include <vector>

namespace clotho::cuda {
namespace {

using Group = std::array<std::uint64_t, 3>;

/// The local size of each work-group, as a kernel would find its id.
std::map<Group, std::array<std::uint32_t, 3>> groupsOf(const NDRange& range) {
  std::map<Group, std::array<std::uint32_t, 3>> found;
  forEachGrid(range, 0, 0, 0, [&](const Grid& grid) {
    for (std::uint32_t z = 0; z < grid.groups[2]; ++z)
      for (std::uint32_t y = 0; y < grid.groups[1]; ++y)
        for (std::uint32_t x = 0; x < grid.groups[0]; ++x) {
          const Group place{x, y, z};
          Group id{};
          for (std::size_t i = 0; i < 3; ++i) {
            id[i] = place[i] + grid.launch.firstGroup[i];
            EXPECT_EQ(grid.launch.firstItem[i] + place[i] * range.local[i], range.offset[i] + id[i] * range.local[i]);
          }
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
  forEachGrid({2, {0, 0, 0}, {64, 64, 1}, {16, 16, 1}}, 7, 9, 48, [&](const Grid& grid) {
    ++grids;
    EXPECT_EQ(grid.groups, (std::array<std::uint32_t, 3>{4, 4, 1}));
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
                                      NDRange{3, {0, 0, 0}, {3, 1 << 20, 1 << 17}, {1, 1, 1}}};
  for (const NDRange& range : ranges) {
    std::uint64_t groups = 0;
    forEachGrid(range, 0, 0, 0, [&](const Grid& grid) {
      std::uint64_t ofGrid = 1;
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_LE(grid.groups[i], kMostGroups[i]);
        ofGrid *= grid.groups[i];
      }
      groups += ofGrid;
      return true;
    });
    EXPECT_EQ(groups, range.groups(0) * range.groups(1) * range.groups(2));
  }
}

TEST(GridsTest, StopsWhereItIsTold) {
  int grids = 0;
  forEachGrid({1, {0, 0, 0}, {33, 1, 1}, {32, 1, 1}}, 0, 0, 0, [&](const Grid&) { return ++grids < 1; });
  EXPECT_EQ(grids, 1);
}

} // namespace
} // namespace clotho::cuda
