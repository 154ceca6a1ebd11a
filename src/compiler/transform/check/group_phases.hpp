// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <vector>

namespace clotho::compiler {

/// The calls of functions that all work-items of a group must meet: barriers, group functions, and group copies.
std::vector<llvm::CallInst*> groupCallsOf(llvm::Function& kernel);

/// Numbers for what a work-item does between two calls that its group meets (abi/checks.h). It counts the calls in a
/// variable; as all work-items must meet the same calls, all of a group count alike.
class GroupPhases {
 public:
  GroupPhases(llvm::Function& kernel, llvm::ArrayRef<llvm::CallInst*> calls);

  /// Phases that a group has at most. Kernels that meet more stay in the last one, where nothing is checked.
  std::uint64_t count() const { return count_; }
  llvm::Value* first() const { return first_; }             ///< i64: of the group
  llvm::Value* current(llvm::IRBuilder<>& builder) const;   ///< i64
  llvm::Value* begun(llvm::IRBuilder<>& builder) const;     ///< i64: the latest that a barrier began
  llvm::Value* isCounted(llvm::IRBuilder<>& builder) const; ///< i1: false in the last one
  /// Moves the variables to registers: call when all is emitted.
  void promote();

 private:
  llvm::Function& kernel_;
  std::uint64_t count_;
  llvm::AllocaInst* counter_; ///< calls that have been met
  llvm::AllocaInst* begun_;   ///< the counter behind the last barrier
  llvm::Value* first_;
};

} // namespace clotho::compiler
