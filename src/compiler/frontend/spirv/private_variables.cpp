// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Module-scope variables in private memory: each work-item has its own. OpenCL C has none, but compilers put constants
// there.
#include "compiler/frontend/spirv/reader.hpp"

#include "compiler/ir/kernels.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace clotho::compiler::spirv {
namespace {

using llvm::Value;

/// Whether the memory is only read.
bool isOnlyRead(Value& variable) {
  llvm::SmallVector<const Value*, 8> pointers = {&variable};
  llvm::SmallPtrSet<const Value*, 8> seen;
  while (!pointers.empty()) {
    const Value* pointer = pointers.pop_back_val();
    if (!seen.insert(pointer).second) continue;
    for (const llvm::User* user : pointer->users()) {
      if (llvm::isa<llvm::LoadInst, llvm::CmpInst>(user)) continue;
      if (const auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(user); copy != nullptr && copy->getRawDest() != pointer)
        continue;
      if (!llvm::isa<llvm::GEPOperator, llvm::AddrSpaceCastOperator, llvm::PHINode, llvm::SelectInst>(user))
        return false;
      pointers.push_back(user);
    }
  }
  return true;
}

llvm::Function* functionOf(const llvm::User* user) {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
  return instruction == nullptr ? nullptr : const_cast<llvm::Function*>(instruction->getFunction());
}

/// A function other than a kernel that uses the variable; null if there is none.
llvm::Function* helperWith(const llvm::GlobalVariable& variable) {
  for (const llvm::User* user : variable.users())
    if (llvm::Function* function = functionOf(user); function != nullptr && !isKernel(*function)) return function;
  return nullptr;
}

/// Inlines all calls of the function and removes it. False if that is impossible.
bool inlineAll(llvm::Function& function) {
  llvm::SmallVector<llvm::CallInst*, 8> calls;
  for (llvm::User* user : function.users()) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (call == nullptr || call->getCalledOperand() != &function || call->getFunction() == &function) return false;
    calls.push_back(call);
  }
  for (llvm::CallInst* call : calls) {
    llvm::InlineFunctionInfo info;
    if (!llvm::InlineFunction(*call, info).isSuccess()) return false;
  }
  if (!function.hasInternalLinkage()) return false;
  function.eraseFromParent();
  return true;
}

/// A constant with the variable's initial value.
llvm::GlobalVariable* constantLike(llvm::GlobalVariable& variable) {
  auto* constant = new llvm::GlobalVariable(*variable.getParent(), variable.getValueType(), /*isConstant=*/true,
                                            llvm::GlobalValue::InternalLinkage, variable.getInitializer(), "", nullptr,
                                            llvm::GlobalValue::NotThreadLocal, kConstantSpace);
  constant->takeName(&variable);
  constant->setAlignment(variable.getAlign());
  return constant;
}

} // namespace

void Reader::placePrivateVariables() {
  // Limits inlining: functions with many calls, each of which becomes a copy, may fill all memory.
  constexpr unsigned kMostInlined = 1024;
  unsigned inlined = 0;
  for (llvm::GlobalVariable* variable : privateVariables_) {
    llvm::convertUsersOfConstantsToInstructions({variable});
    if (variable->isConstant() || isOnlyRead(*variable)) {
      llvm::GlobalVariable* constant = constantLike(*variable);
      variable->replaceAllUsesWith(llvm::ConstantExpr::getAddrSpaceCast(constant, variable->getType()));
      variable->eraseFromParent();
      continue;
    }
    while (llvm::Function* helper = helperWith(*variable)) {
      inlined += helper->getNumUses();
      if (inlined > kMostInlined || !inlineAll(*helper))
        return fail("a private variable of the module is used by a function that is not part of a kernel alone");
    }
    llvm::DenseMap<llvm::Function*, llvm::AllocaInst*> copies;
    llvm::GlobalVariable* first = nullptr;
    for (llvm::Use& use : llvm::make_early_inc_range(variable->uses())) {
      llvm::Function* kernel = functionOf(use.getUser());
      if (kernel == nullptr) return fail("a variable's first value is the address of a private one");
      llvm::AllocaInst*& copy = copies[kernel];
      if (copy == nullptr) {
        llvm::BasicBlock& entry = kernel->getEntryBlock();
        llvm::IRBuilder<> atEntry(&entry, entry.getFirstInsertionPt());
        copy = atEntry.CreateAlloca(variable->getValueType());
        copy->setAlignment(variable->getAlign().valueOrOne());
        if (first == nullptr) first = constantLike(*variable);
        atEntry.CreateMemCpy(copy, copy->getAlign(), first, first->getAlign(),
                             module_->getDataLayout().getTypeStoreSize(variable->getValueType()).getFixedValue());
      }
      use.set(copy);
    }
    variable->eraseFromParent();
  }
}

} // namespace clotho::compiler::spirv
