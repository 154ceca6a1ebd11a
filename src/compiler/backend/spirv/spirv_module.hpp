// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/build_options.hpp"

#include <llvm/Support/Error.h>

#include <string>

namespace llvm {
class Module;
}

namespace clotho::compiler {

/// SPIR-V of a module that clang has made for LLVM's target spirv64, which LLVM's back end writes. It ends the process
/// where it finds something that it cannot express, so it belongs into processes that may die.
llvm::Expected<std::string> makeSpirv(llvm::Module& module, const BuildOptions& options);

} // namespace clotho::compiler
