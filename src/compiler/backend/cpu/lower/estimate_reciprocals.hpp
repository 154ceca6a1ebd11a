// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/processor_model.hpp"

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Replaces quotients of floats by estimates with one Newton step: a / sqrt(x) on x86, 1 / x on processors with AVX-512
/// that divide slowly. Done if that is faster, the quotient need not be rounded correctly, and zeros, infinities and
/// subnormal numbers stay right. LLVM's own estimates are switched off, since they give NaN at zeros and infinities.
/// Runs late, since other passes do not understand the result.
/// Needs: nothing.  Gives: code for x86.
class EstimateReciprocalsPass : public llvm::PassInfoMixin<EstimateReciprocalsPass> {
 public:
  explicit EstimateReciprocalsPass(const ProcessorModel& cpu) : cpu_(cpu) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);

 private:
  ProcessorModel cpu_;
};

} // namespace clotho::compiler
