// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/lower/lower_division.hpp"

#include "compiler/ir/run_pass.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

namespace clotho::compiler {
namespace {

using namespace llvm::PatternMatch;

bool isSigned(const llvm::BinaryOperator& division) {
  return division.getOpcode() == llvm::Instruction::SDiv || division.getOpcode() == llvm::Instruction::SRem;
}

bool isDivision(const llvm::BinaryOperator& op) {
  return isSigned(op) || op.getOpcode() == llvm::Instruction::UDiv || op.getOpcode() == llvm::Instruction::URem;
}

/// Whether the divisor is a constant whose elements are safe for every dividend.
bool isSafeDivisor(llvm::Value* divisor, bool isSignedDivision) {
  const auto safe = [&](const llvm::APInt& value) {
    return !value.isZero() && !(isSignedDivision && value.isAllOnes());
  };
  if (const llvm::APInt* value = nullptr; match(divisor, m_APInt(value))) return safe(*value);
  const auto* vector = llvm::dyn_cast<llvm::ConstantDataVector>(divisor);
  if (vector == nullptr) return false;
  for (unsigned i = 0; i < vector->getNumElements(); ++i)
    if (!safe(vector->getElementAsAPInt(i))) return false;
  return true;
}

void guard(llvm::BinaryOperator& division) {
  llvm::IRBuilder<> builder(&division);
  llvm::Value* dividend = division.getOperand(0);
  llvm::Value* divisor = division.getOperand(1);
  llvm::Type* type = divisor->getType();
  llvm::Value* unsafe = builder.CreateICmpEQ(divisor, llvm::Constant::getNullValue(type));
  if (isSigned(division)) {
    llvm::Value* lowest = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(type->getScalarSizeInBits()));
    llvm::Value* overflow = builder.CreateAnd(builder.CreateICmpEQ(dividend, lowest),
                                              builder.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(type)));
    unsafe = builder.CreateOr(unsafe, overflow);
  }
  division.setOperand(1, builder.CreateSelect(unsafe, llvm::ConstantInt::get(type, 1), divisor, "divisor"));
  if (division.getOpcode() == llvm::Instruction::SDiv || division.getOpcode() == llvm::Instruction::UDiv)
    division.setIsExact(false); // the changed divisor need not divide evenly
}

/// Replaces poison operands by zero: clang folds constants immediately, and for LLVM 1 / 0 is poison. Poison in
/// shuffles and insertions is legitimate.
bool replacePoison(llvm::Instruction& instruction) {
  bool changed = false;
  if (llvm::isa<llvm::ShuffleVectorInst, llvm::InsertElementInst, llvm::PHINode>(instruction)) return changed;
  for (llvm::Use& operand : instruction.operands())
    if (llvm::isa<llvm::PoisonValue>(operand) && operand->getType()->isIntOrIntVectorTy()) {
      operand.set(llvm::Constant::getNullValue(operand->getType()));
      changed = true;
    }
  return changed;
}

} // namespace

llvm::PreservedAnalyses LowerDivisionPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  llvm::SmallVector<llvm::BinaryOperator*, 8> work;
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    changed |= replacePoison(instruction);
    if (auto* op = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
        op != nullptr && isDivision(*op) && !isSafeDivisor(op->getOperand(1), isSigned(*op)))
      work.push_back(op);
  }
  for (llvm::BinaryOperator* division : work)
    guard(*division);
  return preservedWithEdges(changed || !work.empty());
}

} // namespace clotho::compiler
