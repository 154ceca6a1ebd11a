// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/relaxed_functions.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Module.h>

#include <string>
#include <utility>

namespace clotho::compiler {
namespace {

/// Pairs of mangled names without their arguments. The native tangent is missing: it is too inaccurate for angles
/// beyond 2^22, and the limit for tangents has no such bound.
constexpr std::pair<const char*, const char*> kFunctions[] = {
    {"_Z3sin", "_Z10native_sin"}, {"_Z3cos", "_Z10native_cos"}, {"_Z4powr", "_Z11native_powr"}};

/// Whether the mangled arguments are one or two floats, or vectors of float.
bool areFloats(llvm::StringRef arguments) {
  if (arguments.consume_front("Dv")) {
    arguments = arguments.drop_while(llvm::isDigit);
    return arguments == "_f" || arguments == "_fS_";
  }
  return arguments == "f" || arguments == "ff";
}

std::string nativeName(llvm::StringRef name) {
  for (const auto& [full, native] : kFunctions)
    if (llvm::StringRef arguments = name; arguments.consume_front(full) && areFloats(arguments))
      return (native + arguments).str();
  return {};
}

} // namespace

void callNativeFunctions(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    const std::string native = function.isDeclaration() ? nativeName(function.getName()) : std::string();
    if (native.empty()) continue;
    if (llvm::Function* other = module.getFunction(native)) {
      function.replaceAllUsesWith(other);
      function.eraseFromParent();
    } else {
      function.setName(native);
    }
  }
}

} // namespace clotho::compiler
