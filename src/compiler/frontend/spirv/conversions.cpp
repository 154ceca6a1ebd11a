// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions (SPIR-V specification, section 3.42.11). Those that round or saturate unlike casts in C become calls of
// OpenCL C's conversion functions.
#include "compiler/frontend/spirv/reader.hpp"

#include <llvm/IR/Constants.h>

namespace clotho::compiler::spirv {
namespace {

using llvm::Value;

/// Kinds of numbers that an instruction converts from and to, with the signedness that the instruction implies.
struct Kinds {
  bool fromFloat, fromSigned, toFloat, toSigned, saturates;
};

std::optional<Kinds> kindsOf(spv::Op op) {
  switch (op) {
  case spv::OpConvertFToU: return Kinds{true, true, false, false, false};
  case spv::OpConvertFToS: return Kinds{true, true, false, true, false};
  case spv::OpConvertSToF: return Kinds{false, true, true, true, false};
  case spv::OpConvertUToF: return Kinds{false, false, true, true, false};
  case spv::OpUConvert: return Kinds{false, false, false, false, false};
  case spv::OpSConvert: return Kinds{false, true, false, true, false};
  case spv::OpFConvert: return Kinds{true, true, true, true, false};
  case spv::OpSatConvertSToU: return Kinds{false, true, false, false, true};
  case spv::OpSatConvertUToS: return Kinds{false, false, false, true, true};
  default: return std::nullopt;
  }
}

bool isOf(llvm::Type* type, bool isFloat) { return isFloat ? type->isFPOrFPVectorTy() : type->isIntOrIntVectorTy(); }

unsigned elementsOf(llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector != nullptr ? vector->getNumElements() : 1;
}

const char* roundingName(std::uint32_t mode) {
  switch (mode) {
  case spv::FPRoundingModeRTE: return "_rte";
  case spv::FPRoundingModeRTZ: return "_rtz";
  case spv::FPRoundingModeRTP: return "_rtp";
  case spv::FPRoundingModeRTN: return "_rtn";
  default: return nullptr;
  }
}

std::string typeName(llvm::Type* type, bool isSigned) {
  const unsigned bits = type->getScalarSizeInBits(), elements = elementsOf(type);
  std::string name;
  if (type->isFPOrFPVectorTy())
    name = bits == 16 ? "half" : bits == 32 ? "float" : "double";
  else
    name = std::string(isSigned ? "" : "u") + (bits == 8 ? "char" : bits == 16 ? "short" : bits == 32 ? "int" : "long");
  return elements == 1 ? name : name + std::to_string(elements);
}

bool isOfOpenclC(llvm::Type* type) {
  const unsigned bits = type->getScalarSizeInBits(), elements = elementsOf(type);
  return (bits == 8 || bits == 16 || bits == 32 || bits == 64) &&
         (elements == 1 || elements == 2 || elements == 3 || elements == 4 || elements == 8 || elements == 16);
}

Value* cast(llvm::IRBuilder<>& builder, Value* from, llvm::Type* to, const Kinds& kinds) {
  if (kinds.fromFloat && kinds.toFloat) return builder.CreateFPCast(from, to);
  if (kinds.fromFloat) return kinds.toSigned ? builder.CreateFPToSI(from, to) : builder.CreateFPToUI(from, to);
  if (kinds.toFloat) return kinds.fromSigned ? builder.CreateSIToFP(from, to) : builder.CreateUIToFP(from, to);
  return builder.CreateIntCast(from, to, kinds.fromSigned);
}

bool isBfloat(Reader& reader, Id type) {
  const Type& of = reader.type(type);
  return of.op == spv::OpTypeVector ? reader.type(of.element).isBfloat : of.isBfloat;
}

/// Converts from or to bfloat16 through 32-bit floats.
void convertBfloat(Reader& reader, const Instruction& instruction, const Kinds& kinds) {
  llvm::IRBuilder<>& builder = reader.builder;
  Value* from = reader.value(instruction.operand(0));
  llvm::Type* to = reader.llvmType(instruction.type);
  if (reader.failed()) return;
  const bool fromBfloat = kinds.fromFloat && isBfloat(reader, reader.typeIdOf(instruction.operand(0)));
  const bool toBfloat = kinds.toFloat && isBfloat(reader, instruction.type);
  if (fromBfloat) from = fromBfloatBits(builder, from);
  llvm::Type* wanted = toBfloat ? to->getWithNewType(builder.getFloatTy()) : to;
  // Rounding twice is harmless only if the first rounding is exact.
  const bool isExact = !toBfloat || from->getType()->getScalarSizeInBits() <= (kinds.fromFloat ? 32 : 16);
  if (!isExact) return reader.fail("a conversion to bfloat16 from a type of more than 24 bits");
  if (!isOf(from->getType(), kinds.fromFloat) || !isOf(wanted, kinds.toFloat) ||
      elementsOf(from->getType()) != elementsOf(wanted))
    return reader.fail("a conversion between values of wrong types");
  if (reader.decoration(instruction.result, spv::DecorationFPRoundingMode) != nullptr)
    return reader.fail("a conversion of bfloat16 that rounds otherwise than to nearest");
  Value* made = cast(builder, from, wanted, kinds);
  reader.define(instruction, toBfloat ? toBfloatBits(builder, made) : made);
}

void convert(Reader& reader, const Instruction& instruction, Kinds kinds) {
  if ((kinds.fromFloat && isBfloat(reader, reader.typeIdOf(instruction.operand(0)))) ||
      (kinds.toFloat && isBfloat(reader, instruction.type)))
    return convertBfloat(reader, instruction, kinds);
  Value* from = reader.value(instruction.operand(0));
  llvm::Type* to = reader.llvmType(instruction.type);
  if (reader.failed()) return;
  if (!isOf(from->getType(), kinds.fromFloat) || !isOf(to, kinds.toFloat) ||
      elementsOf(from->getType()) != elementsOf(to))
    return reader.fail("a conversion between values of wrong types");
  kinds.saturates |= reader.decoration(instruction.result, spv::DecorationSaturatedConversion) != nullptr;
  const Decoration* rounding = reader.decoration(instruction.result, spv::DecorationFPRoundingMode);
  if (kinds.toFloat) kinds.saturates = false; // which OpenCL C has for integers alone
  if (rounding == nullptr && !kinds.saturates) return reader.define(instruction, cast(reader.builder, from, to, kinds));

  std::string name = "convert_" + typeName(to, kinds.toSigned);
  if (kinds.saturates) name += "_sat";
  if (rounding != nullptr) {
    const char* mode = rounding->operands.empty() ? nullptr : roundingName(rounding->operands[0]);
    if (mode == nullptr) return reader.fail("there is no such rounding mode");
    name += mode;
  }
  if (!isOfOpenclC(from->getType()) || !isOfOpenclC(to))
    return reader.fail("a conversion that rounds or saturates between types that OpenCL C has not");
  const Reader::Argument argument = {from, ParameterType::of(*from->getType(), kinds.fromSigned)};
  if (llvm::isa<llvm::Constant>(from) && reader.builder.GetInsertBlock() == nullptr)
    return reader.fail("a conversion of constants that rounds or saturates");
  reader.define(instruction, reader.call(name, to, argument, Effects::None));
}

/// Bit casts, only between types of the same size; a pointer may be a vector of integers (since version 1.5).
void bitcast(Reader& reader, const Instruction& instruction) {
  Value* from = reader.value(instruction.operand(0));
  llvm::Type* to = reader.llvmType(instruction.type);
  if (reader.failed()) return;
  llvm::IRBuilder<>& builder = reader.builder;
  if (from->getType()->isPointerTy() && to->isVectorTy()) from = builder.CreatePtrToInt(from, builder.getInt64Ty());
  if (from->getType()->isVectorTy() && to->isPointerTy() && from->getType()->getPrimitiveSizeInBits() == 64)
    from = builder.CreateBitCast(from, builder.getInt64Ty());
  if (!llvm::CastInst::isBitOrNoopPointerCastable(from->getType(), to, reader.module().getDataLayout()))
    return reader.fail("a bitcast between types of different sizes");
  reader.define(instruction, builder.CreateBitOrPointerCast(from, to));
}

/// Casts a generic pointer to the named storage class; null if it points elsewhere (OpenCL C 3.0, 6.15.6).
void castExplicitly(Reader& reader, const Instruction& instruction) {
  Value* from = reader.value(instruction.operand(0));
  llvm::Type* to = reader.llvmType(instruction.type);
  if (reader.failed()) return;
  const auto* pointer = llvm::dyn_cast<llvm::PointerType>(to);
  const unsigned space = pointer != nullptr ? pointer->getAddressSpace() : kGenericSpace;
  const char* name = space == kGlobalSpace    ? "__to_global"
                     : space == kLocalSpace   ? "__to_local"
                     : space == kPrivateSpace ? "__to_private"
                                              : nullptr;
  if (name == nullptr) return reader.fail("a cast to a storage class that generic pointers have not");
  reader.define(instruction, reader.callNamed(name, to, reader.generic(from), Effects::None));
}

} // namespace

bool readConversion(Reader& reader, const Instruction& instruction) {
  if (const auto kinds = kindsOf(instruction.op)) {
    convert(reader, instruction, *kinds);
    return true;
  }
  llvm::IRBuilder<>& builder = reader.builder;
  const auto withOperand = [&](auto isRight, auto make) {
    Value* from = reader.value(instruction.operand(0));
    llvm::Type* to = reader.llvmType(instruction.type);
    if (reader.failed()) return true;
    if (!isRight(from->getType(), to))
      reader.fail("a conversion between values of wrong types");
    else
      reader.define(instruction, make(from, to));
    return true;
  };
  const auto arePointers = [](llvm::Type* from, llvm::Type* to) { return from->isPointerTy() && to->isPointerTy(); };
  switch (instruction.op) {
  case spv::OpConvertPtrToU:
    return withOperand([](auto* from, auto* to) { return from->isPointerTy() && to->isIntegerTy(); },
                       [&](Value* from, llvm::Type* to) { return builder.CreatePtrToInt(from, to); });
  case spv::OpConvertUToPtr:
    return withOperand([](auto* from, auto* to) { return from->isIntegerTy() && to->isPointerTy(); },
                       [&](Value* from, llvm::Type* to) { return builder.CreateIntToPtr(from, to); });
  case spv::OpPtrCastToGeneric:
  case spv::OpGenericCastToPtr:
    return withOperand(arePointers, [&](Value* from, llvm::Type* to) {
      return builder.CreatePointerBitCastOrAddrSpaceCast(from, to);
    });
  case spv::OpGenericCastToPtrExplicit: castExplicitly(reader, instruction); return true;
  case spv::OpBitcast: bitcast(reader, instruction); return true;
  default: return false;
  }
}

} // namespace clotho::compiler::spirv
