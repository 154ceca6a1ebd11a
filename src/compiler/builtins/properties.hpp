// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <optional>

namespace llvm {
class Module;
}

namespace clotho::compiler {

enum class BuiltinMemory : std::uint8_t {
  None,
  Arguments, ///< only what its pointer arguments point to
  Any,
};

enum class BuiltinUniformity : std::uint8_t {
  FollowsArguments, ///< The result is as uniform as the arguments and as what is read through them
  WorkGroup,        ///< the same for all work-items of a work-group, if the arguments are
  SubGroup,         ///< the same for all work-items of a sub-group, if the arguments are
  Varying,
};

struct BuiltinProperties {
  bool convergent;
  BuiltinMemory memory;
  BuiltinUniformity uniformity;
};

/// The unmangled name: "sin" for "_Z3sinDv4_f"; names that are not mangled are unchanged.
llvm::StringRef builtinBaseName(llvm::StringRef symbol);

/// The properties in builtins.def for a symbol, if it has any.
std::optional<BuiltinProperties> builtinProperties(llvm::StringRef symbol);

/// Replaces the producers' attributes of builtins by those of the table, on declarations and call sites. Functions that
/// BuiltinLibrary linked keep their own attributes, which come from their bodies; the program's other functions are
/// unchanged.
void applyBuiltinProperties(llvm::Module& module);

} // namespace clotho::compiler
