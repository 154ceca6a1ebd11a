// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/SmallVector.h>

namespace llvm {
class Type;
} // namespace llvm

namespace clotho::compiler {

/// The scalars that a type consists of, in memory order: a vector's elements, a struct's members.
llvm::SmallVector<llvm::Type*, 4> scalarsOf(llvm::Type* type);

} // namespace clotho::compiler
