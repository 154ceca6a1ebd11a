// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/ir/sub_group_operations.hpp"

#include <llvm/ADT/StringRef.h>

namespace clotho::compiler {

/// The letter of a mangled type's elements, 'H' for half ("Dh"): Dv4_f is 'f'. `mangled` may go on behind the type.
char elementCode(llvm::StringRef mangled);

/// What "add", "min" and the like at the end of a function's name mean for elements of that letter; None for others.
Combination combinationOf(llvm::StringRef name, char element);

} // namespace clotho::compiler
