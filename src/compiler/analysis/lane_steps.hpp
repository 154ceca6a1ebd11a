// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"

#include <cstdint>
#include <optional>

namespace clotho::compiler {

/// So many neighbouring lanes, a power of two above 1, have one value, and so far it is from theirs to the next ones'.
struct LaneSteps {
  unsigned lanes;
  std::int64_t stride;

  bool operator==(const LaneSteps&) const = default;
};

/// The steps in which a varying value goes on in most sub-groups, by the looks of it: what goes on by one from lane to
/// lane, divided by a power of two or without its low bits (`x / 2`, `x & ~1`), and multiples and clamped values of
/// that.
std::optional<LaneSteps> usualSteps(const LaneShapes& shapes, const llvm::Value* value, unsigned depth = 0);

} // namespace clotho::compiler
