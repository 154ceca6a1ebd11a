// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Analysis.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>

#include <utility>

namespace clotho::compiler {

/// Runs a pass on a function inside another pass. The callbacks of the analysis manager see it by its name and may
/// leave it out, as they may when a pass manager runs it.
template <class Pass> void runPass(Pass pass, llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  llvm::FunctionPassManager passes;
  passes.addPass(std::move(pass));
  passes.run(function, analyses);
}

/// A pass that callbacks may not leave out, because its caller needs the form that it makes.
template <class Pass> class Required {
 public:
  explicit Required(Pass pass) : pass_(std::move(pass)) {}

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    return pass_.run(function, analyses);
  }
  static llvm::StringRef name() { return Pass::name(); }
  static bool isRequired() { return true; }
  void printPipeline(llvm::raw_ostream& out, llvm::function_ref<llvm::StringRef(llvm::StringRef)> nameOfClass) {
    pass_.printPipeline(out, nameOfClass);
  }

 private:
  Pass pass_;
};

template <class Pass> void runRequired(Pass pass, llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  runPass(Required(std::move(pass)), function, analyses);
}

/// An optional part of a pass. It has a name in compiler/steps.def, by which callbacks see it and may leave it out.
class Step {
 public:
  explicit Step(llvm::StringRef name) : name_(name) {}
  llvm::StringRef name() const { return name_; }

  /// Whether the part may run on `function`.
  bool mayRun(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) const;

  /// Runs `work`, which tells whether it changed the function, unless callbacks leave it out.
  template <class Work> bool run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses, Work&& work) const {
    if (!mayRun(function, analyses)) return false;
    const bool changed = std::forward<Work>(work)();
    end(function, analyses, changed);
    return changed;
  }

 private:
  void end(llvm::Function& function, llvm::FunctionAnalysisManager& analyses, bool changed) const;

  llvm::StringRef name_;
};

} // namespace clotho::compiler
