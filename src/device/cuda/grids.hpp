// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/cuda_kernel.h"
#include "command/nd_range.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

/// How a launch becomes grids of CUDA.
namespace clotho::cuda {

/// Most work-groups of a grid along each dimension.
inline constexpr std::array<std::uint64_t, 3> kMostGroups = {(std::uint64_t{1} << 31) - 1, 65535, 65535};

/// One grid of a launch.
struct Grid {
  CudaLaunch launch;
  std::array<std::uint32_t, 3> groups;
  std::array<std::uint32_t, 3> local; ///< of the block
};

/// Calls `use(const Grid&)` for each grid of the range: work-groups of one size, and not too many. `use` returns
/// whether to go on. `zeroedLocal` and `enqueuing`: fields of CudaLaunch.
template <class Use>
void forEachGrid(const NDRange& range, std::uint64_t printf, std::uint64_t enqueuing, std::uint32_t zeroedLocal,
                 Use&& use) {
  Grid grid{};
  for (std::size_t i = 0; i < 3; ++i) {
    grid.launch.globalOffset[i] = range.offset[i];
    grid.launch.globalSize[i] = range.global[i];
    grid.launch.numGroups[i] = range.groups(static_cast<int>(i));
    grid.launch.enqueuedLocalSize[i] = static_cast<std::uint32_t>(range.local[i]);
  }
  grid.launch.printf = printf;
  grid.launch.enqueuing = enqueuing;
  grid.launch.workDim = range.dimensions;
  grid.launch.zeroedLocal = zeroedLocal;
  const Boxes boxes(range);
  for (unsigned number = 0; number < boxes.count(); ++number) {
    const Box box = boxes[number];
    if (box.groups() == 0) continue;
    for (std::size_t i = 0; i < 3; ++i)
      grid.local[i] = static_cast<std::uint32_t>(box.local[i]);
    const auto stepTo = [&](std::size_t i, std::uint64_t first) {
      grid.launch.firstGroup[i] = first;
      grid.launch.firstItem[i] = range.offset[i] + first * range.local[i];
      grid.groups[i] = static_cast<std::uint32_t>(std::min(kMostGroups[i], box.end[i] - first));
      return first < box.end[i];
    };
    for (std::uint64_t z = box.first[2]; stepTo(2, z); z += kMostGroups[2])
      for (std::uint64_t y = box.first[1]; stepTo(1, y); y += kMostGroups[1])
        for (std::uint64_t x = box.first[0]; stepTo(0, x); x += kMostGroups[0])
          if (!use(static_cast<const Grid&>(grid))) return;
  }
}

} // namespace clotho::cuda
