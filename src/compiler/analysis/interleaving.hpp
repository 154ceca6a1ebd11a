// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/barrier_regions.hpp"

namespace clotho::compiler {

/// Whether work-groups may be interleaved. If all work-items of a launch stride through memory
/// (transform/groups/align_strided_loops.hpp), neighbouring work-groups read neighbouring chunks of it, perhaps of one
/// kilobyte each. These chunks are read in memory order only if the groups run their iterations alternately. So a
/// work-group's function may return at the barrier after some iterations, and is called again when other groups have
/// come as far. The context array keeps the state of each work-item; memory behind it keeps the state of the group.
/// Local memory, and other memory that each thread has once, must not be in use while other groups run: no region from
/// which such a barrier may yet be reached accesses it.
bool mayInterleave(const BarrierRegions& regions);

/// Whether the instruction accesses memory that each thread has only once, or whose accesses must stay in order.
bool touchesThreadsMemory(const llvm::Instruction& instruction);

/// Whether the thread may switch to another work-group after this block.
bool isInterleavingPoint(const llvm::BasicBlock& end);

} // namespace clotho::compiler
