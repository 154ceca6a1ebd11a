// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"

#include <llvm/IR/PassManager.h>

#include <cstdint>

namespace clotho::compiler {

/// Makes one vector access of a work-item's accesses to neighbouring memory, such as the members of a struct, where
/// neighbouring lanes are further apart: one row of memory a lane, transposed in registers, is quicker than a gather
/// for each element. Only within blocks. Returns whether anything changed.
/// `facts`: where it is noted of what launches it holds that accesses are neighbours; null if it has to hold of all.
bool mergeAccesses(llvm::Function& kernel, const LaneShapes& shapes, LaunchFacts* facts);

/// Whether lanes at the address are so far apart, as a rule, that neighbours in the lane's own memory had better be
/// accessed at once, of elements of so many bytes.
bool areLanesApart(const LaneShapes& shapes, const llvm::Value* pointer, std::int64_t elementBytes);

/// Unrolls inner loops in which each lane walks along memory of its own, so that mergeAccesses finds neighbours.
/// Returns whether anything changed; then the kernel has to be brought into normal form again.
bool unrollStridedLoads(llvm::Function& kernel, const LaneShapes& shapes, const SubGroupFlow& flow,
                        llvm::FunctionAnalysisManager& analyses);

} // namespace clotho::compiler
