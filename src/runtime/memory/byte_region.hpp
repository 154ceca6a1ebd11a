// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace clotho {

/// Rows of bytes in up to three dimensions, as transfers and maps work with them. No row reaches into the next one.
struct ByteRegion {
  std::size_t first = 0; ///< byte of the memory object or of the host's memory
  std::size_t rowBytes = 0;
  std::size_t rows = 1, slices = 1;
  std::size_t rowPitch = 0, slicePitch = 0;
  /// The gaps between the rows are padding of an image's own memory, whose bytes do not matter.
  bool ownsGaps = false;

  std::size_t rowAt(std::size_t index) const { return first + index / rows * slicePitch + index % rows * rowPitch; }
  std::size_t end() const { return first + (slices - 1) * slicePitch + (rows - 1) * rowPitch + rowBytes; }
  std::size_t span() const { return end() - first; }
  /// Whether who writes all rows leaves nothing between the first byte and the last as it was.
  bool isWhole() const { return ownsGaps || span() == rowBytes * rows * slices; }

  bool operator==(const ByteRegion&) const = default;
};

/// Whether two regions of the same bytes have one in common. The usual case is decided by their ends; else both are
/// walked along, whose rows ascend.
inline bool shareBytes(const ByteRegion& a, const ByteRegion& b) {
  if (a.first >= b.end() || b.first >= a.end()) return false;
  const std::size_t rowsOfA = a.rows * a.slices, rowsOfB = b.rows * b.slices;
  for (std::size_t i = 0, k = 0; i < rowsOfA && k < rowsOfB;) {
    const std::size_t beginOfA = a.rowAt(i), beginOfB = b.rowAt(k);
    if (beginOfA < beginOfB + b.rowBytes && beginOfB < beginOfA + a.rowBytes) return true;
    (beginOfA < beginOfB ? i : k)++;
  }
  return false;
}

} // namespace clotho
