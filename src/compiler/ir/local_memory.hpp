// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/GlobalVariable.h>

#include <cstdint>
#include <vector>

namespace clotho::compiler {

/// The local variables of a kernel and where each lies in a work-group's local memory.
struct LocalMemory {
  struct Variable {
    llvm::GlobalVariable* variable;
    std::uint64_t offset;
    llvm::Align align;
  };
  std::vector<Variable> variables;
  std::uint64_t bytes = 0;
};

/// Of functions that work on the same local memory: a kernel and its variants.
/// Changes them such that their instructions name local variables directly, not inside constant expressions.
LocalMemory layoutLocalMemory(llvm::ArrayRef<llvm::Function*> functions);

} // namespace clotho::compiler
