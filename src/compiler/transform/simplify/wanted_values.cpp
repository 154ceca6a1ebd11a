// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/simplify/wanted_values.hpp"

#include "compiler/analysis/steering_arguments.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"

#include <llvm/Analysis/LoopInfo.h>

namespace clotho::compiler {

llvm::PreservedAnalyses WantedValuesPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (!isKernel(function) || function.isDeclaration()) return llvm::PreservedAnalyses::all();
  const std::uint64_t wanted = steeringArguments(function, analyses.getResult<llvm::LoopAnalysis>(function));
  if (wanted != 0) changeFacts(function, [&](KernelFacts& facts) { facts.wantedValues = wanted; });
  return llvm::PreservedAnalyses::all(); // No analysis depends on kernel facts.
}

} // namespace clotho::compiler
