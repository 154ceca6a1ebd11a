// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Whether the kernel keeps values in memory, or accesses neighbours one by one, only because its global arguments may
/// point to the same memory.
bool gainsFromApartArguments(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

} // namespace clotho::compiler
