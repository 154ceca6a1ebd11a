// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/replace_calls.hpp"

#include <llvm/IR/InstIterator.h>

namespace clotho::compiler {

bool replaceCalls(llvm::Function& function, llvm::function_ref<bool(llvm::CallInst&)> replace) {
  bool changed = false;
  for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (call == nullptr || call->getCalledOperand() != &function || !replace(*call)) continue;
    call->eraseFromParent();
    changed = true;
  }
  if (function.use_empty()) function.eraseFromParent();
  return changed;
}

bool replaceIntrinsics(llvm::Function& function,
                       llvm::function_ref<llvm::Value*(llvm::CallInst& call, const IntrinsicCall& what)> valueOf) {
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    const auto what = matchIntrinsic(&instruction);
    llvm::Value* value = what ? valueOf(llvm::cast<llvm::CallInst>(instruction), *what) : nullptr;
    if (value == nullptr) continue;
    instruction.replaceAllUsesWith(value);
    instruction.eraseFromParent();
    changed = true;
  }
  return changed;
}

} // namespace clotho::compiler
