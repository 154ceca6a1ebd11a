// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"
#include "compiler/transform/widen/jam_rows.hpp"

#include <llvm/IR/Function.h>

namespace clotho::compiler {

class Speculation;

/// Speculative uniform versioning: makes a version of a kernel for the usual sub-groups, which are full and whose lanes
/// agree wherever the kernel compares an affine value with a uniform one, such as in guards at edges and clamped
/// indices. In this version a clamp is the clamped value, a guard is a uniform branch, and addresses stay affine.
/// Scalar comparisons with the first and last lane check each sub-group first. Sub-groups that fail are left to
/// Variant::Fallback (vectorise_kernels.hpp), a function that is only declared.
/// Needs: no barrier, the form that SubGroupFlow needs.  Gives: a function in no particular form that uses the
/// intrinsics FirstLane, LaneId, LaneCount and RowEnd, and runs from FirstLane to the end of the row; null if it would
/// be equal to the kernel. `speculation`: of the kernel. `rowsAreFull`: rows are known to be multiples of any width.
llvm::Function* specialise(llvm::Function& kernel, const Speculation& speculation, bool rowsAreFull);

/// Overload for a kernel of several jammed rows: the version runs sub-groups that have as many rows and meet the
/// requirements. Variant::RowFallback of the kernel `name`, which is only declared, runs the others from their first
/// lane to their ends. Variant::Fallback runs sub-groups whose lanes do not agree, one row at a time. Null if a
/// requirement cannot be checked in advance.
llvm::Function* specialise(const JammedRows& jam, llvm::StringRef name, const LaneShapes& shapes,
                           const SubGroupFlow& flow);

/// Whether the call is of a fallback that `specialise` declared.
bool isCallOfFallback(const llvm::CallInst& call);

} // namespace clotho::compiler
