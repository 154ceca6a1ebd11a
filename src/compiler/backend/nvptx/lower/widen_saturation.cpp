// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/nvptx/lower/widen_saturation.hpp"

#include "compiler/ir/run_pass.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace clotho::compiler {
namespace {

using llvm::SaturatingInst;
using llvm::Value;

void widen(SaturatingInst& operation) {
  constexpr unsigned kBits = 32;
  llvm::IRBuilder<> builder(&operation);
  llvm::Type* type = operation.getType();
  const unsigned bits = type->getScalarSizeInBits();
  llvm::Type* wide = type->getWithNewBitWidth(kBits);
  const bool isSigned = operation.isSigned();
  const auto extended = [&](Value* value) {
    return isSigned ? builder.CreateSExt(value, wide) : builder.CreateZExt(value, wide);
  };
  const auto constant = [&](const llvm::APInt& value) { return llvm::ConstantInt::get(wide, value); };
  // Differences of unsigned numbers may be negative, so all limits are signed ones.
  const llvm::APInt least = isSigned ? llvm::APInt::getSignedMinValue(bits).sext(kBits) : llvm::APInt(kBits, 0);
  const llvm::APInt most =
      isSigned ? llvm::APInt::getSignedMaxValue(bits).sext(kBits) : llvm::APInt::getMaxValue(bits).zext(kBits);
  Value* result =
      builder.CreateBinOp(operation.getBinaryOp(), extended(operation.getLHS()), extended(operation.getRHS()));
  result = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, result, constant(least));
  result = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, result, constant(most));
  operation.replaceAllUsesWith(builder.CreateTrunc(result, type));
  operation.eraseFromParent();
}

} // namespace

llvm::PreservedAnalyses WidenSaturationPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  llvm::SmallVector<SaturatingInst*, 8> operations;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* operation = llvm::dyn_cast<SaturatingInst>(&instruction);
        operation != nullptr && llvm::is_contained({8U, 16U}, operation->getType()->getScalarSizeInBits()) &&
        (operation->getBinaryOp() == llvm::Instruction::Add || operation->getBinaryOp() == llvm::Instruction::Sub))
      operations.push_back(operation);
  for (SaturatingInst* operation : operations)
    widen(*operation);
  return preservedWithEdges(!operations.empty());
}

} // namespace clotho::compiler
