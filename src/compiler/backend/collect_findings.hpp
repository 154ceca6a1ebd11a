// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/footprints.hpp"
#include "compiler/analysis/work_count.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/transform/layout/part_arguments.hpp"

#include <llvm/ADT/StringMap.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {

/// Facts about a kernel in the terms of the program, before any target's passes change it.
struct KernelFindings {
  KernelWork work;
  KernelFootprint footprint;
};
using FindingsOfKernels = llvm::StringMap<KernelFindings>; ///< by the kernels' names

/// Adds part arguments, and notes those of each kernel.
inline PartArgumentsPass addPartArguments(FindingsOfKernels& findings) {
  return PartArgumentsPass([&findings](llvm::StringRef kernel, const std::vector<PartArgument>& arguments) {
    findings[kernel].footprint.partArguments = arguments;
  });
}

/// Notes the findings of each kernel. Changes nothing.
class CollectFindings : public llvm::PassInfoMixin<CollectFindings> {
 public:
  explicit CollectFindings(FindingsOfKernels& findings) : findings_(&findings) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    if (isKernel(function))
      (*findings_)[function.getName()] = {analyses.getResult<WorkCountAnalysis>(function),
                                          analyses.getResult<FootprintAnalysis>(function)};
    return llvm::PreservedAnalyses::all();
  }

 private:
  FindingsOfKernels* findings_;
};

} // namespace clotho::compiler
