// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/ir/intrinsics.hpp"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace clotho::compiler {

/// Removes calls of a function, and the function if nothing uses it any more. `replace`: emits the code that replaces a
/// call, and returns whether the call can go. Returns whether one went.
bool replaceCalls(llvm::Function& function, llvm::function_ref<bool(llvm::CallInst&)> replace);

/// Replaces calls of intrinsics in a function by values. `valueOf`: gives the value for a call, and may emit it before
/// the call; null: the call stays. Returns whether one went.
bool replaceIntrinsics(llvm::Function& function,
                       llvm::function_ref<llvm::Value*(llvm::CallInst& call, const IntrinsicCall& what)> valueOf);

} // namespace clotho::compiler
