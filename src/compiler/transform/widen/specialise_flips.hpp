// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

namespace clotho::compiler {

/// `i ^ stride`, where the lanes' i are `begin | lane` with a begin that is a multiple of the width.
struct RowFlip {
  llvm::Instruction* flip;
  llvm::Value* stride; ///< the same in all lanes
  llvm::Value *begin, *lane;
  llvm::SmallVector<llvm::ICmpInst*, 2> compares; ///< of the flipped i with i
  llvm::SmallVector<llvm::Use*, 2> masks;         ///< the bits of `i & bits`, the same in all lanes
};

/// Sorting networks ask `(i ^ stride) > i` and `i & size`. Where stride and size are multiples of the width, that is
/// one answer for all lanes, and the partners are a row in order; with a stride of 1, 2, 4 or 8 each lane's answer is
/// known. The loop over sub-groups, from `header` to `exit`, is copied for each of these cases, or where they follow
/// from what it computes, the code that asks so. Gives: in the original, a flip that is marked as rare.
void specialiseFlips(llvm::Function& function, llvm::ArrayRef<RowFlip> flips, llvm::BasicBlock& header,
                     llvm::BasicBlock& exit);

/// Flips by powers of two are elsewhere.
bool isRareFlip(const llvm::Instruction& flip);

} // namespace clotho::compiler
