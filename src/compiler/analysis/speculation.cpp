// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/speculation.hpp"

#include "abi/global_ids.hpp"
#include "base/arithmetic.hpp"
#include "compiler/analysis/division.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

namespace clotho::compiler {

using llvm::Instruction;
using llvm::Value;

namespace {

constexpr std::int64_t kLongestStride = 1 << 16;
constexpr std::int64_t kShortestPeriod = 256; ///< least number of neighbours that share a quotient

std::optional<std::int64_t> smallConstant(const Value* value) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
  if (constant == nullptr || constant->getBitWidth() > 64 || constant->getValue().abs().ugt(kLongestStride))
    return std::nullopt;
  return constant->getSExtValue();
}

bool isIndex(const Instruction& value) {
  return llvm::any_of(value.users(), [](const llvm::User* user) {
    if (llvm::isa<llvm::SExtInst, llvm::ZExtInst>(user)) return isIndex(*llvm::cast<Instruction>(user));
    return llvm::isa<llvm::GetElementPtrInst>(user);
  });
}

/// The value of a condition that selects something computed rather than a constant, as in `i < n ? a[i] : 0`, alone or
/// combined with other conditions. Other uses are ignored.
std::optional<bool> selectsComputed(const Value& condition) {
  using namespace llvm::PatternMatch;
  for (const llvm::User* user : condition.users()) {
    Value *yes = nullptr, *no = nullptr;
    if (match(user, m_LogicalOr()) || match(user, m_LogicalAnd())) {
      const bool isOr = match(user, m_LogicalOr());
      if (selectsComputed(*user) == !isOr) return !isOr;
    } else if (match(user, m_Select(m_Specific(&condition), m_Value(yes), m_Value(no)))) {
      if (llvm::isa<llvm::Constant>(yes) != llvm::isa<llvm::Constant>(no)) return llvm::isa<llvm::Constant>(no);
    }
  }
  return std::nullopt;
}

/// The outcome of an unsigned comparison that tests both ends of a range, if the index is inside, as in most
/// sub-groups; nothing for other comparisons. `predicate`: of index and bound, in this order.
std::optional<bool> isInside(const llvm::ICmpInst& compare, llvm::CmpInst::Predicate predicate) {
  if (predicate != llvm::CmpInst::ICMP_ULT && predicate != llvm::CmpInst::ICMP_UGE) return std::nullopt;
  const bool inside = predicate == llvm::CmpInst::ICMP_ULT;
  return selectsComputed(compare) == inside ? std::optional(inside) : std::nullopt;
}

} // namespace

Speculation::Speculation(const LaneShapes& shapes, const SubGroupFlow& flow) : shapes_(shapes) {
  for (const llvm::BasicBlock* block : flow.order())
    for (const Instruction& instruction : *block)
      look(const_cast<Instruction&>(instruction));
  if (hasInsides_) llvm::append_range(assumptions, insideRows_);
}

bool Speculation::isSettled(const Value* value) {
  if (isUniform(value)) return true;
  const auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (instruction == nullptr ||
      !llvm::isa<llvm::BinaryOperator, llvm::CmpInst, llvm::SelectInst, llvm::CastInst>(instruction))
    return false;
  if (const auto known = settled_.find(value); known != settled_.end()) return known->second;
  const bool all = llvm::all_of(instruction->operands(), [&](const llvm::Use& operand) { return isSettled(operand); });
  return settled_[value] = all;
}

std::optional<std::int64_t> Speculation::strideOf(const Value* value) const {
  const LaneShape shape = shapes_.of(value);
  if (shape.isAffine()) return shape.stride();
  const auto found = strides_.find(value);
  return found == strides_.end() ? std::nullopt : std::optional(found->second);
}

bool Speculation::moves(const Value* value) const {
  const auto stride = strideOf(value);
  return stride && *stride != 0 && magnitude(*stride) <= kLongestStride && value->getType()->isIntegerTy() &&
         value->getType()->getIntegerBitWidth() >= 32 && value->getType()->getIntegerBitWidth() <= 64;
}

void Speculation::look(Instruction& instruction) {
  if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction)) return lookAtComparison(*compare);
  if (shapes_.of(&instruction).isAffine()) return;
  if (const auto* call = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&instruction))
    return lookAtClamp(instruction, call->getPredicate());
  if (llvm::isa<llvm::SExtInst, llvm::ZExtInst>(instruction))
    return lookAtExtension(llvm::cast<llvm::CastInst>(instruction));
  if (instruction.getOpcode() == Instruction::Xor) return lookAtButterfly(instruction);
  if (lookAtQuotient(instruction)) return;
  if (const auto stride = computedStride(instruction)) strides_[&instruction] = *stride;
}

bool Speculation::lookAtQuotient(Instruction& instruction) {
  constexpr std::uint64_t kGreatestDivisor = 1 << 30;
  const auto division = matchDivision(instruction);
  if (!division || division->result == Division::Result::Multiple || division->constant == 0 ||
      division->constant > kGreatestDivisor || !moves(division->dividend))
    return false;
  const std::int64_t stride = *strideOf(division->dividend);
  if (static_cast<std::int64_t>(division->constant) / magnitude(stride) < kShortestPeriod) return false;
  assumptions.push_back({&instruction, Assumption::Kind::Quotient, division->dividend,
                         llvm::ConstantInt::get(instruction.getType(), division->constant), stride,
                         division->isSigned ? llvm::CmpInst::ICMP_SLE : llvm::CmpInst::ICMP_ULE});
  strides_[&instruction] = division->isRemainder() ? stride : 0;
  return true;
}

void Speculation::lookAtExtension(llvm::CastInst& extension) {
  const LaneShape shape = shapes_.of(extension.getOperand(0));
  llvm::SmallVector<const llvm::TruncInst*, 4> ids;
  // Also for uniform multiples of ids (row * columns + i): the lanes' addresses are then scalars.
  if (shape.isAffine() && !moves(extension.getOperand(0))) return;
  bool promised = false;
  if (!isExactIfIdsFit(shapes_, extension, ids, promised)) return;
  for (const llvm::TruncInst* id : ids) {
    if (!moves(id->getOperand(0)) || !fitting_.insert(id).second) continue;
    assumptions.push_back({const_cast<llvm::TruncInst*>(id), Assumption::Kind::Fits, id->getOperand(0),
                           llvm::ConstantInt::get(id->getSrcTy(), kMostIds - 1), *strideOf(id->getOperand(0)),
                           llvm::CmpInst::ICMP_ULE});
  }
  if (!shape.isAffine()) return;
  // Poison-generating flags may not hold for lanes that do not use the result.
  if (promised) {
    const bool isSigned = llvm::isa<llvm::SExtInst>(extension) || extension.hasNonNeg();
    assumptions.push_back({&extension, Assumption::Kind::Exact, extension.getOperand(0),
                           llvm::Constant::getNullValue(extension.getSrcTy()), shape.stride(),
                           isSigned ? llvm::CmpInst::ICMP_SLE : llvm::CmpInst::ICMP_ULE});
  }
  strides_[&extension] = shape.stride();
}

void Speculation::lookAtClamp(Instruction& clamp, llvm::CmpInst::Predicate predicate) {
  Value *moving = clamp.getOperand(0), *resting = clamp.getOperand(1);
  if (!moves(moving)) std::swap(moving, resting);
  if (!moves(moving) || !isUniform(resting)) return;
  const std::int64_t stride = *strideOf(moving);
  assumptions.push_back(
      {&clamp, Assumption::Kind::Same, moving, resting, stride, llvm::CmpInst::getNonStrictPredicate(predicate)});
  strides_[&clamp] = stride;
}

void Speculation::lookAtButterfly(Instruction& butterfly) {
  if (!isIndex(butterfly)) return;
  Value *moving = butterfly.getOperand(0), *resting = butterfly.getOperand(1);
  if (!moves(moving)) std::swap(moving, resting);
  if (!moves(moving) || !isUniform(resting) || strideOf(moving) != 1) return;
  assumptions.push_back({&butterfly, Assumption::Kind::Butterfly, moving, resting, 1});
  for (llvm::User* user : moving->users())
    if (auto* masking = llvm::cast<Instruction>(user); masking->getOpcode() == Instruction::And) {
      llvm::Use& bits = masking->getOperandUse(masking->getOperand(0) == moving ? 1 : 0);
      if (isUniform(bits)) assumptions.back().masks.push_back(&bits);
    }
}

void Speculation::lookAtComparison(llvm::ICmpInst& compare) {
  if (compare.use_empty()) return;
  Value *moving = compare.getOperand(0), *resting = compare.getOperand(1);
  auto predicate = compare.getPredicate();
  if (!moves(moving)) {
    std::swap(moving, resting);
    predicate = llvm::CmpInst::getSwappedPredicate(predicate);
  }
  if (isUniform(moving) && isUniform(resting)) return lookAtRow(compare);
  if (!moves(moving) || !isUniform(resting)) return;
  const std::int64_t stride = *strideOf(moving);
  Assumption assumption{&compare, Assumption::Kind::AllAlike, moving, resting, stride, predicate};
  if (compare.isEquality()) {
    assumption.kind = Assumption::Kind::NoneEqual;
    assumption.value = predicate == llvm::CmpInst::ICMP_NE;
  } else if (const auto value = preferred(compare, predicate)) {
    assumption.kind = Assumption::Kind::Known;
    assumption.value = *value;
    hasInsides_ = hasInsides_ || isInside(compare, predicate);
  }
  assumptions.push_back(assumption);
  strides_[&compare] = 0;
  if (assumption.kind != Assumption::Kind::AllAlike) known_[&compare] = assumption.value;
}

/// Assumes that row indices are inside wherever lanes test column indices: one check covers all, and no select is left
/// in between.
void Speculation::lookAtRow(llvm::ICmpInst& compare) {
  Value *row = compare.getOperand(0), *bound = compare.getOperand(1);
  auto predicate = compare.getPredicate();
  if (predicate == llvm::CmpInst::ICMP_UGT || predicate == llvm::CmpInst::ICMP_ULE) {
    std::swap(row, bound);
    predicate = llvm::CmpInst::getSwappedPredicate(predicate);
  }
  const std::optional<bool> inside = isInside(compare, predicate);
  if (!inside || llvm::isa<llvm::Constant>(row) || !row->getType()->isIntegerTy() ||
      row->getType()->getIntegerBitWidth() > 64)
    return;
  insideRows_.push_back({&compare, Assumption::Kind::Known, row, bound, 0, predicate, *inside});
}

std::optional<bool> Speculation::preferred(const llvm::ICmpInst& compare, llvm::CmpInst::Predicate predicate) const {
  for (const llvm::User* user : compare.users()) {
    const auto* select = llvm::dyn_cast<llvm::SelectInst>(user);
    if (select == nullptr || select->getCondition() != &compare) continue;
    const auto yes = strideOf(select->getTrueValue()), no = strideOf(select->getFalseValue());
    if (yes && no && *yes != *no && (*yes == 0 || *no == 0)) return *no == 0;
  }
  return isInside(compare, predicate);
}

std::optional<std::int64_t> Speculation::computedStride(Instruction& instruction) const {
  const auto operand = [&](unsigned i) { return strideOf(instruction.getOperand(i)); };
  const auto combine = [](std::optional<std::int64_t> a, std::optional<std::int64_t> b,
                          std::int64_t sign) -> std::optional<std::int64_t> {
    return a && b ? std::optional(*a + sign * *b) : std::nullopt;
  };
  if (!instruction.getType()->isIntegerTy() || instruction.getType()->getIntegerBitWidth() < 32) return std::nullopt;
  switch (instruction.getOpcode()) {
  case Instruction::Add: return combine(operand(0), operand(1), 1);
  case Instruction::Sub: return combine(operand(0), operand(1), -1);
  case Instruction::Mul: {
    const auto factor = smallConstant(instruction.getOperand(1));
    const auto stride = operand(0);
    return factor && stride && magnitude(*stride) <= kLongestStride ? std::optional(*stride * *factor) : std::nullopt;
  }
  case Instruction::Freeze: return operand(0);
  case Instruction::Select: {
    const auto known = known_.find(instruction.getOperand(0));
    if (known != known_.end()) return operand(known->second ? 1 : 2);
    if (strideOf(instruction.getOperand(0)) != 0) return std::nullopt;
    return operand(1) == operand(2) ? operand(1) : std::nullopt;
  }
  default: return std::nullopt;
  }
}

bool hasFewEdges(const llvm::Function& kernel, const Speculation& speculation) {
  if (factsOf(kernel).mergedRow == 0) return false;
  const auto isOfOtherDimension = [](const llvm::Instruction& instruction) {
    const auto call = matchIntrinsic(&instruction);
    return call && call->dimension != 0 &&
           llvm::is_contained({Intrinsic::LocalId, Intrinsic::GroupId, Intrinsic::GroupBase}, call->intrinsic);
  };
  return llvm::none_of(llvm::instructions(kernel), isOfOtherDimension) &&
         llvm::none_of(speculation.assumptions,
                       [](const Assumption& assumption) { return assumption.kind == Assumption::Kind::Quotient; });
}

bool hasEdgesInRows(const Speculation& speculation) {
  return llvm::any_of(speculation.assumptions, [](const Assumption& assumption) {
    return assumption.resting != nullptr && llvm::isa<llvm::ConstantInt>(assumption.resting) &&
           assumption.kind != Assumption::Kind::Quotient && assumption.kind != Assumption::Kind::Exact;
  });
}

} // namespace clotho::compiler
