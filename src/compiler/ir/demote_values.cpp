// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/demote_values.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace clotho::compiler {

llvm::SmallVector<llvm::AllocaInst*, 16> demoteValues(llvm::Function& function) {
  const llvm::BasicBlock& entry = function.getEntryBlock();
  llvm::SmallVector<llvm::Instruction*, 16> values;
  llvm::SmallVector<llvm::PHINode*, 8> phis;
  for (llvm::BasicBlock& block : function)
    for (llvm::Instruction& instruction : block) {
      // A variable for what comes in is not enough where other blocks use the phi: they would use its load.
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) phis.push_back(phi);
      if (&block == &entry && llvm::isa<llvm::AllocaInst>(instruction)) continue;
      if (llvm::any_of(instruction.users(), [&](const llvm::User* user) {
            const auto* other = llvm::cast<llvm::Instruction>(user);
            return other->getParent() != &block || llvm::isa<llvm::PHINode>(other);
          }))
        values.push_back(&instruction);
    }
  llvm::SmallVector<llvm::AllocaInst*, 16> demoted;
  for (llvm::Instruction* value : values)
    demoted.push_back(llvm::DemoteRegToStack(*value));
  for (llvm::PHINode* phi : phis)
    if (llvm::AllocaInst* variable = llvm::DemotePHIToStack(phi)) demoted.push_back(variable); // none if it is unused
  return demoted;
}

void promoteValues(llvm::Function& function, llvm::ArrayRef<llvm::AllocaInst*> demoted) {
  llvm::DominatorTree dominators(function);
  llvm::PromoteMemToReg(demoted, dominators);
}

} // namespace clotho::compiler
