// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

/// Pipe functions of the builtin library that stay calls (src/builtins/pipe.cl). No program can spell their names.
namespace clotho::compiler {

/// Whether the function is one of those. None waits for another work-item, though they read what others write.
inline bool isPipeFunction(const llvm::Function& function) { return function.getName().starts_with("clotho.pipe."); }

/// Whether one call serves all active lanes of a sub-group, which share its result: the kernel has counted the lanes.
/// The arguments are uniform.
inline bool runsOnce(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee != nullptr && callee->getName().starts_with("clotho.pipe.once.");
}

} // namespace clotho::compiler
