// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>

/// Passes that do no more than choose where or how LLVM's passes run.
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

/// Runs passes that make code longer on functions that lack nothing (KernelFacts::lacksFaster).
class ForWholeCode : public llvm::PassInfoMixin<ForWholeCode> {
 public:
  explicit ForWholeCode(llvm::FunctionPassManager passes) : passes_(std::move(passes)) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; } // each of its passes is asked about by itself

 private:
  llvm::FunctionPassManager passes_;
};

/// Unrolls loops whose number of rounds is known. Of others LLVM's pass asks what each instruction in them costs, which
/// takes long with wide vectors, only to find whether rounds should be peeled off; those of wide functions have been
/// looked at before they were widened.
struct UnrollCountedLoops : llvm::PassInfoMixin<UnrollCountedLoops> {
  llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                              llvm::LoopStandardAnalysisResults& results, llvm::LPMUpdater& updater);
};

/// LLVM's full unrolling of a work-item's loops, by what they become when they are widened: each element of a vector is
/// then a vector of its own, so that what is short for one work-item would be more code than a processor fetches at the
/// speed at which it computes. Loops with barriers may become half as long again as others, since each round then knows
/// which work-items take part.
struct UnrollWorkItemLoops : llvm::PassInfoMixin<UnrollWorkItemLoops> {
  llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                              llvm::LoopStandardAnalysisResults& results, llvm::LPMUpdater& updater);
};

/// Prefetches, and loads that only touch lines, stay before the loads that follow them, among which instruction
/// selection would scatter them: asked for in order, lines come in twice the speed. The fence that keeps the order is
/// one of a single thread, which is no instruction.
struct TouchFirst : llvm::PassInfoMixin<TouchFirst> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

/// Variables into registers, where nothing is optimised: formats of printf must be seen to be constant, and what a loop
/// waits for. Functions that do without keep theirs in memory for a debugger, if they are to be debugged.
struct PlainRegisters : llvm::PassInfoMixin<PlainRegisters> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
