// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/instruction_cost.hpp"

#include <llvm/IR/IntrinsicInst.h>

namespace clotho::compiler {

using llvm::TargetTransformInfo;

bool addsToProduct(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call != nullptr &&
         (call->getIntrinsicID() == llvm::Intrinsic::fmuladd || call->getIntrinsicID() == llvm::Intrinsic::fma);
}

bool multipliesIntegers(const llvm::Instruction& instruction) {
  constexpr unsigned kBits = 32;
  return instruction.getOpcode() == llvm::Instruction::Mul && instruction.getType()->getScalarSizeInBits() == kBits;
}

double costByTables(const llvm::Instruction& instruction, const TargetTransformInfo& costs,
                    TargetTransformInfo::TargetCostKind kind) {
  // In the cost tables a fused multiply-add costs one operation if it fits a register, and two if its vector fills
  // several.
  const bool asProduct = kind == TargetTransformInfo::TCK_RecipThroughput && addsToProduct(instruction);
  const llvm::InstructionCost cost =
      asProduct ? costs.getArithmeticInstrCost(llvm::Instruction::FMul, instruction.getType(), kind)
                : costs.getInstructionCost(&instruction, kind);
  return cost.isValid() ? static_cast<double>(cost.getValue()) : 1;
}

} // namespace clotho::compiler
