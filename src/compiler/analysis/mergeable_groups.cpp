// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/mergeable_groups.hpp"

#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/sub_group_operations.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>

namespace clotho::compiler {
namespace {

constexpr unsigned kLocalSpace = 3;

bool tellsGroups(const IntrinsicCall& call) {
  switch (call.intrinsic) {
  case Intrinsic::LocalId:
  case Intrinsic::GroupId:
  case Intrinsic::GroupBase: return call.dimension == 0;
  case Intrinsic::Barrier:
  case Intrinsic::Yield:
  case Intrinsic::LocalBegin:
  case Intrinsic::LocalEnd: return true;
  default: return false;
  }
}

bool tellsRows(const IntrinsicCall& call) {
  switch (call.intrinsic) {
  case Intrinsic::LocalId:
  case Intrinsic::GroupId:
  case Intrinsic::GroupBase:
  case Intrinsic::LocalSize:
  case Intrinsic::EnqueuedSize:
  case Intrinsic::NumGroups: return call.dimension == 1;
  default: return false;
  }
}

} // namespace

bool isStackable(const llvm::Function& kernel) {
  return kernel.getMetadata("reqd_work_group_size") == nullptr &&
         llvm::none_of(llvm::instructions(kernel), [](const llvm::Instruction& instruction) {
           const auto call = matchIntrinsic(&instruction);
           return call && tellsRows(*call);
         });
}

bool isMergeable(const llvm::Function& kernel) {
  if (usesSubGroups(kernel)) return false;
  const bool takesLocalMemory = llvm::any_of(kernel.args(), [](const llvm::Argument& argument) {
    return argument.getType()->isPointerTy() && argument.getType()->getPointerAddressSpace() == kLocalSpace &&
           !argument.use_empty();
  });
  return !takesLocalMemory && llvm::none_of(llvm::instructions(kernel), [](const llvm::Instruction& instruction) {
    const auto call = matchIntrinsic(&instruction);
    return call && tellsGroups(*call);
  });
}

} // namespace clotho::compiler
