// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic, comparisons, logic and bits (SPIR-V specification, 3.42.13 to 3.42.15).
#include "compiler/frontend/spirv/opcodes.hpp"
#include "compiler/frontend/spirv/reader.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include <bit>
#include <cmath>

namespace clotho::compiler::spirv {
namespace {

using llvm::CmpInst;
using llvm::Value;

/// Gets both operands; fails if their types differ.
bool operandsOf(Reader& reader, const Instruction& instruction, Value*& left, Value*& right) {
  left = reader.value(instruction.operand(0));
  right = reader.value(instruction.operand(1));
  if (left->getType() != right->getType()) reader.fail("an instruction's operands are not of one type");
  return !reader.failed();
}

std::optional<llvm::Instruction::BinaryOps> binaryOperation(spv::Op op) {
  using Operation = llvm::Instruction;
  switch (op) {
  case spv::OpIAdd: return Operation::Add;
  case spv::OpISub: return Operation::Sub;
  case spv::OpIMul: return Operation::Mul;
  case spv::OpUDiv: return Operation::UDiv;
  case spv::OpSDiv: return Operation::SDiv;
  case spv::OpUMod: return Operation::URem;
  case spv::OpSRem: return Operation::SRem;
  case spv::OpFAdd: return Operation::FAdd;
  case spv::OpFSub: return Operation::FSub;
  case spv::OpFMul: return Operation::FMul;
  case spv::OpFDiv: return Operation::FDiv;
  case spv::OpShiftLeftLogical: return Operation::Shl;
  case spv::OpShiftRightLogical: return Operation::LShr;
  case spv::OpShiftRightArithmetic: return Operation::AShr;
  case spv::OpBitwiseOr:
  case spv::OpLogicalOr: return Operation::Or;
  case spv::OpBitwiseAnd:
  case spv::OpLogicalAnd: return Operation::And;
  case spv::OpBitwiseXor:
  case spv::OpLogicalNotEqual: return Operation::Xor;
  default: return std::nullopt;
  }
}

std::optional<CmpInst::Predicate> predicate(spv::Op op) {
  switch (op) {
  case spv::OpIEqual: return CmpInst::ICMP_EQ;
  case spv::OpINotEqual: return CmpInst::ICMP_NE;
  case spv::OpUGreaterThan: return CmpInst::ICMP_UGT;
  case spv::OpSGreaterThan: return CmpInst::ICMP_SGT;
  case spv::OpUGreaterThanEqual: return CmpInst::ICMP_UGE;
  case spv::OpSGreaterThanEqual: return CmpInst::ICMP_SGE;
  case spv::OpULessThan: return CmpInst::ICMP_ULT;
  case spv::OpSLessThan: return CmpInst::ICMP_SLT;
  case spv::OpULessThanEqual: return CmpInst::ICMP_ULE;
  case spv::OpSLessThanEqual: return CmpInst::ICMP_SLE;
  case spv::OpFOrdEqual: return CmpInst::FCMP_OEQ;
  case spv::OpFUnordEqual: return CmpInst::FCMP_UEQ;
  case spv::OpFOrdNotEqual:
  case spv::OpLessOrGreater: return CmpInst::FCMP_ONE;
  case spv::OpFUnordNotEqual: return CmpInst::FCMP_UNE;
  case spv::OpFOrdLessThan: return CmpInst::FCMP_OLT;
  case spv::OpFUnordLessThan: return CmpInst::FCMP_ULT;
  case spv::OpFOrdGreaterThan: return CmpInst::FCMP_OGT;
  case spv::OpFUnordGreaterThan: return CmpInst::FCMP_UGT;
  case spv::OpFOrdLessThanEqual: return CmpInst::FCMP_OLE;
  case spv::OpFUnordLessThanEqual: return CmpInst::FCMP_ULE;
  case spv::OpFOrdGreaterThanEqual: return CmpInst::FCMP_OGE;
  case spv::OpFUnordGreaterThanEqual: return CmpInst::FCMP_UGE;
  case spv::OpOrdered: return CmpInst::FCMP_ORD;
  case spv::OpUnordered: return CmpInst::FCMP_UNO;
  default: return std::nullopt;
  }
}

/// Fast-math flags that a module or the build's options allow. Promises that there are no NaN or infinities are not
/// passed on (docs/decisions.md).
llvm::FastMathFlags fastMath(Reader& reader, const Instruction& instruction) {
  llvm::FastMathFlags flags;
  const BuildOptions& options = reader.options();
  const bool relaxed = options.fastRelaxedMath, unsafe = options.unsafeMath || relaxed;
  if (unsafe || options.noSignedZeros) flags.setNoSignedZeros();
  if (unsafe) flags.setAllowReassoc(), flags.setAllowReciprocal(), flags.setApproxFunc();
  const FloatModes& modes = reader.arithmetic();
  const Decoration* mode = reader.decoration(instruction.result, spv::DecorationFPFastMathMode);
  const bool isDecorated = mode != nullptr && !mode->operands.empty();
  std::uint32_t bits = isDecorated ? mode->operands[0] : 0;
  if (!isDecorated && modes.hasDefaults) {
    const unsigned width = reader.llvmType(instruction.type)->getScalarSizeInBits();
    bits = modes.defaults[std::min<std::size_t>(width / 32, modes.defaults.size() - 1)];
  }
  const bool isExact = modes.hasDefaults || (isDecorated && reader.hasFloatControls2());
  const bool isForbidden = reader.decoration(instruction.result, spv::DecorationNoContraction) != nullptr;
  flags.setAllowContract(!isForbidden && (isExact ? (bits & kFastMathContract) != 0 : modes.contracts));
  if ((bits & spv::FPFastMathModeNSZMask) != 0) flags.setNoSignedZeros();
  if ((bits & spv::FPFastMathModeAllowRecipMask) != 0) flags.setAllowReciprocal();
  if ((bits & (kFastMathReassoc | kFastMathTransform)) != 0) flags.setAllowReassoc();
  if ((bits & spv::FPFastMathModeFastMask) != 0) {
    // Contraction is controlled by the entry point, even for operations that are marked as fast.
    flags.setNoSignedZeros();
    flags.setAllowReassoc();
    flags.setAllowReciprocal();
    flags.setApproxFunc();
  }
  // Two bits of SPV_INTEL_fp_fast_math_mode equal those of SPV_KHR_float_controls2.
  static_assert(spv::FPFastMathModeAllowContractFastINTELMask == kFastMathContract &&
                spv::FPFastMathModeAllowReassocINTELMask == kFastMathReassoc);
  if ((bits & kFastMathContract) != 0) flags.setAllowContract();
  return flags;
}

Value* binary(Reader& reader, const Instruction& instruction, llvm::Instruction::BinaryOps operation) {
  Value *left = nullptr, *right = nullptr;
  const bool isShift = operation == llvm::Instruction::Shl || operation == llvm::Instruction::LShr ||
                       operation == llvm::Instruction::AShr;
  if (isShift) {
    left = reader.value(instruction.operand(0));
    right = reader.value(instruction.operand(1));
    if (!left->getType()->isIntOrIntVectorTy() || !right->getType()->isIntOrIntVectorTy())
      reader.fail("a shift of what is no integer");
    if (reader.failed()) return left;
    // The shift amount may have another width than the shifted value.
    if (!areLikeVectors(left->getType(), right->getType())) reader.fail("a shift of a vector by a scalar");
    if (reader.failed()) return left;
    right = reader.builder.CreateZExtOrTrunc(right, left->getType());
  } else if (!operandsOf(reader, instruction, left, right)) {
    return left;
  }
  const bool ofFloats = left->getType()->isFPOrFPVectorTy();
  const bool wantsFloats = operation == llvm::Instruction::FAdd || operation == llvm::Instruction::FSub ||
                           operation == llvm::Instruction::FMul || operation == llvm::Instruction::FDiv;
  if (ofFloats != wantsFloats || (!ofFloats && !left->getType()->isIntOrIntVectorTy())) {
    reader.fail("arithmetic on values of a wrong type");
    return left;
  }
  Value* result = reader.builder.CreateBinOp(operation, left, right);
  auto* made = llvm::dyn_cast<llvm::BinaryOperator>(result);
  if (made == nullptr) return result;
  if (llvm::isa<llvm::OverflowingBinaryOperator>(made)) {
    made->setHasNoSignedWrap(reader.decoration(instruction.result, spv::DecorationNoSignedWrap) != nullptr);
    made->setHasNoUnsignedWrap(reader.decoration(instruction.result, spv::DecorationNoUnsignedWrap) != nullptr);
  }
  if (wantsFloats) made->setFastMathFlags(fastMath(reader, instruction));
  // Accuracy of a single-precision division, as clang sets it (OpenCL C, relative error).
  float ulps = reader.options().correctlyRoundedDivideSqrt ? 0 : 2.5F;
  if (const Decoration* most = reader.decoration(instruction.result, enumOf<spv::Decoration>(kDecorationMaxError));
      most != nullptr && !most->operands.empty() && std::isfinite(std::bit_cast<float>(most->operands[0])))
    ulps = std::max(ulps, std::bit_cast<float>(most->operands[0]));
  if (operation == llvm::Instruction::FDiv && made->getType()->getScalarType()->isFloatTy() && ulps > 0)
    made->setMetadata(llvm::LLVMContext::MD_fpmath, llvm::MDBuilder(reader.context()).createFPMath(ulps));
  return result;
}

/// The remainder with the dividend's sign. LLVM's frem would become a call of the C library, which kernels do not have.
Value* floatRemainder(Reader& reader, Value* left, Value* right) {
  if (llvm::isa<llvm::Constant>(left) && llvm::isa<llvm::Constant>(right))
    return reader.builder.CreateFRem(left, right);
  const ParameterType type = ParameterType::of(*left->getType(), /*isSigned=*/false);
  return reader.callForElements("fmod", left->getType(), {{left, type}, {right, type}});
}

/// Remainders with the divisor's sign, which neither C nor LLVM has.
Value* modulo(Reader& reader, const Instruction& instruction, bool ofFloats) {
  Value *left = nullptr, *right = nullptr;
  if (!operandsOf(reader, instruction, left, right)) return left;
  if (ofFloats ? !left->getType()->isFPOrFPVectorTy() : !left->getType()->isIntOrIntVectorTy()) {
    reader.fail("arithmetic on values of a wrong type");
    return left;
  }
  llvm::IRBuilder<>& builder = reader.builder;
  Value* zero = llvm::Constant::getNullValue(left->getType());
  Value* remainder = ofFloats ? floatRemainder(reader, left, right) : builder.CreateSRem(left, right);
  Value* isSome = ofFloats ? builder.CreateFCmpUNE(remainder, zero) : builder.CreateICmpNE(remainder, zero);
  Value* differs = ofFloats
                       ? builder.CreateXor(builder.CreateFCmpOLT(remainder, zero), builder.CreateFCmpOLT(right, zero))
                       : builder.CreateICmpSLT(builder.CreateXor(remainder, right), zero);
  Value* corrected = ofFloats ? builder.CreateFAdd(remainder, right) : builder.CreateAdd(remainder, right);
  Value* result = builder.CreateSelect(builder.CreateAnd(isSome, differs), corrected, remainder);
  if (!ofFloats) return result;
  // A remainder of zero has the divisor's sign, too.
  Value* signedZero = builder.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, zero, right);
  return builder.CreateSelect(isSome, result, signedZero);
}

/// BFloat16DotProductKHR: computed in 32 bits and rounded once.
Value* bfloatDot(Reader& reader, Value* left, Value* right) {
  llvm::IRBuilder<>& builder = reader.builder;
  Value* products = builder.CreateFMul(fromBfloatBits(builder, left), fromBfloatBits(builder, right));
  Value* sum = builder.CreateFAddReduce(llvm::ConstantFP::getNegativeZero(builder.getFloatTy()), products);
  return toBfloatBits(builder, sum);
}

/// OpenCL C has dot products of up to four elements; those of longer vectors are sums of these.
Value* dot(Reader& reader, const Instruction& instruction) {
  constexpr unsigned kMost = 4;
  llvm::IRBuilder<>& builder = reader.builder;
  Value *left = nullptr, *right = nullptr;
  if (!operandsOf(reader, instruction, left, right)) return left;
  if (const Type& of = reader.typeOf(instruction.operand(0));
      of.op == spv::OpTypeVector && reader.type(of.element).isBfloat)
    return bfloatDot(reader, left, right);
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(left->getType());
  if (vector == nullptr || !left->getType()->isFPOrFPVectorTy()) {
    reader.fail("arithmetic on values of a wrong type");
    return left;
  }
  Value* sum = nullptr;
  for (unsigned at = 0; at < vector->getNumElements(); at += kMost) {
    const unsigned count = std::min(kMost, vector->getNumElements() - at);
    const auto part = [&](Value* whole) -> Reader::Argument {
      if (count == vector->getNumElements()) return {whole, ParameterType::of(*whole->getType(), false)};
      Value* taken = builder.CreateShuffleVector(whole, llvm::createSequentialMask(at, count, 0));
      return {taken, ParameterType::of(*taken->getType(), false)};
    };
    Value* product = reader.call("dot", vector->getElementType(), {part(left), part(right)}, Effects::None);
    if (sum == nullptr) {
      sum = product;
      continue;
    }
    sum = builder.CreateFAdd(sum, product);
    if (auto* made = llvm::dyn_cast<llvm::Instruction>(sum)) made->setFastMathFlags(fastMath(reader, instruction));
  }
  return sum;
}

/// A sum with its carry, a difference with its borrow, or both halves of a product, as a struct of two.
Value* extended(Reader& reader, const Instruction& instruction) {
  Value *left = nullptr, *right = nullptr;
  if (!operandsOf(reader, instruction, left, right)) return left;
  llvm::IRBuilder<>& builder = reader.builder;
  llvm::Type* type = left->getType();
  auto* result = llvm::dyn_cast<llvm::StructType>(reader.llvmType(instruction.type));
  if (!type->isIntOrIntVectorTy() || result == nullptr || result->getNumElements() != 2 ||
      result->getElementType(0) != type || result->getElementType(1) != type) {
    reader.fail("arithmetic on values of a wrong type");
    return left;
  }
  Value *low = nullptr, *high = nullptr;
  switch (instruction.op) {
  case spv::OpIAddCarry:
    low = builder.CreateAdd(left, right);
    high = builder.CreateZExt(builder.CreateICmpULT(low, left), type);
    break;
  case spv::OpISubBorrow:
    low = builder.CreateSub(left, right);
    high = builder.CreateZExt(builder.CreateICmpULT(left, right), type);
    break;
  default: {
    const bool isSigned = instruction.op == spv::OpSMulExtended;
    const unsigned bits = type->getScalarSizeInBits();
    llvm::Type* wide = type->getExtendedType();
    Value* product = isSigned ? builder.CreateMul(builder.CreateSExt(left, wide), builder.CreateSExt(right, wide))
                              : builder.CreateMul(builder.CreateZExt(left, wide), builder.CreateZExt(right, wide));
    low = builder.CreateTrunc(product, type);
    high = builder.CreateTrunc(builder.CreateLShr(product, bits), type);
  }
  }
  Value* both = builder.CreateInsertValue(llvm::PoisonValue::get(result), low, 0);
  return builder.CreateInsertValue(both, high, 1);
}

/// Class tests of floats as bits of llvm.is.fpclass.
std::optional<llvm::FPClassTest> floatClass(spv::Op op) {
  switch (op) {
  case spv::OpIsNan: return llvm::fcNan;
  case spv::OpIsInf: return llvm::fcInf;
  case spv::OpIsFinite: return llvm::fcFinite;
  case spv::OpIsNormal: return llvm::fcNormal;
  default: return std::nullopt;
  }
}

} // namespace

bool readArithmetic(Reader& reader, const Instruction& instruction) {
  llvm::IRBuilder<>& builder = reader.builder;
  const auto defined = [&](Value* value) {
    reader.define(instruction, value);
    return true;
  };
  const auto refused = [&](const char* why) {
    reader.fail(why);
    return true;
  };
  if (const auto operation = binaryOperation(instruction.op)) return defined(binary(reader, instruction, *operation));
  Value *left = nullptr, *right = nullptr;
  if (const auto wanted = predicate(instruction.op)) {
    if (!operandsOf(reader, instruction, left, right)) return true;
    const bool ofFloats = CmpInst::isFPPredicate(*wanted);
    if (ofFloats ? !left->getType()->isFPOrFPVectorTy() : !left->getType()->isIntOrIntVectorTy())
      return refused("a comparison of values of a wrong type");
    return defined(builder.CreateCmp(*wanted, left, right));
  }
  if (const auto test = floatClass(instruction.op)) {
    left = reader.value(instruction.operand(0));
    if (!left->getType()->isFPOrFPVectorTy()) return refused("a question for floats about another value");
    return defined(builder.createIsFPClass(left, *test));
  }
  switch (instruction.op) {
  case spv::OpSNegate:
  case spv::OpNot:
  case spv::OpLogicalNot:
    left = reader.value(instruction.operand(0));
    if (!left->getType()->isIntOrIntVectorTy()) return refused("arithmetic on values of a wrong type");
    if (instruction.op != spv::OpSNegate) return defined(builder.CreateNot(left));
    left = builder.CreateNeg(left);
    if (auto* made = llvm::dyn_cast<llvm::BinaryOperator>(left))
      made->setHasNoSignedWrap(reader.decoration(instruction.result, spv::DecorationNoSignedWrap) != nullptr);
    return defined(left);
  case spv::OpFNegate:
    left = reader.value(instruction.operand(0));
    if (!left->getType()->isFPOrFPVectorTy()) return refused("arithmetic on values of a wrong type");
    return defined(builder.CreateFNeg(left));
  case spv::OpFRem:
    if (!operandsOf(reader, instruction, left, right)) return true;
    if (!left->getType()->isFPOrFPVectorTy()) return refused("arithmetic on values of a wrong type");
    return defined(floatRemainder(reader, left, right));
  case spv::OpSMod: return defined(modulo(reader, instruction, false));
  case spv::OpFMod: return defined(modulo(reader, instruction, true));
  case spv::OpLogicalEqual:
    if (!operandsOf(reader, instruction, left, right)) return true;
    if (!left->getType()->isIntOrIntVectorTy()) return refused("a comparison of values of a wrong type");
    return defined(builder.CreateICmpEQ(left, right));
  case spv::OpSelect: {
    Value* condition = reader.value(instruction.operand(0));
    left = reader.value(instruction.operand(1));
    right = reader.value(instruction.operand(2));
    if (reader.failed()) return true;
    if (llvm::SelectInst::areInvalidOperands(condition, left, right) != nullptr)
      return refused("a choice between values of a wrong type");
    return defined(builder.CreateSelect(condition, left, right));
  }
  case spv::OpAny:
  case spv::OpAll:
    left = reader.value(instruction.operand(0));
    if (!left->getType()->isVectorTy() || !left->getType()->isIntOrIntVectorTy(1))
      return refused("a question for truths about another value");
    return defined(instruction.op == spv::OpAny ? builder.CreateOrReduce(left) : builder.CreateAndReduce(left));
  case spv::OpSignBitSet: {
    left = reader.value(instruction.operand(0));
    if (!left->getType()->isFPOrFPVectorTy()) return refused("a question for floats about another value");
    llvm::Type* integer = nullptr;
    if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(left->getType()))
      integer = llvm::VectorType::getInteger(vector);
    else
      integer = builder.getIntNTy(left->getType()->getScalarSizeInBits());
    return defined(builder.CreateICmpSLT(builder.CreateBitCast(left, integer), llvm::Constant::getNullValue(integer)));
  }
  case spv::OpVectorTimesScalar: {
    left = reader.value(instruction.operand(0));
    right = reader.value(instruction.operand(1));
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(left->getType());
    if (vector == nullptr || vector->getElementType() != right->getType() || !right->getType()->isFloatingPointTy())
      return refused("arithmetic on values of a wrong type");
    Value* product = builder.CreateFMul(left, builder.CreateVectorSplat(vector->getNumElements(), right));
    if (auto* made = llvm::dyn_cast<llvm::Instruction>(product)) made->setFastMathFlags(fastMath(reader, instruction));
    return defined(product);
  }
  case spv::OpDot: return defined(dot(reader, instruction));
  case spv::OpIAddCarry:
  case spv::OpISubBorrow:
  case spv::OpUMulExtended:
  case spv::OpSMulExtended: return defined(extended(reader, instruction));
  default: return false;
  }
}

} // namespace clotho::compiler::spirv
