// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace clotho::compiler {

/// How a value relates to the lanes of a sub-group. A lattice: unknown, then uniform or affine, then varying.
class LaneShape {
 public:
  enum class Kind : std::uint8_t {
    Unknown, ///< not visited yet: the lattice's top
    Affine,  ///< lane i holds lane 0's value plus i times a constant, which is 0 for uniform values
    Varying,
  };

  constexpr LaneShape() = default;
  static constexpr LaneShape unknown() { return {Kind::Unknown, 0}; }
  static constexpr LaneShape uniform() { return {Kind::Affine, 0}; }
  static constexpr LaneShape affine(std::int64_t stride) { return {Kind::Affine, stride}; }
  static constexpr LaneShape varying() { return {Kind::Varying, 0}; }

  constexpr bool isUnknown() const { return kind_ == Kind::Unknown; }
  constexpr bool isUniform() const { return kind_ == Kind::Affine && stride_ == 0; }
  /// Also true for uniform values.
  constexpr bool isAffine() const { return kind_ == Kind::Affine; }
  constexpr bool isVarying() const { return kind_ == Kind::Varying; }
  /// Stride of an affine shape, in units of the value; for pointers in bytes.
  constexpr std::int64_t stride() const { return stride_; }

  /// The shape of a value that has either of two shapes.
  constexpr LaneShape meet(LaneShape other) const {
    if (isUnknown()) return other;
    if (other.isUnknown() || *this == other) return *this;
    return varying();
  }
  constexpr LaneShape plus(LaneShape other) const { return combine(other, other.stride_); }
  constexpr LaneShape minus(LaneShape other) const { return combine(other, -other.stride_); }
  constexpr LaneShape times(std::int64_t factor) const {
    return isAffine() && fits(stride_) && fits(factor) ? affine(stride_ * factor) : isAffine() ? varying() : *this;
  }

  friend constexpr bool operator==(LaneShape, LaneShape) = default;

 private:
  constexpr LaneShape(Kind kind, std::int64_t stride) : kind_(kind), stride_(stride) {}
  /// Bounds strides so that their sums and products do not overflow; larger strides are of no use.
  static constexpr bool fits(std::int64_t value) { return value > -(1 << 30) && value < (1 << 30); }
  constexpr LaneShape combine(LaneShape other, std::int64_t stride) const {
    if (isVarying() || other.isVarying()) return varying();
    if (isUnknown() || other.isUnknown()) return unknown();
    return fits(stride_) && fits(stride) ? affine(stride_ + stride) : varying();
  }

  Kind kind_ = Kind::Unknown;
  std::int64_t stride_ = 0;
};

} // namespace clotho::compiler
