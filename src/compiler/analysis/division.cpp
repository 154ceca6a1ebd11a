// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/division.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstrTypes.h>

namespace clotho::compiler {

using llvm::Instruction;
using Result = Division::Result;

std::optional<Division> matchDivision(const llvm::Value& value) {
  const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&value);
  if (operation == nullptr || !value.getType()->isIntegerTy() || value.getType()->getIntegerBitWidth() > 64)
    return std::nullopt;
  llvm::Value *dividend = operation->getOperand(0), *by = operation->getOperand(1);
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(by);
  const auto division = [&](Result result, bool isSigned) {
    const bool isPositive = constant != nullptr && !(isSigned && constant->isNegative());
    return Division{result, dividend, by, isPositive ? constant->getZExtValue() : 0, isSigned};
  };
  const auto byPower = [&](Result result, unsigned bits, bool isSigned) {
    return bits < value.getType()->getIntegerBitWidth()
               ? std::optional(Division{result, dividend, nullptr, std::uint64_t{1} << bits, isSigned})
               : std::nullopt;
  };
  switch (operation->getOpcode()) {
  case Instruction::UDiv: return division(Result::Quotient, false);
  case Instruction::SDiv: return division(Result::Quotient, true);
  case Instruction::URem: return division(Result::Remainder, false);
  case Instruction::SRem: return division(Result::Remainder, true);
  case Instruction::LShr:
  case Instruction::AShr:
    if (constant == nullptr) return std::nullopt;
    return byPower(Result::Quotient, static_cast<unsigned>(constant->getLimitedValue(64)),
                   operation->getOpcode() == Instruction::AShr);
  case Instruction::And:
    if (constant == nullptr) return std::nullopt;
    if (constant->getValue().isMask()) return byPower(Result::Remainder, constant->getValue().countr_one(), false);
    if (constant->getValue().isNegatedPowerOf2())
      return byPower(Result::Multiple, constant->getValue().countr_zero(), false);
    return std::nullopt;
  default: return std::nullopt;
  }
}

} // namespace clotho::compiler
