// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Keeps from LLVM that what a kernel with barriers writes is reached by one argument alone (ir/apart_arguments.hpp),
/// and what inlining has left of such facts about parameters of functions.
/// Needs: functions with barriers inlined. Comes before the first pass that looks at memory.
class HoldApartPass : public llvm::PassInfoMixin<HoldApartPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
