// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/nvptx/lower/align_arrays.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace clotho::compiler {

llvm::PreservedAnalyses AlignArraysPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  const llvm::Align wanted(16);
  const llvm::DataLayout& layout = function.getDataLayout();
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* array = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      if (const auto bytes = array->getAllocationSize(layout); bytes && bytes->getFixedValue() >= wanted.value())
        array->setAlignment(std::max(array->getAlign(), wanted));
  return llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
