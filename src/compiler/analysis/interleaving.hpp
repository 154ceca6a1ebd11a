// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/barrier_regions.hpp"

namespace clotho::compiler {

/// Where all work-items of a launch step through memory (transform/loops/align_strided_loops.hpp), neighbouring
/// work-groups read neighbouring pieces of it, one kilobyte each perhaps, which lie together only if the groups take
/// their rounds in turn. So a work-group's function may return at the barrier after some rounds, and be called again
/// for the rest, when others have come as far: what it keeps is in its frame, and what it keeps once for all its
/// work-items lies behind that, in `bytes` more. Local memory and what else is only there once a thread must not be in
/// use when others run: no region from which such a barrier may yet be reached touches it.
bool mayInterleave(const BarrierRegions& regions);

/// Memory of which each thread has one only, or whose order of accesses matters.
bool touchesThreadsMemory(const llvm::Instruction& instruction);

/// Whether work-groups may change places after this block.
bool isInterleavingPoint(const llvm::BasicBlock& end);

} // namespace clotho::compiler
