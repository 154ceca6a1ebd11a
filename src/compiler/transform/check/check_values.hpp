// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/transform/check/checker.hpp"

namespace clotho::compiler {

/// Adds checks of operations that have no value for some operands: integer division, conversion of floating point to
/// integers, and shifts of IL (OpenCL C takes shift amounts modulo the width).
void checkValues(llvm::Function& function, Checker& checker);

/// Whether the instruction is one that checkValues checks.
bool mayLackValue(const llvm::Instruction& instruction);

} // namespace clotho::compiler
