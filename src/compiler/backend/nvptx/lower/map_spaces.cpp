// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/nvptx/lower/map_spaces.hpp"

#include "compiler/ir/map_address_spaces.hpp"

#include <llvm/IR/Module.h>

namespace clotho::compiler {

llvm::PreservedAnalyses NvptxAddressSpacesPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  mapAddressSpaces(module, {.global = 1, .constant = 1, .local = 3, .generic = 0});
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
