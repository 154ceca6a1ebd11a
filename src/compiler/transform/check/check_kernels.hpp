// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/build_options.hpp"

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Adds checks to kernels, which report faults of the program while they run (docs/checking.md). It inlines the
/// program's functions first and moves variables to registers, so that pointers can be followed to arguments and
/// variables; all other optimisation would hide faults, or move them.
/// Needs: the program's own code, before builtins are linked, with places in the source. KeepInLoopsPass and
/// StoreElementsPass have run, which know the front end's code only.
/// Gives: kCheckSitesFlag, if there is a check, and KernelFacts::checks.
struct CheckKernelsPass : llvm::PassInfoMixin<CheckKernelsPass> {
  explicit CheckKernelsPass(unsigned checks) : checks_(checks) {} ///< a set of Check
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

 private:
  unsigned checks_;
};

} // namespace clotho::compiler
