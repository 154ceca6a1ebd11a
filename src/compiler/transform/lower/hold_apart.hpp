// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Hides from LLVM that memory written by a kernel with barriers, of the work-group, of sub-groups or in functions that
/// it calls, is reached through one argument alone (ir/apart_arguments.hpp), and removes what inlining has left of such
/// facts about function parameters. Needs: functions with barriers inlined. Must run before any pass that analyses
/// memory.
class HoldApartPass : public llvm::PassInfoMixin<HoldApartPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
