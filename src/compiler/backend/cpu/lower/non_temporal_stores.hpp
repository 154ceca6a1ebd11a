// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Marks the stores of a kernel that each work-item executes once at most, to global memory, through a pointer argument
/// that the kernel does not load from; none where others may watch memory change, for such stores come in any order.
/// Needs: work-item functions lowered, values in registers. Gives the kernel KernelFacts::nonTemporalUnits, outputs and
/// changed.
struct MarkNonTemporalStoresPass : llvm::PassInfoMixin<MarkNonTemporalStoresPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// Gives each marked store of a whole vector a second way, past the caches: for launches that fill these
/// (cpu::LaunchParams::nonTemporalFrom), where the vector lies in one line. Lines need not be read then before they are
/// written, and what is of use to others stays. The threads that run the launch end it with a fence (finishStores).
/// Marked prefetches for stores are left out then. Where the launch says that its output is wanted in the caches
/// (cpu::LaunchParams::keepsOutput), those for loads are of lines that need not stay there.
/// Needs: work-group functions as they will be emitted, for x86.
struct NonTemporalStoresPass : llvm::PassInfoMixin<NonTemporalStoresPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
