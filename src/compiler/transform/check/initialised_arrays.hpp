// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Instructions.h>

namespace clotho::compiler {

/// Whether a private array or structure is surely written before anything else is done with it: wherever it begins to
/// live, a run of stores and fills in the same block writes all of it but padding.
bool isInitialised(const llvm::AllocaInst& variable);

} // namespace clotho::compiler
