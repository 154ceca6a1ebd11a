// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

/// The functions of pipes in the builtin library that stay calls (src/builtins/pipe.cl). No program can spell their
/// names.
namespace clotho::compiler {

/// None of them waits for another work-item, though they read what others write.
inline bool isPipeFunction(const llvm::Function& function) { return function.getName().starts_with("clotho.pipe."); }

/// Whether the call is one for all live lanes of a sub-group, which share what it returns: the kernel has counted them.
/// Its arguments are the same for all.
inline bool runsOnce(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee != nullptr && callee->getName().starts_with("clotho.pipe.once.");
}

} // namespace clotho::compiler
