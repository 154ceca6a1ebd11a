// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "command/dense_copy.hpp"
#include "device/cuda/addresses.hpp"

#include <cstddef>

/// Kinds of memory at the ends of copies.
namespace clotho::cuda {

/// Kinds of memory at the ends of a copy.
struct CopyEnds {
  Addresses::Kind source, target;
  bool areFast() const { return source != Addresses::Kind::Pageable && target != Addresses::Kind::Pageable; }
};

// Bytes from the first to the last on one side of a copy.
inline std::size_t spanOf(const Copy& copy, std::size_t rowPitch, std::size_t slicePitch) {
  return (copy.slices - 1) * slicePitch + (copy.rows - 1) * rowPitch + copy.rowBytes;
}
inline std::size_t sourceSpan(const Copy& copy) { return spanOf(copy, copy.sourceRowPitch, copy.sourceSlicePitch); }
inline std::size_t targetSpan(const Copy& copy) { return spanOf(copy, copy.targetRowPitch, copy.targetSlicePitch); }

inline CopyEnds endsOf(const Copy& copy) noexcept {
  const Addresses& addresses = Addresses::get();
  return {addresses.kindOf(copy.source, sourceSpan(copy)), addresses.kindOf(copy.target, targetSpan(copy))};
}

} // namespace clotho::cuda
