// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/processor_model.hpp"

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Replaces quotients of floats by estimates and a step of Newton's where that is faster than to divide, the quotient
/// need not be rounded correctly, and the limits at zeros, infinities and subnormal numbers stay right: a / sqrt(x) on
/// x86, 1 / x on processors with AVX-512 that divide slowly. LLVM's own estimates are switched off, since they give
/// NaN at zeros and infinities.
/// Needs: nothing.  Gives: code for x86; late, since nothing else knows what it stands for.
class EstimateReciprocalsPass : public llvm::PassInfoMixin<EstimateReciprocalsPass> {
 public:
  explicit EstimateReciprocalsPass(const ProcessorModel& cpu) : cpu_(cpu) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);

 private:
  ProcessorModel cpu_;
};

} // namespace clotho::compiler
