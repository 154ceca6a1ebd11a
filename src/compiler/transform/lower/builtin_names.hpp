// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/ir/sub_group_operations.hpp"

#include <llvm/ADT/StringRef.h>

namespace clotho::compiler {

/// Letter of a mangled type's elements, 'H' for half ("Dh"): for Dv4_f it is 'f'. `mangled` may continue after the
/// type.
char elementCode(llvm::StringRef mangled);

/// The combination that a suffix such as "add" or "min" of a function's name means; None for other suffixes. `element`:
/// the letter of the element type (elementCode).
Combination combinationOf(llvm::StringRef name, char element);

} // namespace clotho::compiler
