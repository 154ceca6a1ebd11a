// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/transform/widen/widener.hpp"

namespace clotho::compiler {

/// A load or store. Each lane has `parts` consecutive scalars, at the address of lane 0 plus a multiple of `laneStride`
/// scalars (or anywhere, if that is 0).
struct Widener::Access {
  /// Largest stride between lanes, in scalars, for a contiguous access with shuffles; wider strides are gathered.
  static constexpr std::int64_t kLongestStride = 8;

  llvm::Instruction& instruction;
  llvm::Type* scalar;
  unsigned parts;
  unsigned size; ///< Size of a scalar, in bytes
  llvm::Align align;
  std::int64_t laneStride; ///< Stride from lane to lane, in scalars; 0: not constant

  unsigned bytes() const { return parts * size; } ///< bytes that one lane accesses
  /// The integer type that holds all scalars of a lane; null if there is none.
  llvm::Type* whole() const {
    const bool isInteger = parts > 1 && bytes() <= 8 && llvm::isPowerOf2_32(bytes());
    return isInteger ? llvm::Type::getIntNTy(scalar->getContext(), bytes() * 8) : nullptr;
  }
  /// Whether lanes that are not contiguous make one unmasked scalar load each instead of a gather.
  bool isLoadedByLane() const { return parts > 1 && bytes() > 4 && llvm::isPowerOf2_32(bytes()); }
  bool isContiguous() const { return laneStride == static_cast<std::int64_t>(parts); }
  bool isReversed() const { return parts == 1 && laneStride == -1; }
  bool isInterleaved() const { return laneStride >= static_cast<std::int64_t>(parts) && laneStride <= kLongestStride; }
  llvm::Align scalarAlign(std::uint64_t part = 0) const { return llvm::commonAlignment(align, part * size); }
  AccessShape shape() const {
    if (isContiguous()) return AccessShape::Consecutive;
    if (isReversed()) return AccessShape::Reversed;
    return isInterleaved() ? AccessShape::Strided : AccessShape::Gathered;
  }

  /// Nothing for types other than numbers, pointers and vectors of these.
  static std::optional<Access> of(llvm::Instruction& instruction, LaneShape pointer, const llvm::DataLayout& layout);
};

} // namespace clotho::compiler
