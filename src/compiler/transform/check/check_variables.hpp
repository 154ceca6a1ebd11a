// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/transform/check/checker.hpp"

namespace clotho::compiler {

/// Marks reads of private variables that may not be written before. A variable gets a shadow, of which each byte says
/// whether the byte of the variable was written. Both become registers, and what is always written needs no check.
/// Needs: variables still in memory. Arrays that are indexed by variables are left to checkAccesses.
void markReadsOfVariables(llvm::Function& function);

/// Replaces the marks by checks, except where all is surely written. Call it when SROA has moved the shadows to
/// registers: most marks are left out then, and have divided no blocks.
void reportUnwritten(llvm::Function& function, Checker& checker);

/// Creates the shadow of a private variable, which is cleared wherever the variable begins to live.
llvm::AllocaInst* createShadow(llvm::AllocaInst& variable);

/// Whether the variable is one of those.
bool isShadow(const llvm::AllocaInst& variable);

} // namespace clotho::compiler
