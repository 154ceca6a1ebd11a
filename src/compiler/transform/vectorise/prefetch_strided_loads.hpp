// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Prefetches for a loop in which each lane goes along a row of short vectors of its own. Few such lanes fill the
/// registers, and they come to memory almost in its order. If the rows lie one behind the other, which is asked when
/// the kernel runs, lines are asked for in just that order, 16 KiB ahead, whichever lane will need them. Otherwise,
/// each lane asks for what is 16 rows further. Looks at the first such loop only.
/// Needs: mergeAccesses; shapes and flow of the function as it is, which agree with each other (areConsistent), since
/// what this makes asks for lanes. Gives the kernel KernelFacts::mostLanes. Returns whether anything changed; then the
/// kernel has to be brought into normal form again.
bool prefetchStridedLoads(llvm::Function& kernel, const LaneShapes& shapes, const SubGroupFlow& flow,
                          llvm::FunctionAnalysisManager& analyses);

} // namespace clotho::compiler
