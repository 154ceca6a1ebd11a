// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"

#include <cstdint>
#include <optional>

namespace clotho::compiler {

/// Steps of a value over lanes: groups of `lanes` neighbours, a power of two above 1, have one value, and `stride` is
/// the distance from one group to the next.
struct LaneSteps {
  unsigned lanes;
  std::int64_t stride;

  bool operator==(const LaneSteps&) const = default;
};

/// Estimated steps of a varying value in most sub-groups. Covers values of stride one divided by a power of two or
/// without their low bits (`x / 2`, `x & ~1`), and multiples and clamped values of those.
std::optional<LaneSteps> usualSteps(const LaneShapes& shapes, const llvm::Value* value, unsigned depth = 0);

} // namespace clotho::compiler
