// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Analysis.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>

#include <utility>

namespace clotho::compiler {

/// Runs a pass on a function inside another pass. Pass instrumentation sees it by its name and may skip it, as with a
/// pass manager.
template <class Pass> void runPass(Pass pass, llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  llvm::FunctionPassManager passes;
  passes.addPass(std::move(pass));
  passes.run(function, analyses);
}

/// Analyses that are valid after a pass that changes no edges of the control-flow graph.
inline llvm::PreservedAnalyses preservedWithEdges(bool changed) {
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

/// A pass that pass instrumentation may not skip, since its caller needs the form that it produces.
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

/// An optional part of a pass. It has a name in compiler/steps.def, by which pass instrumentation sees it and may skip
/// it.
class Step {
 public:
  explicit Step(llvm::StringRef name) : name_(name) {}
  llvm::StringRef name() const { return name_; }

  /// Whether pass instrumentation lets the part run on `function`. To the instrumentation the part ends here, for its
  /// work cannot be told from the rest of the pass.
  bool isWanted(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) const {
    const bool isWanted = begin(function, analyses);
    if (isWanted) end(function, analyses, /*changed=*/false);
    return isWanted;
  }

  /// Runs `work`, which returns whether it changed the function, unless pass instrumentation skips it.
  template <class Work> bool run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses, Work&& work) const {
    if (!begin(function, analyses)) return false;
    const bool changed = std::forward<Work>(work)();
    end(function, analyses, changed);
    return changed;
  }

 private:
  bool begin(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) const;
  void end(llvm::Function& function, llvm::FunctionAnalysisManager& analyses, bool changed) const;

  llvm::StringRef name_;
};

} // namespace clotho::compiler
