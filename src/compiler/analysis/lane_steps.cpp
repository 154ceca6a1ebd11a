// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/lane_steps.hpp"

#include "base/arithmetic.hpp"
#include "compiler/analysis/division.hpp"

#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr unsigned kDepthLimit = 8;
constexpr std::int64_t kMostLanes = 32;
constexpr std::int64_t kGreatestFactor = 1 << 20;

/// LaneSteps of the quotient `value / by`, rounded in any direction.
std::optional<LaneSteps> divided(const LaneShapes& shapes, const Value* value, std::uint64_t by, unsigned depth) {
  if (!llvm::isPowerOf2_64(by) || by == 1 || by > kMostLanes) return std::nullopt;
  const auto lanes = static_cast<unsigned>(by);
  if (shapes.usualStride(value) == 1) return LaneSteps{lanes, 1};
  const auto steps = usualSteps(shapes, value, depth + 1);
  if (!steps || steps->stride != 1 || steps->lanes * lanes > kMostLanes) return std::nullopt;
  return LaneSteps{steps->lanes * lanes, 1};
}

/// The dividend of a signed division by a power of two; other values unchanged. LLVM expands x / 2^k, if x may be
/// negative, to (x + (x < 0 ? 2^k - 1 : 0)) >> k.
const Value* roundedTowardsZero(const Value* value) {
  using namespace llvm::PatternMatch;
  Value *number = nullptr, *added = nullptr;
  if (!match(value, m_Add(m_Value(number), m_Value(added)))) return value;
  const auto isOfSign = [](Value* bits, Value* of) {
    return match(bits, m_LShr(m_AShr(m_Specific(of), m_Value()), m_Value())) ||
           match(bits, m_LShr(m_Specific(of), m_Value()));
  };
  if (isOfSign(added, number)) return number;
  return isOfSign(number, added) ? added : value;
}

std::optional<LaneSteps> ofSum(const LaneShapes& shapes, const Value* left, const Value* right, unsigned depth) {
  if (shapes.of(right).isUniform()) return usualSteps(shapes, left, depth + 1);
  return shapes.of(left).isUniform() ? usualSteps(shapes, right, depth + 1) : std::nullopt;
}

std::optional<LaneSteps> times(std::optional<LaneSteps> steps, const Value* factor) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(factor);
  if (!steps || constant == nullptr || constant->getValue().abs().uge(kGreatestFactor)) return std::nullopt;
  const std::int64_t by = constant->getSExtValue();
  if (by == 0 || magnitude(steps->stride) > kGreatestFactor) return std::nullopt;
  return LaneSteps{steps->lanes, steps->stride * by};
}

std::optional<LaneSteps> ofAddress(const LaneShapes& shapes, const llvm::GetElementPtrInst& address, unsigned depth) {
  const llvm::DataLayout& layout = address.getDataLayout();
  std::optional<LaneSteps> result;
  if (!shapes.of(address.getPointerOperand()).isUniform())
    result = usualSteps(shapes, address.getPointerOperand(), depth + 1);
  for (auto index = llvm::gep_type_begin(address); index != llvm::gep_type_end(address); ++index) {
    if (shapes.of(index.getOperand()).isUniform()) continue;
    // Narrower indices would need an extension, which is not followed here.
    if (result || index.isStruct() || !index.getOperand()->getType()->isIntegerTy(64)) return std::nullopt;
    const std::uint64_t size = index.getSequentialElementStride(layout).getFixedValue();
    if (size > kGreatestFactor) return std::nullopt;
    result = usualSteps(shapes, index.getOperand(), depth + 1);
    if (!result || magnitude(result->stride) > kGreatestFactor) return std::nullopt;
    result->stride *= static_cast<std::int64_t>(size);
  }
  return result;
}

} // namespace

std::optional<LaneSteps> usualSteps(const LaneShapes& shapes, const Value* value, unsigned depth) {
  const auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (instruction == nullptr || depth > kDepthLimit || value->getType()->isVectorTy() || !shapes.of(value).isVarying())
    return std::nullopt;
  if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(instruction))
    return ofAddress(shapes, *address, depth);
  const Value* left = instruction->getOperand(0);
  const Value* right = instruction->getNumOperands() > 1 ? instruction->getOperand(1) : nullptr;
  const auto* constant = right != nullptr ? llvm::dyn_cast<llvm::ConstantInt>(right) : nullptr;
  if (const auto division = matchDivision(*instruction); division && division->constant != 0) {
    const auto by = static_cast<std::int64_t>(division->constant);
    if (division->result == Division::Result::Quotient)
      return divided(shapes, roundedTowardsZero(left), division->constant, depth);
    if (division->isRemainder() || by > kMostLanes || shapes.usualStride(left) != 1) return std::nullopt;
    return LaneSteps{static_cast<unsigned>(by), by};
  }
  switch (instruction->getOpcode()) {
  case Instruction::Or: {
    if (llvm::cast<llvm::PossiblyDisjointInst>(instruction)->isDisjoint()) return ofSum(shapes, left, right, depth);
    if (constant == nullptr || constant->isZero() || !constant->getValue().isMask() ||
        constant->getValue().uge(kMostLanes) || shapes.usualStride(left) != 1)
      return std::nullopt;
    return LaneSteps{static_cast<unsigned>(constant->getZExtValue() + 1),
                     static_cast<std::int64_t>(constant->getZExtValue() + 1)};
  }
  case Instruction::Add: return ofSum(shapes, left, right, depth);
  case Instruction::Sub: return shapes.of(right).isUniform() ? usualSteps(shapes, left, depth + 1) : std::nullopt;
  case Instruction::Mul: return times(usualSteps(shapes, left, depth + 1), right);
  case Instruction::Shl: {
    if (constant == nullptr || constant->getValue().uge(20)) return std::nullopt;
    auto steps = usualSteps(shapes, left, depth + 1);
    if (!steps || magnitude(steps->stride) > kGreatestFactor) return std::nullopt;
    steps->stride *= std::int64_t(1) << constant->getZExtValue();
    return steps;
  }
  case Instruction::SExt:
  case Instruction::ZExt: return left->getType()->isIntegerTy(32) ? usualSteps(shapes, left, depth + 1) : std::nullopt;
  case Instruction::Trunc:
    return value->getType()->isIntegerTy(32) ? usualSteps(shapes, left, depth + 1) : std::nullopt;
  case Instruction::Freeze: return usualSteps(shapes, left, depth + 1);
  case Instruction::Call:
    if (llvm::isa<llvm::MinMaxIntrinsic>(instruction)) return ofSum(shapes, left, instruction->getOperand(1), depth);
    return std::nullopt;
  default: return std::nullopt;
  }
}

} // namespace clotho::compiler
