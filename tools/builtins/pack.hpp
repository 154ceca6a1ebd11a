// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/Support/Error.h>

#include <memory>

namespace llvm {
class Module;
}

namespace clotho::tools {

/// Splits the library into many small modules, which are read as needed, and writes them all with an index
/// (src/compiler/builtins/format.hpp).
llvm::Error pack(std::unique_ptr<llvm::Module> library, llvm::StringRef path);

} // namespace clotho::tools
