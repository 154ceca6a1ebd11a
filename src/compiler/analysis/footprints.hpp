// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/footprint.hpp"

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Finds which bytes of its arguments a kernel accesses, as expressions in ids, sizes and integer arguments
/// (KernelFootprint). An address that cannot be expressed counts as any of the argument's bytes. What the kernel does
/// to memory that no argument gives, or in an order that other work-items see, makes the whole unknown. Needs a kernel
/// with values in registers, before work-items share vectors.
class FootprintAnalysis : public llvm::AnalysisInfoMixin<FootprintAnalysis> {
 public:
  using Result = KernelFootprint;
  static Result run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  friend llvm::AnalysisInfoMixin<FootprintAnalysis>;
  static llvm::AnalysisKey Key;
};

} // namespace clotho::compiler
