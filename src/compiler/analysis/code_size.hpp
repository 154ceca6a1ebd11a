// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace llvm {
class Function;
}

namespace clotho::compiler {

/// Estimated work for the code generator, in machine instructions. An operation on a vector counts once for each
/// register that the vector fills.
std::size_t workOf(const llvm::Function& function);

} // namespace clotho::compiler
