// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/backend/stage.hpp"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/StandardInstrumentations.h>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace clotho::compiler {

/// Whether modules are verified after each pass: in builds with asserts.
#ifdef NDEBUG
inline constexpr bool kVerifiesEach = false;
#else
inline constexpr bool kVerifiesEach = true;
#endif

/// A pass builder and the analysis managers that it fills, for one module.
class PassManagers {
 public:
  /// `machine` may be null before a target is chosen. `observer` sees the passes that run.
  PassManagers(const llvm::Module& module, llvm::TargetMachine* machine, const PassObserver& observer,
               llvm::PipelineTuningOptions tuning = {});

  llvm::PassBuilder& builder() { return builder_; }
  void run(llvm::ModulePassManager& passes, llvm::Module& module) { passes.run(module, moduleAnalyses_); }

 private:
  llvm::PassInstrumentationCallbacks callbacks_;
  llvm::StandardInstrumentations instrumentations_;
  llvm::LoopAnalysisManager loopAnalyses_;
  llvm::FunctionAnalysisManager functionAnalyses_;
  llvm::CGSCCAnalysisManager componentAnalyses_;
  llvm::ModuleAnalysisManager moduleAnalyses_;
  llvm::TargetLibraryInfoImpl library_;
  llvm::PassBuilder builder_;
};

} // namespace clotho::compiler
