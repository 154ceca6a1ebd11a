// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

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

/// Changes the kernel such that its instructions name local variables directly, not inside constant expressions.
LocalMemory layoutLocalMemory(llvm::Function& kernel);

} // namespace clotho::compiler
