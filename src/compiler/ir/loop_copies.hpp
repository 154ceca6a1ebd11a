// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace clotho::compiler {

/// Copies a loop for cases in which more is known about its loop-invariant values.
class LoopCopies {
 public:
  /// Needs: one edge into the loop, to the header, and one out of it, to `exit`.
  LoopCopies(llvm::BasicBlock& header, llvm::BasicBlock& exit) : header_(&header), exit_(exit) {}
  /// Whether the loop can be copied: its values are used outside only by phis of the exit, and it has at most `limit`
  /// instructions.
  bool find(unsigned limit);
  llvm::ArrayRef<llvm::Instruction*> instructions() const { return instructions_; }
  /// Hoists the computation of the value out of the loop, after `find`; false if that is impossible.
  bool bringOut(llvm::Value* value);

  /// Returns a block before the loop, without a terminator: the caller adds the branch to one of the copies.
  llvm::BasicBlock* split();
  /// First block of the original, after `split`.
  llvm::BasicBlock* original() const { return original_; }
  /// Copies the loop and returns the copy's first block. `map` has replacements for values of the original, and gets
  /// the copies of the others.
  llvm::BasicBlock* copy(llvm::ValueToValueMapTy& map);

 private:
  bool isClosed(const llvm::Instruction& instruction) const;

  llvm::BasicBlock* header_;
  llvm::BasicBlock& exit_;
  llvm::BasicBlock* before_ = nullptr;   ///< predecessor of the loop
  llvm::BasicBlock* original_ = nullptr; ///< preheader of the original loop
  llvm::SetVector<llvm::BasicBlock*> blocks_;
  llvm::SmallVector<llvm::Instruction*, 64> instructions_;
};

} // namespace clotho::compiler
