// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>

/// Passes that only choose where or how LLVM's passes run.
namespace clotho::compiler {

/// Whether the function runs several work-items at a time.
bool isWide(const llvm::Function& function);

/// Runs passes on the functions that run one work-item at a time.
class ForScalarFunctions : public llvm::PassInfoMixin<ForScalarFunctions> {
 public:
  explicit ForScalarFunctions(llvm::FunctionPassManager passes) : passes_(std::move(passes)) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; } // each of its passes is asked about by itself

 private:
  llvm::FunctionPassManager passes_;
};

/// Runs passes that lengthen code on functions that are to be optimised fully (KernelFacts::lacksFaster).
class ForWholeCode : public llvm::PassInfoMixin<ForWholeCode> {
 public:
  explicit ForWholeCode(llvm::FunctionPassManager passes) : passes_(std::move(passes)) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; } // each of its passes is asked about by itself

 private:
  llvm::FunctionPassManager passes_;
};

/// Unrolls loops whose trip count is known. For other loops LLVM's pass estimates the cost of each instruction, which
/// takes long for wide vectors, only to decide about peeling; loops of wide functions were considered before they were
/// widened.
struct UnrollCountedLoops : llvm::PassInfoMixin<UnrollCountedLoops> {
  llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                              llvm::LoopStandardAnalysisResults& results, llvm::LPMUpdater& updater);
};

/// Runs LLVM's full unrolling on a work-item's loops, with limits for the widened code: each element of a vector
/// becomes a vector of its own, so code that is short for one work-item may exceed the fetch rate of the processor.
/// Loops with barriers may become half as long again as others, since each iteration then knows which work-items take
/// part.
struct UnrollWorkItemLoops : llvm::PassInfoMixin<UnrollWorkItemLoops> {
  llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                              llvm::LoopStandardAnalysisResults& results, llvm::LPMUpdater& updater);
};

/// Promotes variables to registers in unoptimised builds: constant printf formats and the conditions of waiting loops
/// must be visible. Functions that need neither keep their variables in memory for a debugger, if they are built for
/// debugging.
struct PlainRegisters : llvm::PassInfoMixin<PlainRegisters> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
