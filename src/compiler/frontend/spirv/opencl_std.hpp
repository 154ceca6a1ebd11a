// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/frontend/spirv/mangle.hpp"

#include <llvm/ADT/SmallVector.h>

#include <optional>
#include <string>

namespace clotho::compiler::spirv {

/// The OpenCL C function that an instruction of OpenCL.std calls.
struct ExtendedFunction {
  std::string name;
  llvm::SmallVector<ParameterType, 3> parameters;
  bool writesMemory = false;
};

/// The function of an instruction whose first operand has this type; nothing if opencl_std.def has no such instruction.
std::optional<ExtendedFunction> extendedFunction(unsigned number, bool isFloat, unsigned bits, unsigned elements);

} // namespace clotho::compiler::spirv
