// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace clotho::compiler {

/// Mends what LLVM 22's SPIR-V back end writes wrongly of constants:
///  - a null that initialises a pointer to global memory is written as a null of 64-bit integers: it gets the type of
///    what it is a part of;
///  - the address of so many bytes behind a variable is written as that of so many elements of it: the variable's
///    address becomes one of bytes first;
///  - addresses keep their types where others are wanted, as in an array of pointers into a struct.
/// `spirv`: a module whose words have this machine's byte order.
void mendConstants(std::string& spirv);

} // namespace clotho::compiler
