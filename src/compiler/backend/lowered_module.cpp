// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/lowered_module.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/FormatVariadic.h>

namespace clotho::compiler {

bool hasUndefined(const llvm::Module& module, std::string& log) {
  constexpr unsigned kLocalSpace = 3; // memory that the launch provides
  bool found = false;
  const auto report = [&](const llvm::GlobalValue& value, const char* what) {
    found = true;
    log += llvm::formatv("error: the {0} '{1}' is used but not defined\n", what, llvm::demangle(value.getName())).str();
  };
  for (const llvm::Function& function : module)
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty()) report(function, "function");
  for (const llvm::GlobalVariable& variable : module.globals())
    if (variable.isDeclaration() && !variable.use_empty() && variable.getAddressSpace() != kLocalSpace)
      report(variable, "variable");
  return found;
}

std::vector<PrintfFormat> printfFormats(const llvm::Module& module) {
  std::vector<PrintfFormat> formats;
  const llvm::NamedMDNode* table = module.getNamedMetadata("clotho.printf");
  if (table == nullptr) return formats;
  for (const llvm::MDNode* node : table->operands()) {
    PrintfFormat& format = formats.emplace_back();
    format.format = llvm::cast<llvm::MDString>(node->getOperand(0))->getString().str();
    for (const llvm::MDOperand& size : llvm::drop_begin(node->operands()))
      format.argSizes.push_back(
          static_cast<std::uint32_t>(llvm::mdconst::extract<llvm::ConstantInt>(size)->getZExtValue()));
  }
  return formats;
}

} // namespace clotho::compiler
