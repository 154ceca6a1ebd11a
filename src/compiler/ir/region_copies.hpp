// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace clotho::compiler {

/// What work-items run from an instruction on until all ways are together again, to be copied for cases in which more
/// is known of a value that it uses.
class RegionCopies {
 public:
  RegionCopies(llvm::Instruction& first, const llvm::PostDominatorTree& ends);
  /// Nothing else leads in or out, what it computes is used nowhere else but in phis where ways meet, it has no
  /// barrier, and no more than `limit` instructions.
  bool find(unsigned limit);
  llvm::ArrayRef<llvm::Instruction*> instructions() const { return instructions_; }

  /// Ends the block before the first instruction, without a terminator, for the caller to choose; gives that block.
  llvm::BasicBlock* split();
  /// First block of the original, after `split`.
  llvm::BasicBlock* original() const { return original_; }
  /// Makes a copy and returns its first block. `map` has replacements for values of the original, and gets the copies
  /// of the others.
  llvm::BasicBlock* copy(llvm::ValueToValueMapTy& map);

 private:
  bool isClosed(const llvm::Instruction& instruction) const;

  llvm::Instruction& first_;
  llvm::BasicBlock* original_;
  llvm::BasicBlock* meeting_ = nullptr;
  llvm::SetVector<llvm::BasicBlock*> blocks_;
  llvm::SmallVector<llvm::Instruction*, 64> instructions_;
};

} // namespace clotho::compiler
