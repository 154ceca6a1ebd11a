// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Metadata of a prefetch: each lane asks for a line of its own.
inline constexpr const char* kEachLaneName = "clotho.each_lane";
/// Of a load whose lines are asked for in advance already.
inline constexpr const char* kAskedForName = "clotho.asked_for";
/// Of kernels that walk along rows of short vectors: how many lanes to have, at most.
inline constexpr const char* kWalkWidthAttribute = "clotho-walk-width";

/// Where each lane walks along a row of short vectors of its own, and these rows lie one behind the other, few lanes at
/// once fill the registers, and come to memory almost in its order. Then lines are asked for in just that order, some
/// rows ahead, whoever comes to need them; of rows that lie apart, each lane asks for what its successor needs.
/// Needs: mergeAccesses, loops without divergence. Gives the kernel kWalkWidthAttribute. Returns whether anything
/// changed; then the kernel has to be brought into normal form again.
bool prefetchWalks(llvm::Function& kernel, const LaneShapes& shapes, const SubGroupFlow& flow,
                   llvm::FunctionAnalysisManager& analyses);

} // namespace clotho::compiler
