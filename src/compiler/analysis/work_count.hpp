// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/compiler.hpp"

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Counts what a kernel's average work-item does: floating-point operations, and bytes of global memory. Trip counts of
/// loops may depend on integer arguments, on the sizes of the launch and on ids, of which the mean counts. Loops that
/// end early, and those that depend on memory, make the whole unknown. Code behind an `if` without `else` counts as
/// executed, each side of one with `else` by half. A call of a builtin function counts as one operation. Needs a kernel
/// with values in registers, before work-items share vectors.
class WorkCountAnalysis : public llvm::AnalysisInfoMixin<WorkCountAnalysis> {
 public:
  using Result = KernelWork;
  static Result run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  friend llvm::AnalysisInfoMixin<WorkCountAnalysis>;
  static llvm::AnalysisKey Key;
};

} // namespace clotho::compiler
