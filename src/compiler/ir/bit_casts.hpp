// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Instructions.h>

namespace clotho::compiler {

/// Strips all bit casts.
inline const llvm::Value* withoutBitCasts(const llvm::Value* value) {
  while (const auto* cast = llvm::dyn_cast<llvm::BitCastInst>(value))
    value = cast->getOperand(0);
  return value;
}

inline llvm::Value* withoutBitCasts(llvm::Value* value) {
  return const_cast<llvm::Value*>(withoutBitCasts(static_cast<const llvm::Value*>(value)));
}

} // namespace clotho::compiler
