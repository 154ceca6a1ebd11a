// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Makes atomics on local memory plain accesses, since only the thread that runs the work-group sees it. Then moves all
/// pointers to address space 0 and replaces what else the host's code generator does not know: the SPIR calling
/// conventions, OpenCL's synchronisation scopes, and opaque target types, which become pointers.
/// Needs: local memory lowered; passes that distinguish address spaces have run.  Gives: plain IR for any CPU with
/// 64-bit pointers.
struct FlattenAddressSpacesPass : llvm::PassInfoMixin<FlattenAddressSpacesPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
