// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace clotho::compiler {

/// A loop to be copied for cases in which more is known of what is the same in all of its rounds.
class LoopCopies {
 public:
  /// The loop has one way in, to the header, and one out, to `exit`.
  LoopCopies(llvm::BasicBlock& header, llvm::BasicBlock& exit) : header_(&header), exit_(exit) {}
  /// What it computes is used nowhere else but in phis of the exit, and it has no more than `limit` instructions.
  bool find(unsigned limit);
  llvm::ArrayRef<llvm::Instruction*> instructions() const { return instructions_; }
  /// Has what computes the value done before the loop, after `find`; false if that cannot be.
  bool bringOut(llvm::Value* value);

  /// Gives a block before the loop, without a terminator, for the caller to choose.
  llvm::BasicBlock* split();
  /// First block of the original, after `split`.
  llvm::BasicBlock* original() const { return original_; }
  /// Makes a copy and returns its first block. `map` has replacements for values of the original, and gets the copies
  /// of the others.
  llvm::BasicBlock* copy(llvm::ValueToValueMapTy& map);

 private:
  bool isClosed(const llvm::Instruction& instruction) const;

  llvm::BasicBlock* header_;
  llvm::BasicBlock& exit_;
  llvm::BasicBlock* before_ = nullptr;   ///< from which the loop is reached
  llvm::BasicBlock* original_ = nullptr; ///< leads to the header
  llvm::SetVector<llvm::BasicBlock*> blocks_;
  llvm::SmallVector<llvm::Instruction*, 64> instructions_;
};

} // namespace clotho::compiler
