// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

namespace clotho::compiler {

/// `i ^ stride`, where the lanes' i are `begin | lane` with a begin that is a multiple of the width.
struct RowButterfly {
  llvm::Instruction* exclusiveOr;
  llvm::Value* stride; ///< the same in all lanes
  llvm::Value *begin, *lane;
  llvm::SmallVector<llvm::ICmpInst*, 2> compares; ///< Comparisons of i ^ stride with i
  llvm::SmallVector<llvm::Use*, 2> masks;         ///< the bits of `i & bits`, the same in all lanes
};

/// Versions butterfly exchanges. Sorting networks test `(i ^ stride) > i` and `i & size`. If stride and size are
/// multiples of the width, the outcome is uniform and the partners are consecutive; with a stride of 1, 2, 4 or 8 each
/// lane's outcome is known. The loop over sub-groups, from `header` to `exit`, is copied for each of these cases.
/// Gives: in the original, a butterfly that is marked as rare.
void versionButterflies(llvm::ArrayRef<RowButterfly> butterflies, llvm::BasicBlock& header, llvm::BasicBlock& exit);

/// Whether the butterfly is one of the remaining, rare cases: strides that are powers of two have versions of their
/// own.
bool isRareButterfly(const llvm::Instruction& exclusiveOr);

} // namespace clotho::compiler
