// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/build_options.hpp"

#include <llvm/Support/Error.h>

#include <string>

namespace llvm {
class Module;
}

namespace clotho::compiler {

/// Translates a module that clang has made for LLVM's target spirv64 to SPIR-V by LLVM's back end. The back end ends
/// the process if it finds something that it cannot express, so call this only in processes that may die.
llvm::Expected<std::string> makeSpirv(llvm::Module& module, const BuildOptions& options);

} // namespace clotho::compiler
