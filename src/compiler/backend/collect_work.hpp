// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/work_count.hpp"
#include "compiler/ir/kernels.hpp"

#include <llvm/ADT/StringMap.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {

using WorkOfKernels = llvm::StringMap<KernelWork>; ///< by the kernels' names

/// Notes the work of each kernel (WorkCountAnalysis). Changes nothing.
class CollectWork : public llvm::PassInfoMixin<CollectWork> {
 public:
  explicit CollectWork(WorkOfKernels& work) : work_(&work) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    if (isKernel(function)) (*work_)[function.getName()] = analyses.getResult<WorkCountAnalysis>(function);
    return llvm::PreservedAnalyses::all();
  }

 private:
  WorkOfKernels* work_;
};

} // namespace clotho::compiler
