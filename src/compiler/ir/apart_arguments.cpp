// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/apart_arguments.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Instructions.h>

namespace clotho::compiler {
namespace {

constexpr const char* kHeldBack = "clotho-apart";

} // namespace

void setApart(llvm::Argument& argument, bool isHeldBack) {
  if (!isHeldBack) return argument.addAttr(llvm::Attribute::NoAlias);
  argument.removeAttr(llvm::Attribute::NoAlias);
  argument.addAttr(llvm::Attribute::get(argument.getContext(), kHeldBack));
}

bool isApart(const llvm::Argument& argument) {
  return argument.hasNoAliasAttr() ||
         argument.getParent()->getAttributes().hasParamAttr(argument.getArgNo(), kHeldBack);
}

bool isWritten(const llvm::Argument& pointer) {
  if (pointer.onlyReadsMemory()) return false;
  llvm::SmallSetVector<const llvm::Value*, 16> pointers;
  pointers.insert(&pointer);
  for (std::size_t i = 0; i < pointers.size(); ++i)
    for (const llvm::User* user : pointers[i]->users()) {
      if (llvm::isa<llvm::LoadInst, llvm::CmpInst>(user)) continue;
      if (!llvm::isa<llvm::GetElementPtrInst, llvm::PHINode, llvm::SelectInst, llvm::BitCastInst,
                     llvm::AddrSpaceCastInst>(user))
        return true;
      pointers.insert(user);
    }
  return false;
}

} // namespace clotho::compiler
