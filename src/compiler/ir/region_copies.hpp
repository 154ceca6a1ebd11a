// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace clotho::compiler {

/// A single-entry, single-exit region that starts at an instruction, to be copied for cases in which more is known
/// about a value that it uses.
class RegionCopies {
 public:
  RegionCopies(llvm::Instruction& first, const llvm::PostDominatorTree& ends);
  /// Whether the region can be copied: control flow enters at the start only, values are used outside only by phis of
  /// the exit, there is no barrier, and at most `limit` instructions.
  bool find(unsigned limit);
  llvm::ArrayRef<llvm::Instruction*> instructions() const { return instructions_; }

  /// Ends the block before the first instruction and returns it without a terminator: the caller adds the branch to one
  /// of the copies.
  llvm::BasicBlock* split();
  /// First block of the original, after `split`.
  llvm::BasicBlock* original() const { return original_; }
  /// Copies the region and returns the copy's first block. `map` has replacements for values of the original, and gets
  /// the copies of the others.
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
