// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>

namespace clotho::compiler {

/// Whether it is a product and a sum in one.
bool addsToProduct(const llvm::Instruction& instruction);

/// Whether it multiplies integers of 32 bits, of which ProcessorModel::productLatency tells.
bool multipliesIntegers(const llvm::Instruction& instruction);

/// What an instruction takes by LLVM's cost tables, in operations or cycles, 1 where they do not know it.
double costByTables(const llvm::Instruction& instruction, const llvm::TargetTransformInfo& costs,
                    llvm::TargetTransformInfo::TargetCostKind kind);

} // namespace clotho::compiler
