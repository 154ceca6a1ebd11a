// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>

namespace llvm {
class Function;
class Type;
} // namespace llvm

namespace clotho::compiler {

/// The mangled name of the function that does to vectors of `lanes` elements what `function` does to each element; it
/// writes a second result to private memory. Nothing if `function` is not a long builtin that works element by element.
std::optional<std::string> variantName(const llvm::Function& function, unsigned lanes);

/// The type of what such a function writes through its last parameter and never reads; null if it has no such
/// parameter.
llvm::Type* secondResult(const llvm::Function& function);

} // namespace clotho::compiler
