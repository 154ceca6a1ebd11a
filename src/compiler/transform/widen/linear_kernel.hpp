// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/ir/kernels.hpp"

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Number of adjacent lanes of a linear kernel's sub-groups that are in one row, aligned to that number; 0 if they are
/// too few to pay, if there is only one row, or if the local size is unknown.
unsigned blockLanesOf(const llvm::Function& kernel);

/// Replaces all ids of a work-item by values computed from its linear one: lanes that are neighbours by it may be in
/// different rows. A required size becomes one row of as many work-items (KernelFacts::linearOf).
void makeLinear(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

/// Clones the kernel and makes the clone linear.
llvm::Function* cloneLinear(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

} // namespace clotho::compiler
