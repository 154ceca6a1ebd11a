// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace llvm {
class Function;
}

namespace clotho::compiler {

/// The work that a function makes for the code generator, roughly, in instructions of the machine: a vector is as many
/// as it takes registers.
std::size_t workOf(const llvm::Function& function);

} // namespace clotho::compiler
