// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/spirv/opencl_std.hpp"

#include "compiler/frontend/spirv/reader.hpp"

namespace clotho::compiler::spirv {
namespace {

struct Row {
  unsigned number;
  const char *name, *parameters;
};
constexpr Row kRows[] = {
#define EXTENDED(number, name, parameters) {number, #name, parameters},
#include "compiler/frontend/spirv/opencl_std.def"
};

} // namespace

std::optional<ExtendedFunction> extendedFunction(unsigned number, bool isFloat, unsigned bits, unsigned elements) {
  const Row* row = llvm::find_if(kRows, [&](const Row& each) { return each.number == number; });
  if (row == std::end(kRows)) return std::nullopt;
  llvm::StringRef name = row->name;
  // OpenCL C has these only for float. Any accuracy is allowed, so other types use the plain function.
  if (isFloat && bits != 32 && (name.consume_front("native_") || name.consume_front("half_")))
    if (name == "divide" || name == "recip") return std::nullopt; // which are no functions
  ExtendedFunction function{name.str(), {}, false};
  const auto general = [&](bool isSigned) {
    return isFloat ? ParameterType::floating(bits, elements) : ParameterType::integer(bits, isSigned, elements);
  };
  const ParameterType number32 = ParameterType::integer(32, true, elements);
  for (const char letter : llvm::StringRef(row->parameters)) {
    switch (letter) {
    case 's': function.parameters.push_back(general(true)); break;
    case 'e': function.parameters.push_back(ParameterType::integer(bits, true, elements)); break;
    case 'I': function.parameters.push_back(number32); break;
    case 'p': function.parameters.push_back(general(true).pointer(kGenericSpace)); break;
    case 'P': function.parameters.push_back(number32.pointer(kGenericSpace)); break;
    default: function.parameters.push_back(general(false)); break;
    }
    function.writesMemory |= function.parameters.back().isPointer;
  }
  return function;
}

} // namespace clotho::compiler::spirv
