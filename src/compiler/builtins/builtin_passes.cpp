// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/builtins/builtin_passes.hpp"

#include "compiler/builtins/library.hpp"
#include "compiler/builtins/limit_inlining.hpp"
#include "compiler/builtins/properties.hpp"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

/// Errors go to the build log through the context's diagnostics.
llvm::PreservedAnalyses link(const BuiltinLibrary& library, llvm::Module& module) {
  if (llvm::Error error = library.linkInto(module)) module.getContext().emitError(llvm::toString(std::move(error)));
  return llvm::PreservedAnalyses::none();
}

} // namespace

llvm::PreservedAnalyses PreferGpuBuiltinsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  for (llvm::Function& function : module)
    if (const std::string name = ("clotho.gpu." + function.getName()).str();
        function.isDeclaration() && library_->defines(name))
      function.setName(name);
  return llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses LinkBuiltinsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  return link(*library_, module);
}

llvm::PreservedAnalyses LimitImagesPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  limitImages(module);
  return llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses LimitInliningPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  if (limitInlining(module, [this](llvm::StringRef name) { return library_->defines(name); }))
    return link(*library_, module);
  return llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses BuiltinPropertiesPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  applyBuiltinProperties(module);
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
