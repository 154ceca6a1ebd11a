// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/pass_managers.hpp"

#include "compiler/analysis/analyses.hpp"

#include <llvm/IR/Module.h>

namespace clotho::compiler {

PassManagers::PassManagers(const llvm::Module& module, llvm::TargetMachine* machine, const PassObserver& observer,
                           llvm::PipelineTuningOptions tuning)
    : instrumentations_(module.getContext(), /*DebugLogging=*/false, kVerifiesEach), library_(module.getTargetTriple()),
      builder_(machine, tuning, std::nullopt, &callbacks_) {
  instrumentations_.registerCallbacks(callbacks_, &moduleAnalyses_);
  if (observer) observer(callbacks_);
  // Disables C library functions: programs may define functions of the same names, and kernels link to rt.o alone.
  library_.disableAllFunctions();
  if (machine != nullptr)
    for (llvm::LibFunc function : {llvm::LibFunc_memcpy, llvm::LibFunc_memmove, llvm::LibFunc_memset})
      library_.setAvailable(function);
  functionAnalyses_.registerPass([&] { return llvm::TargetLibraryAnalysis(library_); });
  registerAnalyses(functionAnalyses_);
  builder_.registerModuleAnalyses(moduleAnalyses_);
  builder_.registerCGSCCAnalyses(componentAnalyses_);
  builder_.registerFunctionAnalyses(functionAnalyses_);
  builder_.registerLoopAnalyses(loopAnalyses_);
  builder_.crossRegisterProxies(loopAnalyses_, functionAnalyses_, componentAnalyses_, moduleAnalyses_);
}

} // namespace clotho::compiler
