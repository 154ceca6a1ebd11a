// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lattice of lane shapes by itself, against all values of small lanes.
#include "compiler/analysis/lane_shape.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace clotho::compiler {
namespace {

std::vector<LaneShape> allShapes() {
  std::vector<LaneShape> shapes = {LaneShape::unknown(), LaneShape::uniform(), LaneShape::varying()};
  for (const std::int64_t stride :
       {std::int64_t{1}, std::int64_t{-1}, std::int64_t{2}, std::int64_t{7}, std::int64_t{-128}, std::int64_t{1} << 29,
        (std::int64_t{1} << 30) - 1, std::int64_t{1} << 30, -(std::int64_t{1} << 30), std::int64_t{1} << 59})
    shapes.push_back(LaneShape::affine(stride));
  return shapes;
}

/// `a` says no more than `b`.
bool isBelow(LaneShape a, LaneShape b) { return a.meet(b) == a; }

TEST(LaneShape, MeetsAsALatticeDoes) {
  for (const LaneShape a : allShapes()) {
    EXPECT_EQ(a.meet(a), a);
    EXPECT_EQ(a.meet(LaneShape::unknown()), a);
    EXPECT_EQ(a.meet(LaneShape::varying()), LaneShape::varying());
    for (const LaneShape b : allShapes()) {
      EXPECT_EQ(a.meet(b), b.meet(a));
      EXPECT_TRUE(isBelow(a.meet(b), a));
      for (const LaneShape c : allShapes())
        EXPECT_EQ(a.meet(b).meet(c), a.meet(b.meet(c)));
    }
  }
}

TEST(LaneShape, ArithmeticIsMonotone) {
  for (const LaneShape a : allShapes())
    for (const LaneShape b : allShapes()) {
      if (!isBelow(a, b)) continue;
      for (const std::int64_t factor : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-3}, std::int64_t{1} << 40})
        EXPECT_TRUE(isBelow(a.times(factor), b.times(factor)));
      for (const LaneShape c : allShapes()) {
        EXPECT_TRUE(isBelow(a.plus(c), b.plus(c)));
        EXPECT_TRUE(isBelow(c.plus(a), c.plus(b)));
        EXPECT_TRUE(isBelow(a.minus(c), b.minus(c)));
        EXPECT_TRUE(isBelow(c.minus(a), c.minus(b)));
      }
    }
}

/// Whether four lanes of bytes have the shape.
bool have(const std::uint8_t (&lanes)[4], LaneShape shape) {
  for (unsigned i = 0; i < 4; ++i)
    if (shape.isAffine() &&
        lanes[i] != static_cast<std::uint8_t>(lanes[0] + i * static_cast<std::uint64_t>(shape.stride())))
      return false;
  return !shape.isUnknown();
}

TEST(LaneShape, ArithmeticHoldsForAllBytes) {
  std::vector<LaneShape> affine;
  for (const LaneShape shape : allShapes())
    if (shape.isAffine()) affine.push_back(shape);
  for (unsigned first = 0; first < 256; ++first)
    for (unsigned second = 0; second < 256; second += 5)
      for (const LaneShape a : affine)
        for (const LaneShape b : affine) {
          std::uint8_t sum[4], difference[4], product[4];
          for (unsigned i = 0; i < 4; ++i) {
            const std::uint64_t left = first + i * static_cast<std::uint64_t>(a.stride());
            const std::uint64_t right = second + i * static_cast<std::uint64_t>(b.stride());
            sum[i] = static_cast<std::uint8_t>(left + right);
            difference[i] = static_cast<std::uint8_t>(left - right);
            product[i] = static_cast<std::uint8_t>(left * second);
          }
          ASSERT_TRUE(have(sum, a.plus(b)));
          ASSERT_TRUE(have(difference, a.minus(b)));
          ASSERT_TRUE(have(product, a.times(second)));
        }
}

} // namespace
} // namespace clotho::compiler
