// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bit operations, integer dot products, and hints for the optimiser.
#include "compiler/frontend/spirv/opcodes.hpp"
#include "compiler/frontend/spirv/reader.hpp"

namespace clotho::compiler::spirv {
namespace {

using llvm::Value;

/// Integer dot products (SPIR-V specification, section 3.42.13), computed in the width of the result. Only the sum with
/// the accumulator may overflow.
void readDot(Reader& reader, const Instruction& instruction, bool isSignedA, bool isSignedB, bool accumulates) {
  auto& builder = reader.builder;
  if (instruction.operands.size() < (accumulates ? 3u : 2u)) return reader.fail("a dot product has two vectors");
  Value *a = reader.value(instruction.operands[0]), *b = reader.value(instruction.operands[1]);
  llvm::Type* result = reader.llvmType(instruction.type);
  if (reader.failed()) return;
  if (!result->isIntegerTy() || !a->getType()->isIntOrIntVectorTy() || a->getType() != b->getType())
    return reader.fail("a dot product is of two vectors of integers of one type");
  // Four bytes packed into one integer is the only format.
  auto* bytes = llvm::FixedVectorType::get(builder.getInt8Ty(), 4);
  if (a->getType()->isIntegerTy(32)) {
    a = builder.CreateBitCast(a, bytes);
    b = builder.CreateBitCast(b, bytes);
  }
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(a->getType());
  if (vector == nullptr || vector->getScalarSizeInBits() > result->getIntegerBitWidth())
    return reader.fail("a dot product's result is narrower than what it is of");
  auto* wide = llvm::FixedVectorType::get(result, vector->getNumElements());
  a = builder.CreateIntCast(a, wide, isSignedA);
  b = builder.CreateIntCast(b, wide, isSignedB);
  Value* products = builder.CreateMul(a, b);
  Value* sum = builder.CreateExtractElement(products, std::uint64_t{0});
  for (unsigned i = 1; i < vector->getNumElements(); ++i)
    sum = builder.CreateAdd(sum, builder.CreateExtractElement(products, i));
  if (accumulates) {
    Value* accumulator = reader.value(instruction.operands[2]);
    if (reader.failed() || accumulator->getType() != result)
      return reader.fail("an accumulator has the type of its result");
    sum = builder.CreateBinaryIntrinsic(isSignedA ? llvm::Intrinsic::sadd_sat : llvm::Intrinsic::uadd_sat, sum,
                                        accumulator);
  }
  reader.define(instruction, sum);
}

/// Bit field operations. Offsets and counts are uint in OpenCL C (cl_khr_extended_bit_ops), and of any width here.
void readBitField(Reader& reader, const Instruction& instruction, const char* name, bool isSigned, unsigned values) {
  if (instruction.operands.size() < values + 2) return reader.fail("an instruction on bits has too few operands");
  llvm::SmallVector<Reader::Argument, 4> arguments;
  for (unsigned i = 0; i < values + 2; ++i) {
    const Id id = instruction.operands[i];
    Value* value = reader.value(id);
    if (reader.failed() || !value->getType()->isIntOrIntVectorTy() || (i >= values && !value->getType()->isIntegerTy()))
      return reader.fail("a bit field is of integers");
    if (i < values)
      arguments.push_back(reader.argument(id, isSigned));
    else
      arguments.push_back(
          {reader.builder.CreateZExtOrTrunc(value, reader.builder.getInt32Ty()), ParameterType::integer(32, false)});
  }
  reader.define(instruction, reader.call(name, reader.llvmType(instruction.type), arguments, Effects::None));
}

void readUnary(Reader& reader, const Instruction& instruction, llvm::Intrinsic::ID id) {
  Value* value = reader.value(instruction.operand(0));
  llvm::Type* result = reader.llvmType(instruction.type);
  if (reader.failed()) return;
  if (!value->getType()->isIntOrIntVectorTy()) return reader.fail("bits are those of integers");
  Value* made = reader.builder.CreateUnaryIntrinsic(id, value);
  if (areLikeVectors(made->getType(), result) && result->isIntOrIntVectorTy())
    made = reader.builder.CreateZExtOrTrunc(made, result); // OpBitCount's result may be of another width
  reader.define(instruction, made);
}

void readExpect(Reader& reader, const Instruction& instruction) {
  Value *value = reader.value(instruction.operand(0)), *expected = reader.value(instruction.operand(1));
  if (reader.failed()) return;
  // LLVM's expect intrinsic takes no vectors.
  if (value->getType()->isIntegerTy() && expected->getType() == value->getType())
    value = reader.builder.CreateIntrinsic(llvm::Intrinsic::expect, value->getType(), {value, expected});
  reader.define(instruction, value);
}

} // namespace

bool readInteger(Reader& reader, const Instruction& instruction) {
  switch (static_cast<unsigned>(instruction.op)) {
  case kOpSDot: readDot(reader, instruction, true, true, false); return true;
  case kOpUDot: readDot(reader, instruction, false, false, false); return true;
  case kOpSUDot: readDot(reader, instruction, true, false, false); return true;
  case kOpSDotAccSat: readDot(reader, instruction, true, true, true); return true;
  case kOpUDotAccSat: readDot(reader, instruction, false, false, true); return true;
  case kOpSUDotAccSat: readDot(reader, instruction, true, false, true); return true;
  case spv::OpBitFieldInsert: readBitField(reader, instruction, "bitfield_insert", false, 2); return true;
  case spv::OpBitFieldSExtract: readBitField(reader, instruction, "bitfield_extract_signed", true, 1); return true;
  case spv::OpBitFieldUExtract: readBitField(reader, instruction, "bitfield_extract_unsigned", false, 1); return true;
  case spv::OpBitReverse: readUnary(reader, instruction, llvm::Intrinsic::bitreverse); return true;
  case spv::OpBitCount: readUnary(reader, instruction, llvm::Intrinsic::ctpop); return true;
  case kOpExpect: readExpect(reader, instruction); return true;
  case kOpAssumeTrue: {
    Value* truth = reader.value(instruction.operand(0));
    if (reader.failed()) return true;
    if (truth->getType()->isIntegerTy(1))
      reader.builder.CreateAssumption(truth);
    else
      reader.fail("what is assumed is no truth");
    return true;
  }
  default: return false;
  }
}

} // namespace clotho::compiler::spirv
