// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace clotho::compiler {

/// Repairs constants that LLVM 22's SPIR-V back end writes wrongly:
/// - a null that initialises a pointer to global memory is written as a null of 64-bit integers: it gets the type of
///   the member that it initialises;
/// - an offset in bytes from a variable is written as one in elements: the variable's address is first cast to one of
///   bytes;
/// - addresses keep their types if others are wanted, as in an array of pointers into a struct.
/// `spirv`: a module whose words have this machine's byte order.
void mendConstants(std::string& spirv);

} // namespace clotho::compiler
