// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/lane_ids.hpp"

#include "abi/global_ids.hpp"
#include "compiler/analysis/index_bounds.hpp"
#include "compiler/ir/intrinsics.hpp"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/PatternMatch.h>

namespace clotho::compiler {

const llvm::Value* behindExits(const llvm::Value* value) {
  while (const auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) {
    if (phi->getNumIncomingValues() != 1) break;
    value = phi->getIncomingValue(0);
  }
  return value;
}

std::optional<Division> matchLinearDivision(const llvm::Value& value) {
  const auto division = matchDivision(value);
  const bool isKnown =
      division && division->constant != 0 && !division->isSigned && division->result != Division::Result::Multiple;
  return isKnown ? division : std::nullopt;
}

namespace {

/// Whether the value is the id along dimension 0 in a kernel whose lanes follow the linear local id: a remainder of the
/// linear id. Any other remainder of an id is as small.
bool isIdInRow(const llvm::Value* id) {
  using namespace llvm::PatternMatch;
  llvm::Value *linear = nullptr, *number = nullptr;
  const auto division = match(id, m_ZExt(m_Value(number))) ? matchLinearDivision(*number) : std::nullopt;
  return division && division->isRemainder() && match(division->dividend, m_Trunc(m_Value(linear))) &&
         isIntrinsic(linear, Intrinsic::LocalId);
}

} // namespace

Id idOf(const llvm::Value* id) {
  const auto is = [](const llvm::Value* operand, Intrinsic intrinsic) {
    const auto call = matchIntrinsic(behindExits(operand));
    return call && call->intrinsic == intrinsic && call->dimension == 0; // Lanes lie along dimension 0.
  };
  const auto sumOf = [](const llvm::Value* sum, llvm::function_ref<bool(const llvm::Value*)> first,
                        llvm::function_ref<bool(const llvm::Value*)> second) {
    const auto* add = llvm::dyn_cast<llvm::BinaryOperator>(behindExits(sum));
    return add != nullptr && add->getOpcode() == llvm::Instruction::Add &&
           ((first(add->getOperand(0)) && second(add->getOperand(1))) ||
            (first(add->getOperand(1)) && second(add->getOperand(0))));
  };
  // Programs can read the lane number and add anything to it (SubGroupLane). LaneId is internal: any sum with it is a
  // local id.
  const auto isOf = [&](Intrinsic intrinsic) {
    return [&is, intrinsic](const llvm::Value* operand) { return is(operand, intrinsic); };
  };
  const auto isLocal = [&](const llvm::Value* operand) {
    return is(operand, Intrinsic::LocalId) || isIdInRow(behindExits(operand)) ||
           sumOf(operand, isOf(Intrinsic::LaneId), [](const llvm::Value*) { return true; }) ||
           sumOf(operand, isOf(Intrinsic::SubGroupLane), isOf(Intrinsic::SubGroupBase));
  };
  if (is(id, Intrinsic::LaneId) || is(id, Intrinsic::SubGroupLane) || isLocal(id)) return Id::Local;
  return sumOf(id, isLocal, isOf(Intrinsic::GroupBase)) ? Id::Global : Id::None;
}

Id idThatFits(const llvm::Instruction& instruction) {
  using namespace llvm::PatternMatch;
  const llvm::Value* id = nullptr;
  return match(&instruction, m_And(m_Value(id), m_SpecificInt(INT32_MAX))) && instruction.getType()->isIntegerTy(64)
             ? idOf(id)
             : Id::None;
}

const llvm::TruncInst* idBehindTerms(const llvm::Instruction& sum) {
  constexpr unsigned kMostTerms = 6;
  static_assert(kMostTerms * kGreatestIndexTerm < kRoomForTerms);
  const llvm::Value* value = &sum;
  for (unsigned terms = 0; terms <= kMostTerms; ++terms) {
    using namespace llvm::PatternMatch;
    const auto* trunc = llvm::dyn_cast<llvm::TruncInst>(value);
    if (trunc != nullptr && trunc->getType()->isIntegerTy(32))
      return idOf(trunc->getOperand(0)) == Id::None ? nullptr : trunc;
    llvm::Value* rest = nullptr;
    const llvm::APInt* term = nullptr;
    if (!match(value, m_CombineOr(m_AddLike(m_Value(rest), m_APInt(term)), m_Sub(m_Value(rest), m_APInt(term)))) ||
        term->abs().ugt(kGreatestIndexTerm))
      return nullptr;
    value = behindExits(rest);
  }
  return nullptr;
}

bool beginsBlocks(const llvm::Value* value, unsigned blockLanes) {
  value = behindExits(value);
  if (isIntrinsic(value, Intrinsic::LocalId)) return true;
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr) return false;
  if (llvm::isa<llvm::TruncInst, llvm::ZExtInst>(instruction))
    return instruction->getType()->getScalarSizeInBits() >= 32 &&
           instruction->getOperand(0)->getType()->getScalarSizeInBits() >= 32 &&
           beginsBlocks(instruction->getOperand(0), blockLanes);
  const auto division = matchLinearDivision(*instruction);
  return division && division->isRemainder() && division->constant % blockLanes == 0 &&
         beginsBlocks(division->dividend, blockLanes);
}

} // namespace clotho::compiler
