// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "command/command.hpp"

#include <cstddef>
#include <cstring>

/// Parts and halves of copies whose bytes go by way of other memory, in which rows lie without gaps.
namespace clotho {

inline std::size_t bytesOf(const Copy& copy) { return copy.rowBytes * copy.rows * copy.slices; }

/// Whether all bytes lie next to each other on both sides.
inline bool isDense(const Copy& copy) {
  const auto isSideDense = [&](std::size_t rowPitch, std::size_t slicePitch) {
    return (copy.rows == 1 || rowPitch == copy.rowBytes) &&
           (copy.slices == 1 || slicePitch == copy.rowBytes * copy.rows);
  };
  return isSideDense(copy.sourceRowPitch, copy.sourceSlicePitch) &&
         isSideDense(copy.targetRowPitch, copy.targetSlicePitch);
}

/// The copy without what keeps memory objects alive.
inline Copy shapeOf(const Copy& copy) {
  return Copy{.source = copy.source,
              .target = copy.target,
              .rowBytes = copy.rowBytes,
              .rows = copy.rows,
              .slices = copy.slices,
              .sourceRowPitch = copy.sourceRowPitch,
              .sourceSlicePitch = copy.sourceSlicePitch,
              .targetRowPitch = copy.targetRowPitch,
              .targetSlicePitch = copy.targetSlicePitch};
}

/// From the copy's source to other memory.
inline Copy intoDense(const Copy& copy, std::byte* memory) {
  Copy result = shapeOf(copy);
  result.target = memory;
  result.targetRowPitch = copy.rowBytes;
  result.targetSlicePitch = copy.rowBytes * copy.rows;
  return result;
}

/// From other memory to the copy's target.
inline Copy fromDense(const Copy& copy, const std::byte* memory) {
  Copy result = shapeOf(copy);
  result.source = memory;
  result.sourceRowPitch = copy.rowBytes;
  result.sourceSlicePitch = copy.rowBytes * copy.rows;
  return result;
}

/// By the calling thread; both sides are the host's.
inline void copyRows(const Copy& copy) {
  for (std::size_t slice = 0; slice < copy.slices; ++slice)
    for (std::size_t row = 0; row < copy.rows; ++row)
      std::memcpy(copy.target + slice * copy.targetSlicePitch + row * copy.targetRowPitch,
                  copy.source + slice * copy.sourceSlicePitch + row * copy.sourceRowPitch, copy.rowBytes);
}

} // namespace clotho
