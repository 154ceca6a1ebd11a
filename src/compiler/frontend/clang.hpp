// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/build_options.hpp"
#include "compiler/compiler.hpp"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace clotho::compiler {

/// Runs clang on the request's source, for portable modules or for LLVM's SPIR-V back end, as the request wants, all in
/// memory except for files that the source includes. Null if the source has errors; `log` gets the diagnostics in any
/// case, `dependencies` the files that were read.
std::unique_ptr<llvm::Module> compileOpenclC(const BuildRequest& request, const BuildOptions& options,
                                             llvm::LLVMContext& context, std::string& log,
                                             std::vector<Dependency>& dependencies);

} // namespace clotho::compiler
