// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"

#include <llvm/Analysis/LoopInfo.h>

namespace clotho::compiler {

/// Prefetches for the next work-group. Kernels with barriers often read memory first and then compute: hardware
/// prefetchers stop meanwhile, and the next group waits for its first lines. So consecutive loads from global memory
/// before the first barrier are also prefetched for the next group, into the second-level cache (a prefix sum of 32 MiB
/// takes an eighth less time).
/// Needs: global ids expanded (ExpandGlobalIdsPass). Returns whether anything changed.
bool prefetchGroups(llvm::Function& kernel, const LaneShapes& shapes, const llvm::LoopInfo& loops);

} // namespace clotho::compiler
