// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Marks stores to global memory that each work-item runs at most once, through a pointer argument that the kernel does
/// not load from. None if other threads may watch memory change, since such stores are weakly ordered.
/// Needs: work-item functions lowered, values in registers.  Gives: KernelFacts::nonTemporalUnits, outputs and changed.
struct MarkNonTemporalStoresPass : llvm::PassInfoMixin<MarkNonTemporalStoresPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// Gives each marked store of a whole vector a non-temporal variant, for launches that fill the caches
/// (cpu::LaunchParams::nonTemporalFrom) and vectors within one cache line. Lines are then not read before they are
/// written, and useful data stays in the caches. The threads that run the launch end it with a fence (finishStores).
/// Needs: work-group functions as they will be emitted, for x86.
struct NonTemporalStoresPass : llvm::PassInfoMixin<NonTemporalStoresPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
