// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/cuda_kernel.h"
#include "command/nd_range.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

/// How a launch becomes grids of CUDA.
namespace clotho::cuda {

/// Most work-groups of a grid.
inline constexpr std::uint64_t kMostGroups = (std::uint64_t{1} << 31) - 1;

/// `divisor`: 1 to 2^31 - 1. With 2^s the first power of two that is no smaller, the multiplier is 2^(31 + s) /
/// divisor, rounded up: below 2^32, and less than 2^s / divisor too large for numerators below 2^31.
constexpr CudaDivisor divisorOf(std::uint32_t divisor) {
  const auto log = static_cast<std::uint32_t>(std::bit_width(divisor - 1));
  const std::uint64_t power = std::uint64_t{1} << (31 + log);
  return {divisor, static_cast<std::uint32_t>((power + divisor - 1) / divisor), 31 + log};
}

/// One grid of a launch.
struct Grid {
  CudaLaunch launch;
  std::uint32_t groups;
  std::array<std::uint32_t, 3> local; ///< of the block
};

/// Calls `use(const Grid&)` for each grid of the range: work-groups of one size, and not too many. `use` returns
/// whether to go on. `zeroedLocal`: CudaLaunch::zeroedLocal.
template <class Use>
void forEachGrid(const NDRange& range, std::uint64_t printf, std::uint32_t zeroedLocal, Use&& use) {
  Grid grid{};
  for (std::size_t i = 0; i < 3; ++i) {
    grid.launch.globalOffset[i] = range.offset[i];
    grid.launch.globalSize[i] = range.global[i];
    grid.launch.numGroups[i] = range.groups(static_cast<int>(i));
    grid.launch.enqueuedLocalSize[i] = static_cast<std::uint32_t>(range.local[i]);
  }
  grid.launch.printf = printf;
  grid.launch.workDim = range.dimensions;
  grid.launch.zeroedLocal = zeroedLocal;
  const Boxes boxes(range);
  for (unsigned number = 0; number < boxes.count(); ++number) {
    const Box box = boxes[number];
    if (box.groups() == 0) continue;
    for (std::size_t i = 0; i < 3; ++i)
      grid.local[i] = static_cast<std::uint32_t>(box.local[i]);
    // A chunk is a part of a row, some rows of a plane, or some planes: the largest with few enough groups.
    std::array<std::uint64_t, 3> chunk{};
    std::uint64_t room = kMostGroups;
    for (std::size_t i = 0; i < 3; ++i) {
      chunk[i] = std::min(box.count(i), std::max<std::uint64_t>(room, 1));
      room /= chunk[i];
    }
    for (std::uint64_t z = box.first[2]; z < box.end[2]; z += chunk[2])
      for (std::uint64_t y = box.first[1]; y < box.end[1]; y += chunk[1])
        for (std::uint64_t x = box.first[0]; x < box.end[0]; x += chunk[0]) {
          const std::array<std::uint64_t, 3> first{x, y, z};
          std::uint64_t groups = 1;
          for (std::size_t i = 0; i < 3; ++i) {
            const std::uint64_t count = std::min(chunk[i], box.end[i] - first[i]);
            grid.launch.firstGroup[i] = first[i];
            groups *= count;
            if (i < 2) grid.launch.groups[i] = divisorOf(static_cast<std::uint32_t>(count));
          }
          grid.groups = static_cast<std::uint32_t>(groups);
          if (!use(static_cast<const Grid&>(grid))) return;
        }
  }
}

} // namespace clotho::cuda
