// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Programs seldom say `restrict`, so a sum that a loop keeps in a buffer, `c[i] += a[k] * b[k]`, is stored and loaded
/// in each round: `a` might be `c`. Likewise elements that a work-item has side by side are accessed one by one where a
/// store by another argument is between two loads, or a load between two stores, also of the rounds of a loop that will
/// be unrolled. For kernels with either it is assumed that no memory of an argument is
/// another's (LaunchFacts::argumentsApart, noalias), and LLVM's LICM then keeps the sum in a register (scalar
/// promotion), and mergeAccesses makes one access of several. Launches of which that does not hold run the exact
/// variant, which is made here, of the kernel as it was. Kernels that get at memory otherwise than through arguments
/// stay as they are. Needs: functions inlined into kernels, values in registers, loops as they were written.
struct AssumeApartPass : llvm::PassInfoMixin<AssumeApartPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

} // namespace clotho::compiler
