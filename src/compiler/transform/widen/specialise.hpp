// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"
#include "compiler/transform/widen/jam_rows.hpp"

#include <llvm/IR/Function.h>

namespace clotho::compiler {

class Speculation;

/// Makes a version of a kernel for the sub-groups that most are: full ones whose lanes agree wherever the kernel
/// compares an affine value with one that all lanes share, as guards at edges and clamped indices do. There, a clamp is
/// the value that it clamps, a guard is a uniform branch, and addresses stay affine. Each sub-group first asks, of its
/// first and last lane, whether this holds for it (some scalar comparisons); those for which it does not are left to
/// Variant::Fallback (vectorise_kernels.hpp), a function that is only declared.
/// Needs: no barrier, the form that SubGroupFlow needs.  Gives: a function in no particular form that uses the
/// intrinsics FirstLane, LaneId, LaneCount and RowEnd, and runs from FirstLane to the end of the row; null when it
/// would be the kernel itself. `speculation`: on the kernel. `rowsAreFull`: rows are known to be multiples of any
/// width.
llvm::Function* specialise(llvm::Function& kernel, const Speculation& speculation, bool rowsAreFull);

/// Specialises a kernel that runs several rows at once, for sub-groups that have as many rows and meet the
/// requirements. Others are left, from where they stand to their ends, to Variant::RowFallback of the kernel `name`,
/// which is only declared. Its Variant::Fallback gets what its lanes do not agree on, one row at a time. Null when a
/// requirement cannot be asked for.
llvm::Function* specialise(const JammedRows& jam, llvm::StringRef name, const LaneShapes& shapes,
                           const SubGroupFlow& flow);

/// A call of what `specialise` declared.
bool isCallOfFallback(const llvm::CallInst& call);

} // namespace clotho::compiler
