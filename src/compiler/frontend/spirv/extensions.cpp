// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of small extensions: freeze and arithmetic fences, bitwise functions of three operands, bfloat16
// conversions, prefetches, storage class casts, and abort.
#include "compiler/frontend/spirv/opcodes.hpp"
#include "compiler/frontend/spirv/reader.hpp"

#include <llvm/ADT/APInt.h>

namespace clotho::compiler::spirv {
namespace {

using llvm::Value;

/// The value of an operand of the result's type; null after a failure.
Value* operandOfResultType(Reader& reader, const Instruction& instruction, std::size_t at) {
  Value* value = reader.value(instruction.operand(at));
  if (!reader.failed() && value->getType() != reader.llvmType(instruction.type))
    reader.fail("an instruction's operands are not of its type");
  return reader.failed() ? nullptr : value;
}

/// Prevents reassociation across the fence (SPV_EXT_arithmetic_fence). Only floating-point arithmetic is reordered.
void readFence(Reader& reader, const Instruction& instruction) {
  Value* value = operandOfResultType(reader, instruction, 0);
  if (value == nullptr) return;
  if (value->getType()->isFPOrFPVectorTy()) value = reader.builder.CreateArithmeticFence(value, value->getType());
  reader.define(instruction, value);
}

void readFreeze(Reader& reader, const Instruction& instruction) {
  if (Value* value = operandOfResultType(reader, instruction, 0))
    reader.define(instruction, reader.builder.CreateFreeze(value));
}

/// Evaluates a truth table with eight rows, indexed by one bit of each operand (SPV_INTEL_ternary_bitwise_function), as
/// the disjunction of the rows that are one.
void readBitwiseFunction(Reader& reader, const Instruction& instruction) {
  Value* operands[] = {operandOfResultType(reader, instruction, 0), operandOfResultType(reader, instruction, 1),
                       operandOfResultType(reader, instruction, 2)};
  const std::optional<std::uint64_t> table = reader.constant(instruction.operand(3));
  if (reader.failed()) return;
  llvm::Type* type = operands[0]->getType();
  if (!type->isIntOrIntVectorTy()) return reader.fail("a bitwise function of what are no integers");
  auto& builder = reader.builder;
  Value* result = llvm::Constant::getNullValue(type);
  for (unsigned row = 0; row < 8; ++row) {
    if ((*table >> row & 1) == 0) continue;
    Value* product = llvm::Constant::getAllOnesValue(type);
    for (unsigned i = 0; i < 3; ++i)
      product = builder.CreateAnd(product, (row >> i & 1) != 0 ? operands[i] : builder.CreateNot(operands[i]));
    result = builder.CreateOr(result, product);
  }
  reader.define(instruction, result);
}

/// Conversions of SPV_INTEL_bfloat16_conversion.
void readBfloatConversion(Reader& reader, const Instruction& instruction, bool toBfloat) {
  Value* from = reader.value(instruction.operand(0));
  llvm::Type* to = reader.llvmType(instruction.type);
  if (reader.failed()) return;
  llvm::Type *real = toBfloat ? from->getType() : to, *bits = toBfloat ? to : from->getType();
  if (!real->getScalarType()->isFloatTy() || !bits->getScalarType()->isIntegerTy(16) || !areLikeVectors(real, bits))
    return reader.fail("a conversion between values of wrong types");
  reader.define(instruction, toBfloat ? toBfloatBits(reader.builder, from) : fromBfloatBits(reader.builder, from));
}

/// Casts of SPV_INTEL_usm_storage_classes: all of these classes are global memory here.
void readStorageCast(Reader& reader, const Instruction& instruction) {
  if (Value* pointer = operandOfResultType(reader, instruction, 0)) {
    if (!pointer->getType()->isPointerTy()) return reader.fail("a cast of what is no pointer");
    reader.define(instruction, pointer);
  }
}

/// Ends the command by a trap, whose report has the source line (SPV_KHR_abort). Earlier stores must be visible: LLVM
/// drops stores before a trap, but not before a fence. The message is not reported.
void readAbort(Reader& reader, const Instruction& instruction) {
  reader.llvmType(instruction.operand(0));
  reader.value(instruction.operand(1));
  if (reader.failed()) return;
  reader.builder.CreateFence(llvm::AtomicOrdering::Release);
  reader.builder.CreateIntrinsic(llvm::Intrinsic::trap, {});
  reader.builder.CreateUnreachable();
}

} // namespace

bool areLikeVectors(llvm::Type* a, llvm::Type* b) {
  const auto *vectorA = llvm::dyn_cast<llvm::FixedVectorType>(a), *vectorB = llvm::dyn_cast<llvm::FixedVectorType>(b);
  return (vectorA == nullptr) == (vectorB == nullptr) &&
         (vectorA == nullptr || vectorA->getNumElements() == vectorB->getNumElements());
}

/// Rounds to nearest even; a NaN keeps its sign and upper bits and remains NaN.
Value* toBfloatBits(llvm::IRBuilder<>& builder, Value* from) {
  llvm::Type* type = from->getType();
  llvm::Type* wide = type->getWithNewType(builder.getInt32Ty());
  const auto number = [&](std::uint32_t value) { return llvm::ConstantInt::get(wide, value); };
  Value* bits = builder.CreateBitCast(from, wide);
  Value* odd = builder.CreateAnd(builder.CreateLShr(bits, number(16)), number(1));
  Value* rounded = builder.CreateAdd(builder.CreateAdd(bits, number(0x7fff)), odd);
  Value* quiet = builder.CreateOr(bits, number(0x400000));
  Value* chosen = builder.CreateSelect(builder.CreateFCmpUNO(from, from), quiet, rounded);
  return builder.CreateTrunc(builder.CreateLShr(chosen, number(16)), type->getWithNewType(builder.getInt16Ty()));
}

Value* fromBfloatBits(llvm::IRBuilder<>& builder, Value* from) {
  llvm::Type* wide = from->getType()->getWithNewType(builder.getInt32Ty());
  Value* bits = builder.CreateShl(builder.CreateZExt(from, wide), llvm::ConstantInt::get(wide, 16));
  return builder.CreateBitCast(bits, wide->getWithNewType(builder.getFloatTy()));
}

bool readExtension(Reader& reader, const Instruction& instruction) {
  switch (static_cast<unsigned>(instruction.op)) {
  case later::OpPoisonKHR:
    if (llvm::Type* type = reader.llvmType(instruction.type); type->isFirstClassType() && !type->isVoidTy())
      reader.define(instruction, llvm::PoisonValue::get(type));
    else
      reader.fail("poison of what has no values");
    return true;
  case later::OpFreezeKHR: readFreeze(reader, instruction); return true;
  case later::OpArithmeticFenceEXT: readFence(reader, instruction); return true;
  case later::OpBitwiseFunctionINTEL: readBitwiseFunction(reader, instruction); return true;
  case later::OpConvertFToBF16INTEL: readBfloatConversion(reader, instruction, /*toBfloat=*/true); return true;
  case later::OpConvertBF16ToFINTEL: readBfloatConversion(reader, instruction, /*toBfloat=*/false); return true;
  case later::OpSubgroupBlockPrefetchINTEL: return true; // but a hint
  case later::OpAbortKHR: readAbort(reader, instruction); return true;
  case spv::OpPtrCastToCrossWorkgroupINTEL:
  case spv::OpCrossWorkgroupCastToPtrINTEL: readStorageCast(reader, instruction); return true;
  default: return false;
  }
}

} // namespace clotho::compiler::spirv
