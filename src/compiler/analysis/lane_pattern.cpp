// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/lane_pattern.hpp"

#include "base/arithmetic.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"

#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/MathExtras.h>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr unsigned kDepthLimit = 10;
constexpr unsigned kAllZero = 63;
constexpr std::int64_t kOffsetLimit = 1 << 20;

const llvm::ConstantInt* smallConstant(const Value* value) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
  if (constant == nullptr || constant->getBitWidth() > 64) return nullptr;
  return magnitude(constant->getSExtValue()) < kOffsetLimit ? constant : nullptr;
}

/// Whether the offsets use only bits that are zero in the base.
bool areApart(const LanePattern& pattern) {
  return llvm::all_of(pattern.offsets, [&](std::int64_t offset) {
    return offset >= 0 && offset < std::int64_t(1) << std::min(pattern.zeros, 40u);
  });
}

/// x & (mask | constant), where the constant has all bits that offsets of x may have.
bool preservesOffsets(const llvm::BinaryOperator& masking, const LanePattern& pattern) {
  using namespace llvm::PatternMatch;
  const llvm::APInt* constant = nullptr;
  if (!llvm::PatternMatch::match(masking.getOperand(1), m_Or(m_Value(), m_APInt(constant))) || !areApart(pattern))
    return false;
  return llvm::all_of(pattern.offsets, [&](std::int64_t offset) {
    return llvm::APInt(64, static_cast<std::uint64_t>(offset)).isSubsetOf(constant->zextOrTrunc(64));
  });
}

bool isBitwise(const llvm::BinaryOperator& operation) {
  return operation.getOpcode() == Instruction::And || operation.getOpcode() == Instruction::Or ||
         operation.getOpcode() == Instruction::Xor;
}

/// If the operands have bits in common in some lane, that lane's result is poison.
bool isDisjointSum(const llvm::BinaryOperator& operation) {
  const auto* either = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&operation);
  return either != nullptr && either->isDisjoint() && !llvm::isa<llvm::Constant>(operation.getOperand(1));
}

} // namespace

bool LanePattern::isDistinct() const {
  llvm::SmallVector<std::int64_t, 16> sorted(offsets);
  llvm::sort(sorted);
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

std::optional<LanePattern> LanePatterns::ofBinary(const llvm::BinaryOperator& operation, unsigned depth) const {
  auto left = of(operation.getOperand(0), depth + 1);
  if (!left) return std::nullopt;
  if (operation.getOpcode() == Instruction::And && shapes_.of(operation.getOperand(1)).isUniform() &&
      preservesOffsets(operation, *left))
    return left;
  // A mask may have any bits above those of the offsets.
  const auto* constant = isBitwise(operation) ? llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1))
                                              : smallConstant(operation.getOperand(1));
  LanePattern result = *left;
  const auto each = [&](auto change) {
    for (std::int64_t& offset : result.offsets)
      offset = change(offset);
    return result;
  };
  if (operation.getOpcode() == Instruction::Add || operation.getOpcode() == Instruction::Sub ||
      isDisjointSum(operation)) {
    const auto right = of(operation.getOperand(1), depth + 1);
    if (!right) return std::nullopt;
    const std::int64_t sign = operation.getOpcode() == Instruction::Sub ? -1 : 1;
    for (unsigned lane = 0; lane < width_; ++lane)
      result.offsets[lane] += sign * right->offsets[lane];
    result.zeros = std::min(left->zeros, right->zeros);
    return result;
  }
  if (constant == nullptr || constant->getBitWidth() > 64) return std::nullopt;
  const std::int64_t by = constant->getSExtValue();
  if (isBitwise(operation)) {
    if (!areApart(*left)) return std::nullopt;
    const std::int64_t low = by & ((std::int64_t(1) << std::min(left->zeros, 40u)) - 1);
    switch (operation.getOpcode()) {
    case Instruction::And: {
      const std::uint64_t ofBase =
          static_cast<std::uint64_t>(by) & ~((std::uint64_t(1) << std::min(left->zeros, 40u)) - 1);
      result.zeros = ofBase == 0 ? kAllZero : std::min(kAllZero, static_cast<unsigned>(llvm::countr_zero(ofBase)));
      return each([=](std::int64_t offset) { return offset & low; });
    }
    case Instruction::Or: return each([=](std::int64_t offset) { return offset | low; });
    default: return each([=](std::int64_t offset) { return offset ^ low; });
    }
  }
  switch (operation.getOpcode()) {
  case Instruction::Mul:
    if (by <= 0) return std::nullopt;
    result.zeros = std::min(kAllZero, left->zeros + llvm::countr_zero(static_cast<std::uint64_t>(by)));
    return each([=](std::int64_t offset) { return offset * by; });
  case Instruction::Shl:
    if (by < 0 || by > 20) return std::nullopt;
    result.zeros = std::min(kAllZero, left->zeros + static_cast<unsigned>(by));
    return each([=](std::int64_t offset) { return offset << by; });
  case Instruction::LShr:
    if (by < 0 || by > left->zeros || !areApart(*left)) return std::nullopt;
    result.zeros -= static_cast<unsigned>(by);
    return each([=](std::int64_t offset) { return offset >> by; });
  default: return std::nullopt;
  }
}

std::optional<LanePattern> LanePatterns::ofAddress(const llvm::GetElementPtrInst& address, unsigned depth) const {
  if (address.getType()->isVectorTy()) return std::nullopt;
  auto result = of(address.getPointerOperand(), depth + 1);
  if (!result) return std::nullopt;
  result->zeros = 0;
  for (auto index = llvm::gep_type_begin(address); index != llvm::gep_type_end(address); ++index) {
    if (index.isStruct()) {
      if (!shapes_.of(index.getOperand()).isUniform()) return std::nullopt;
      continue; // The base contains it.
    }
    const auto at = of(index.getOperand(), depth + 1);
    if (!at) return std::nullopt;
    const auto size = static_cast<std::int64_t>(index.getSequentialElementStride(layout_).getFixedValue());
    if (size > kOffsetLimit) return std::nullopt;
    for (unsigned lane = 0; lane < width_; ++lane)
      result->offsets[lane] += at->offsets[lane] * size;
  }
  return result;
}

std::optional<LanePattern> LanePatterns::of(const Value* value, unsigned depth) const {
  LanePattern result{{}, 0};
  if (const auto* constant = smallConstant(value)) {
    result.offsets.assign(width_, constant->getSExtValue());
    result.zeros = kAllZero;
    return result;
  }
  result.offsets.assign(width_, 0);
  if (isIntrinsic(value, Intrinsic::LocalId)) {
    for (unsigned lane = 0; lane < width_; ++lane)
      result.offsets[lane] = lane;
    result.zeros = llvm::Log2_32(width_);
    return result;
  }
  if (shapes_.of(value).isUniform()) return result;
  const auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (instruction == nullptr || depth > kDepthLimit) return std::nullopt;
  std::optional<LanePattern> found;
  if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(instruction)) {
    found = ofBinary(*operation, depth);
  } else if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(instruction)) {
    found = ofAddress(*address, depth);
  } else if (llvm::isa<llvm::TruncInst, llvm::SExtInst, llvm::ZExtInst>(instruction)) {
    const unsigned bits = std::min(instruction->getType()->getScalarSizeInBits(),
                                   instruction->getOperand(0)->getType()->getScalarSizeInBits());
    if (bits < 32) return std::nullopt;
    found = of(instruction->getOperand(0), depth + 1);
    // An index that wraps around is out of bounds, unless the memory is large. A sum does not carry if the base is zero
    // in the bits of the offsets.
    if (found && !llvm::isa<llvm::TruncInst>(instruction) &&
        !(areApart(*found) && llvm::isa<llvm::ZExtInst>(instruction)) &&
        largestMemoryWithoutWrap(llvm::cast<llvm::CastInst>(*instruction), layout_) != kAnyMemory)
      return std::nullopt;
  }
  if (!found || llvm::any_of(found->offsets, [](std::int64_t offset) { return magnitude(offset) > kOffsetLimit; }))
    return std::nullopt;
  return found;
}

Value* LanePatterns::base(Value* value, llvm::IRBuilder<>& builder, llvm::function_ref<Value*(Value*)> uniform) const {
  if (smallConstant(value) != nullptr) return llvm::Constant::getNullValue(value->getType());
  if (shapes_.of(value).isUniform() || isIntrinsic(value, Intrinsic::LocalId)) return uniform(value);
  auto* instruction = llvm::cast<Instruction>(value);
  const auto operand = [&](unsigned i) { return base(instruction->getOperand(i), builder, uniform); };
  if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(instruction)) {
    Value* pointer = operand(0);
    for (auto index = llvm::gep_type_begin(*address); index != llvm::gep_type_end(*address); ++index) {
      if (const llvm::StructType* type = index.getStructTypeOrNull()) {
        const auto field = llvm::cast<llvm::ConstantInt>(index.getOperand())->getZExtValue();
        pointer = builder.CreateConstGEP1_64(
            builder.getInt8Ty(), pointer,
            layout_.getStructLayout(const_cast<llvm::StructType*>(type))->getElementOffset(field));
        continue;
      }
      Value* at = builder.CreateSExtOrTrunc(base(index.getOperand(), builder, uniform), builder.getInt64Ty());
      const std::uint64_t size = index.getSequentialElementStride(layout_).getFixedValue();
      if (!llvm::isa<llvm::ConstantInt>(at) || !llvm::cast<llvm::ConstantInt>(at)->isZero())
        pointer = builder.CreateGEP(builder.getInt8Ty(), pointer, builder.CreateMul(at, builder.getInt64(size)));
    }
    return pointer;
  }
  if (llvm::isa<llvm::TruncInst>(instruction)) return builder.CreateTrunc(operand(0), value->getType());
  if (llvm::isa<llvm::ZExtInst>(instruction) && areApart(*of(instruction->getOperand(0))))
    return builder.CreateZExt(operand(0), value->getType());
  // Sign extension is right: the base is small in magnitude, since the index is (`of`).
  if (llvm::isa<llvm::CastInst>(instruction)) return builder.CreateSExt(operand(0), value->getType());
  auto* operation = llvm::cast<llvm::BinaryOperator>(instruction);
  // A constant factor, mask or shift amount stays in the operation; a constant term is part of the offsets.
  const bool isDisjoint = isDisjointSum(*operation);
  const bool isSum =
      operation->getOpcode() == Instruction::Add || operation->getOpcode() == Instruction::Sub || isDisjoint;
  Value* right = isSum ? operand(1) : operation->getOperand(1);
  if (!isSum && !llvm::isa<llvm::Constant>(right)) right = uniform(right); // The operator is a mask.
  if (!isDisjoint && (operation->getOpcode() == Instruction::Or || operation->getOpcode() == Instruction::Xor)) {
    const unsigned zeros = std::min(of(operation->getOperand(0))->zeros, 40u);
    auto* constant = llvm::cast<llvm::ConstantInt>(right);
    right = llvm::ConstantInt::getSigned(value->getType(), (constant->getSExtValue() >> zeros) << zeros);
  }
  const auto* nothing = llvm::dyn_cast<llvm::ConstantInt>(right);
  if (isSum && nothing != nullptr && nothing->isZero()) return operand(0);
  return builder.CreateBinOp(isDisjoint ? Instruction::Add : operation->getOpcode(), operand(0), right);
}

bool areSame(const Value* a, const Value* b, unsigned depth) {
  if (a == b) return true;
  const auto* left = llvm::dyn_cast<Instruction>(a);
  const auto* right = llvm::dyn_cast<Instruction>(b);
  if (left == nullptr || right == nullptr || depth > kDepthLimit || left->mayReadOrWriteMemory() ||
      llvm::isa<llvm::PHINode>(left) || !left->isSameOperationAs(right))
    return false;
  for (unsigned i = 0; i < left->getNumOperands(); ++i)
    if (!areSame(left->getOperand(i), right->getOperand(i), depth + 1)) return false;
  return true;
}

} // namespace clotho::compiler
