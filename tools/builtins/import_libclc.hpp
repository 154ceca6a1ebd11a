// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/Support/Error.h>

#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace clotho::tools {

/// Reads libclc for nvptx64 and makes it a module like those that clang emits for spir64: data layout and
/// triple, address spaces in types and in mangled names, the spir_func convention on functions and calls, nothing left
/// of NVPTX. What `own` defines is dropped: ours replaces libclc's.
llvm::Expected<std::unique_ptr<llvm::Module>> importLibclc(llvm::StringRef path, const llvm::Module& own);

} // namespace clotho::tools
