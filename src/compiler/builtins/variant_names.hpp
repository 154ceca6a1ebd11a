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

/// Mangled name of the variant of `function` for vectors of `lanes` elements; it writes a second result to private
/// memory. Nothing if `function` is not a long elementwise builtin.
std::optional<std::string> variantName(const llvm::Function& function, unsigned lanes);

/// Type that such a function writes through its last parameter without reading; null if it has no such parameter.
llvm::Type* secondResult(const llvm::Function& function);

} // namespace clotho::compiler
