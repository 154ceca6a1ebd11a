// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"

#include <llvm/IR/PassManager.h>

#include <cstdint>

namespace clotho::compiler {

/// Merges accesses of a work-item to adjacent memory, such as the members of a struct, into one vector access, if
/// neighbouring lanes are further apart: one vector for each lane, transposed in registers, is faster than a gather for
/// each element. Only within blocks. Returns whether anything changed.
/// `facts`: gets the launch facts under which accesses are adjacent; null if none may be assumed.
bool mergeAccesses(llvm::Function& kernel, const LaneShapes& shapes, LaunchFacts* facts);

/// Whether lanes at the address are usually so far apart that a lane's adjacent accesses should be merged.
/// `elementBytes`: size of an element.
bool areLanesFarApart(const LaneShapes& shapes, const llvm::Value* pointer, std::int64_t elementBytes);

/// Unrolls inner loops in which each lane reads adjacent memory in successive iterations, so that mergeAccesses can
/// merge the loads. Returns whether anything changed; the kernel then needs SubGroupFormPass again.
bool unrollStridedLoads(llvm::Function& kernel, const LaneShapes& shapes, const SubGroupFlow& flow,
                        llvm::FunctionAnalysisManager& analyses);

} // namespace clotho::compiler
