// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/compiler.hpp"

#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace clotho::compiler {

/// Reports each function and variable that is used but not defined. Returns whether there is one.
bool hasUndefined(const llvm::Module& module, std::string& log);

/// The formats that LowerPrintfPass has found.
std::vector<PrintfFormat> printfFormats(const llvm::Module& module);

} // namespace clotho::compiler
