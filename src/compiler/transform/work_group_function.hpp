// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// What the pass says of each kernel, as string attributes of the work-group function.
inline constexpr const char* kKernelAttribute = "clotho-kernel"; ///< the kernel's name
inline constexpr const char* kLocalBytesAttribute = "clotho-local-bytes";
inline constexpr const char* kFrameBytesAttribute = "clotho-frame-bytes-per-item";
inline constexpr const char* kPrivateBytesAttribute = "clotho-private-bytes";
inline constexpr const char* kBarrierAttribute = "clotho-uses-barrier";
inline constexpr const char* kPrintfAttribute = "clotho-uses-printf";

/// Replaces each kernel K by two functions: `clotho_wg_K`, which runs a range of work-groups
/// (cpu::WorkGroupFunction) and is all that the object exports, and `K.cl`, which runs one: for each region between
/// barriers, a loop over the group's work-items.
/// Needs: barriers isolated, no primitive outside kernels.  Gives: no kernel, no primitive, no local variable.
struct WorkGroupFunctionPass : llvm::PassInfoMixin<WorkGroupFunctionPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
