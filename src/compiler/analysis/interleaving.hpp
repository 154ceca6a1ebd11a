// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/barrier_regions.hpp"

namespace clotho::compiler {

/// Whether work-groups may be interleaved. If all work-items of a launch stride through memory
/// (transform/groups/align_strided_loops.hpp), neighbouring work-groups read neighbouring chunks of it, perhaps of one
/// kilobyte each. These chunks are read in the order of memory only if the groups run their iterations in turn. So a
/// work-group's function may return at the barrier after some iterations, and is called again when other groups have
/// come as far. The frame keeps what belongs to each work-item, and memory behind it what is kept once a group. Local
/// memory and other memory that each thread has once must not be in use while other groups run: no region from which
/// such a barrier may yet be reached touches it.
bool mayInterleave(const BarrierRegions& regions);

/// Memory of which each thread has one only, or whose order of accesses matters.
bool touchesThreadsMemory(const llvm::Instruction& instruction);

/// Whether work-groups may change places after this block.
bool isInterleavingPoint(const llvm::BasicBlock& end);

} // namespace clotho::compiler
