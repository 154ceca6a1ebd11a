// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Assumes that arguments share no memory, since programs seldom write `restrict`. It helps in two cases. A sum that a
/// loop keeps in a buffer, `c[i] += a[k] * b[k]`, is stored and loaded in each iteration, since `a` might be `c`;
/// without aliasing LICM promotes it to a register. Adjacent elements of a work-item are accessed one by one if a store
/// through another argument comes between two loads, or a load between two stores, also across iterations of a loop
/// that will be unrolled; without aliasing mergeAccesses merges them.
/// Other launches (LaunchFacts::argumentsApart) run the exact variant, which is cloned here from the unchanged kernel.
/// Kernels that reach memory other than through arguments stay as they are.
/// Needs: functions inlined into kernels, values in registers, loops as they were written.
struct AssumeApartPass : llvm::PassInfoMixin<AssumeApartPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

} // namespace clotho::compiler
