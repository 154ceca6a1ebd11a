// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Makes atomic changes of local memory, which only the thread that runs the work-group sees, plain ones. Then puts all
/// pointers into address space 0, and with them what else the host's code generator does not know: the
/// SPIR calling conventions, OpenCL's synchronisation scopes, and opaque target types, which become pointers.
/// Needs: local memory lowered; whatever wants to tell address spaces apart has run.  Gives: plain IR for any CPU
/// with 64-bit pointers.
struct FlattenAddressSpacesPass : llvm::PassInfoMixin<FlattenAddressSpacesPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
