// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include <array>
#include <optional>

namespace clotho::compiler {

/// The first parameters of `K.cl`, before the local variables and the kernel's own.
enum GroupParameter : unsigned { kLaunch, kContext, kFrame, kGroupX, kGroupY, kGroupZ, kRowEnd, kFirstOwn };

llvm::Value* fieldAddress(llvm::IRBuilder<>& builder, llvm::Value* base, std::uint64_t offset);

/// Emits a load of memory that is constant during the launch.
llvm::LoadInst* loadConstant(llvm::IRBuilder<>& builder, llvm::Type* type, llvm::Value* base, std::uint64_t offset,
                             llvm::Align align = llvm::Align(8));

/// Emits values for the intrinsics that are uniform in a work-group, each once, in the entry block of a function whose
/// first parameters are those of GroupParameter.
class GroupFacts {
 public:
  GroupFacts(llvm::Function& function, llvm::BasicBlock* entry, const llvm::Function& kernel)
      : function_(function), builder_(entry), required_(kernel.getMetadata("reqd_work_group_size")),
        linearOf_(factsOf(kernel).linearOf), isMergeable_(factsOf(kernel).mergedRow != 0),
        isUniform_(hasUniformGroupsOnly(*kernel.getParent())) {}

  llvm::Value* get(Intrinsic intrinsic, unsigned dimension);
  /// The function is called only for work-groups of one row.
  void setOneRow() { isOneRow_ = true; }
  /// Inserts into the entry block: for values computed from the facts.
  llvm::IRBuilder<>& builder() { return builder_; }

 private:
  llvm::Value* field(std::size_t offset, unsigned dimension);
  llvm::Value* address(std::size_t offset);
  llvm::Value* size(std::size_t offset, unsigned dimension);
  llvm::Value* make(Intrinsic intrinsic, unsigned dimension);

  llvm::Function& function_;
  llvm::IRBuilder<> builder_;
  const llvm::MDNode* required_;
  std::optional<LocalSize> linearOf_; ///< local size that get_local_size returns
  bool isMergeable_, isOneRow_ = false;
  bool isUniform_; ///< all work-groups of a launch have one size
  llvm::DenseMap<std::pair<unsigned, unsigned>, llvm::Value*> values_;
};

} // namespace clotho::compiler
