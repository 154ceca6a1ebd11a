// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/local_memory.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>

namespace clotho::compiler {
namespace {

constexpr unsigned kLocalSpace = 3;

bool isUsedBy(const llvm::GlobalVariable& variable, llvm::ArrayRef<llvm::Function*> functions) {
  return llvm::any_of(variable.users(), [&](const llvm::User* user) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
    return instruction != nullptr && llvm::is_contained(functions, instruction->getFunction());
  });
}

} // namespace

bool isLocalAccess(const llvm::Instruction& loadOrStore) {
  return llvm::getLoadStoreAddressSpace(&loadOrStore) == kLocalSpace;
}

bool isLaneAfterLane(const llvm::Instruction& loadOrStore) {
  return loadOrStore.isAtomic() || (loadOrStore.isVolatile() && !isLocalAccess(loadOrStore));
}

LocalMemory layoutLocalMemory(llvm::ArrayRef<llvm::Function*> functions) {
  llvm::Module& module = *functions.front()->getParent();
  llvm::SmallVector<llvm::Constant*, 8> variables;
  for (llvm::GlobalVariable& variable : module.globals())
    if (variable.getAddressSpace() == kLocalSpace) variables.push_back(&variable);
  for (llvm::Function* function : functions)
    llvm::convertUsersOfConstantsToInstructions(variables, function);

  LocalMemory memory;
  const llvm::DataLayout& layout = module.getDataLayout();
  for (llvm::Constant* constant : variables) {
    auto* variable = llvm::cast<llvm::GlobalVariable>(constant);
    if (!isUsedBy(*variable, functions)) continue;
    const llvm::Align align = variable->getAlign().value_or(layout.getPreferredAlign(variable));
    memory.bytes = llvm::alignTo(memory.bytes, align);
    memory.variables.push_back({variable, memory.bytes, align});
    memory.bytes += layout.getTypeAllocSize(variable->getValueType());
  }
  return memory;
}

} // namespace clotho::compiler
