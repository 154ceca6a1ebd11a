// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/widen/lower_switches.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace clotho::compiler {
namespace {

constexpr unsigned kMostCases = 4;

/// Makes `from` the only predecessor of `block` in place of all edges from the switch.
void comeFrom(llvm::BasicBlock& block, llvm::BasicBlock& before, llvm::BasicBlock& from) {
  for (llvm::PHINode& phi : block.phis()) {
    llvm::Value* value = phi.getIncomingValueForBlock(&before);
    while (phi.getBasicBlockIndex(&before) >= 0)
      phi.removeIncomingValue(&before, /*DeletePHIIfEmpty=*/false);
    phi.addIncoming(value, &from);
  }
}

void lower(llvm::SwitchInst& choice) {
  llvm::BasicBlock* begin = choice.getParent();
  llvm::BasicBlock* otherwise = choice.getDefaultDest();
  llvm::MapVector<llvm::BasicBlock*, llvm::SmallVector<llvm::ConstantInt*, kMostCases>> cases;
  for (const auto& one : choice.cases())
    if (one.getCaseSuccessor() != otherwise) cases[one.getCaseSuccessor()].push_back(one.getCaseValue());
  llvm::Value* number = choice.getCondition();
  choice.eraseFromParent();

  llvm::BasicBlock* here = begin;
  for (const auto& [block, values] : cases) {
    llvm::IRBuilder<> builder(here);
    llvm::Value* isOne = nullptr;
    for (llvm::ConstantInt* value : values) {
      llvm::Value* isThis = builder.CreateICmpEQ(number, value);
      isOne = isOne == nullptr ? isThis : builder.CreateOr(isOne, isThis);
    }
    const bool isLast = block == cases.back().first;
    llvm::BasicBlock* next =
        isLast ? otherwise : llvm::BasicBlock::Create(begin->getContext(), "case", begin->getParent(), block);
    builder.CreateCondBr(isOne, block, next);
    comeFrom(*block, *begin, *here);
    if (isLast) comeFrom(*otherwise, *begin, *here);
    here = next;
  }
  if (cases.empty()) {
    llvm::IRBuilder<>(begin).CreateBr(otherwise);
    comeFrom(*otherwise, *begin, *begin);
  }
}

} // namespace

void lowerSmallSwitches(llvm::Function& function) {
  llvm::SmallVector<llvm::SwitchInst*, 4> found;
  for (llvm::BasicBlock& block : function)
    if (auto* choice = llvm::dyn_cast<llvm::SwitchInst>(block.getTerminator());
        choice != nullptr && choice->getNumCases() <= kMostCases)
      found.push_back(choice);
  for (llvm::SwitchInst* choice : found)
    lower(*choice);
}

} // namespace clotho::compiler
