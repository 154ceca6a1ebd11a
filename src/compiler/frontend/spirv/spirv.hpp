// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/build_options.hpp"
#include "compiler/compiler.hpp"

#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace clotho::compiler {

/// Makes the portable module from the request's SPIR-V, with its specialisation constants. Null if the SPIR-V is
/// invalid; `log` then says why.
std::unique_ptr<llvm::Module> readSpirv(const BuildRequest& request, const BuildOptions& options,
                                        llvm::LLVMContext& context, std::string& log);

} // namespace clotho::compiler
