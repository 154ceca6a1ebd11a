// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>

namespace clotho::compiler {

/// Whether the instruction is a fused multiply-add.
bool addsToProduct(const llvm::Instruction& instruction);

/// Whether the instruction multiplies 32-bit integers (ProcessorModel::productLatency).
bool multipliesIntegers(const llvm::Instruction& instruction);

/// Cost of an instruction in LLVM's tables, in operations or cycles as `kind` says; 1 if the tables do not know it.
double costByTables(const llvm::Instruction& instruction, const llvm::TargetTransformInfo& costs,
                    llvm::TargetTransformInfo::TargetCostKind kind);

} // namespace clotho::compiler
