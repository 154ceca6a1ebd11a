// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/spirv/spirv.hpp"

#include "compiler/frontend/spirv/validate.hpp"

#include <llvm/IR/Module.h>

namespace clotho::compiler {

std::unique_ptr<llvm::Module> readSpirv(const BuildRequest& request, const BuildOptions&, llvm::LLVMContext&,
                                        std::string& log) {
  // A request may come from a program that was created by another compiler, or by none.
  if (std::string why = checkSpirv(request.il); !why.empty()) {
    log += "error: " + why + "\n";
    return nullptr;
  }
  log += "error: this compiler does not read SPIR-V yet.\n";
  return nullptr;
}

} // namespace clotho::compiler
