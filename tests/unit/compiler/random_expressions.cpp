// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_expressions.hpp"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace clotho::compiler {
namespace {

using llvm::APInt;
using llvm::Instruction;

llvm::Value* operandOf(llvm::Type* type, std::vector<llvm::Value*>& values, Chance& chance,
                       llvm::IRBuilder<>& builder) {
  std::vector<llvm::Value*> fitting;
  for (llvm::Value* value : values)
    if (value->getType() == type) fitting.push_back(value);
  if (fitting.empty() || chance.oneIn(4)) return builder.getInt(interestingNumber(type->getIntegerBitWidth(), chance));
  return chance.oneIn(3) ? chance.of(fitting) : fitting.back();
}

llvm::Value* change(llvm::IRBuilder<>& builder, llvm::Value* value, Chance& chance) {
  static constexpr unsigned kSizes[] = {8, 16, 32, 32, 64, 64};
  llvm::Type* type = builder.getIntNTy(chance.of(kSizes));
  if (type == value->getType()) return nullptr;
  if (type->getIntegerBitWidth() < value->getType()->getIntegerBitWidth())
    return builder.CreateTrunc(value, type, "", chance.oneIn(4), chance.oneIn(4));
  return chance.oneIn(2) ? builder.CreateSExt(value, type) : builder.CreateZExt(value, type, "", chance.oneIn(4));
}

bool overflows(const llvm::OverflowingBinaryOperator& operation, const APInt& a, const APInt& b) {
  bool isSigned = false, isUnsigned = false;
  switch (operation.getOpcode()) {
  case Instruction::Add:
    (void)a.sadd_ov(b, isSigned);
    (void)a.uadd_ov(b, isUnsigned);
    break;
  case Instruction::Sub:
    (void)a.ssub_ov(b, isSigned);
    (void)a.usub_ov(b, isUnsigned);
    break;
  case Instruction::Mul:
    (void)a.smul_ov(b, isSigned);
    (void)a.umul_ov(b, isUnsigned);
    break;
  default:
    (void)a.sshl_ov(b, isSigned);
    (void)a.ushl_ov(b, isUnsigned);
    break;
  }
  return (operation.hasNoSignedWrap() && isSigned) || (operation.hasNoUnsignedWrap() && isUnsigned);
}

Number ofBinary(const llvm::BinaryOperator& operation, const APInt& a, const APInt& b) {
  bool isPoison = false;
  if (const auto* wrapping = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&operation))
    isPoison = overflows(*wrapping, a, b);
  if (const auto* exact = llvm::dyn_cast<llvm::PossiblyExactOperator>(&operation); exact && exact->isExact())
    isPoison = a.countr_zero() < b.getZExtValue();
  if (const auto* either = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&operation); either && either->isDisjoint())
    isPoison = (a & b) != 0;
  switch (operation.getOpcode()) {
  case Instruction::Add: return {a + b, isPoison};
  case Instruction::Sub: return {a - b, isPoison};
  case Instruction::Mul: return {a * b, isPoison};
  case Instruction::Shl: return {a.shl(b), isPoison};
  case Instruction::LShr: return {a.lshr(b), isPoison};
  case Instruction::AShr: return {a.ashr(b), isPoison};
  case Instruction::And: return {a & b, isPoison};
  case Instruction::Or: return {a | b, isPoison};
  default: return {a ^ b, isPoison};
  }
}

Number ofCast(const llvm::CastInst& cast, const APInt& from) {
  const unsigned bits = cast.getType()->getIntegerBitWidth();
  switch (cast.getOpcode()) {
  case Instruction::SExt: return {from.sext(bits)};
  case Instruction::ZExt: return {from.zext(bits), cast.hasNonNeg() && from.isNegative()};
  default: {
    const auto& trunc = llvm::cast<llvm::TruncInst>(cast);
    return {from.trunc(bits), (trunc.hasNoSignedWrap() && from.getSignificantBits() > bits) ||
                                  (trunc.hasNoUnsignedWrap() && from.getActiveBits() > bits)};
  }
  }
}

Number ofAddress(const llvm::GetElementPtrInst& address, const Numbers& numbers) {
  const llvm::DataLayout& layout = address.getDataLayout();
  Number sum = numberOf(address.getPointerOperand(), numbers);
  for (auto index = llvm::gep_type_begin(address); index != llvm::gep_type_end(address); ++index) {
    const Number at = numberOf(index.getOperand(), numbers);
    sum.value += at.value.sextOrTrunc(64) * index.getSequentialElementStride(layout).getFixedValue();
    sum.isPoison |= at.isPoison;
  }
  return sum;
}

} // namespace

APInt interestingNumber(unsigned bits, Chance& chance) {
  const APInt highest = APInt::getSignMask(bits);
  switch (chance.below(8)) {
  case 0: return highest - chance.below(3);
  case 1: return highest + chance.below(3);
  case 2: return APInt::getAllOnes(bits) - chance.below(3);
  case 3: return APInt::getOneBitSet(bits, chance.below(bits));
  case 4: return APInt(64, (std::uint64_t(chance.below(~0U)) << 32) + chance.below(~0U)).trunc(bits);
  default: return {bits, chance.below(9)};
  }
}

void addInstruction(llvm::IRBuilder<>& builder, std::vector<llvm::Value*>& values, Chance& chance) {
  static constexpr Instruction::BinaryOps kOperations[] = {
      Instruction::Add, Instruction::Add, Instruction::Add,  Instruction::Sub,  Instruction::Mul, Instruction::Mul,
      Instruction::Shl, Instruction::And, Instruction::LShr, Instruction::AShr, Instruction::Or,  Instruction::Xor};
  static constexpr llvm::Intrinsic::ID kIntrinsics[] = {llvm::Intrinsic::umin, llvm::Intrinsic::umax,
                                                        llvm::Intrinsic::smin, llvm::Intrinsic::smax};
  llvm::Value* first = chance.oneIn(2) ? values.back() : chance.of(values);
  llvm::Type* type = first->getType();
  if (type->isIntegerTy(1)) return;
  llvm::Value* second = operandOf(type, values, chance, builder);
  llvm::Value* made = nullptr;
  switch (chance.below(10)) {
  case 0: made = builder.CreateBinaryIntrinsic(chance.of(kIntrinsics), first, second); break;
  case 1: {
    llvm::Value* condition = builder.CreateICmp(
        static_cast<llvm::CmpInst::Predicate>(llvm::CmpInst::FIRST_ICMP_PREDICATE + static_cast<int>(chance.below(10))),
        chance.oneIn(2) ? first : operandOf(type, values, chance, builder), second);
    made = builder.CreateSelect(condition, first, operandOf(type, values, chance, builder));
    break;
  }
  case 2:
  case 3:
  case 4: made = change(builder, first, chance); break;
  default: {
    const auto operation = chance.of(kOperations);
    const bool isShift = Instruction::isShift(operation);
    if (isShift) second = llvm::ConstantInt::get(type, chance.below(std::min(type->getIntegerBitWidth(), 9U)));
    if (!isShift && chance.oneIn(3)) std::swap(first, second);
    made = builder.CreateBinOp(operation, first, second);
    auto* instruction = llvm::dyn_cast<llvm::BinaryOperator>(made);
    if (instruction == nullptr) break;
    if (llvm::isa<llvm::OverflowingBinaryOperator>(instruction)) {
      instruction->setHasNoSignedWrap(chance.oneIn(3));
      instruction->setHasNoUnsignedWrap(chance.oneIn(3));
    }
    if (auto* either = llvm::dyn_cast<llvm::PossiblyDisjointInst>(instruction)) either->setIsDisjoint(chance.oneIn(2));
    break;
  }
  }
  if (llvm::isa_and_nonnull<Instruction>(made)) values.push_back(made);
}

Number numberOf(const llvm::Value* value, const Numbers& numbers) {
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value)) return {constant->getValue()};
  if (llvm::isa<llvm::PoisonValue>(value)) return {APInt(value->getType()->getIntegerBitWidth(), 0), true};
  return numbers.find(value)->second;
}

std::optional<Number> compute(const Instruction& instruction, const Numbers& numbers) {
  if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) return ofAddress(*address, numbers);
  if (!instruction.getType()->isIntegerTy()) return std::nullopt;
  std::vector<APInt> operands;
  bool isPoison = false;
  if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
    const Number condition = numberOf(select->getCondition(), numbers);
    Number chosen = numberOf(condition.value.isOne() ? select->getTrueValue() : select->getFalseValue(), numbers);
    chosen.isPoison |= condition.isPoison;
    return chosen;
  }
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (llvm::isa<llvm::LoadInst>(instruction) || (llvm::isa<llvm::CallInst>(instruction) && call == nullptr))
    return std::nullopt;
  for (unsigned i = 0; i < (call != nullptr ? call->arg_size() : instruction.getNumOperands()); ++i) {
    const Number operand = numberOf(instruction.getOperand(i), numbers);
    operands.push_back(operand.value);
    isPoison |= operand.isPoison;
  }
  Number result;
  if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction))
    result = ofBinary(*operation, operands[0], operands[1]);
  else if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction))
    result = ofCast(*cast, operands[0]);
  else if (const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction))
    result = {APInt(1, llvm::ICmpInst::compare(operands[0], operands[1], compare->getPredicate()))};
  else if (const auto* least = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&instruction))
    result = {llvm::ICmpInst::compare(operands[0], operands[1], least->getPredicate()) ? operands[0] : operands[1]};
  else if (call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::abs)
    result = {operands[0].abs()};
  else
    return std::nullopt;
  result.isPoison |= isPoison;
  return result;
}

void evaluate(const llvm::BasicBlock& block, Numbers& numbers) {
  for (const Instruction& instruction : block)
    if (!numbers.contains(&instruction))
      if (const auto number = compute(instruction, numbers)) numbers[&instruction] = *number;
}

} // namespace clotho::compiler
