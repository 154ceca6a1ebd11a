// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/sub_group_mask.hpp"

#include "base/arithmetic.hpp"

#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/MathExtras.h>

namespace clotho::compiler {
namespace {

constexpr std::int64_t kLargestBound = 1 << 16; // Few work-groups are larger.

} // namespace

llvm::Constant* distancesOf(llvm::Value* value, const llvm::PHINode& counter) {
  using namespace llvm::PatternMatch;
  llvm::Constant* lanes = llvm::Constant::getNullValue(value->getType());
  llvm::Value* first = nullptr;
  llvm::Constant* added = nullptr;
  if (match(value, m_CombineOr(m_DisjointOr(m_Value(first), m_Constant(added)),
                               m_NUWAdd(m_Value(first), m_Constant(added))))) {
    lanes = added;
    value = first;
  }
  // A comparison before the broadcast may have its value in lane 0 only.
  const auto inFirst = m_InsertElt(m_Poison(), m_Value(first), m_ZeroInt());
  if (!match(value, m_CombineOr(m_Shuffle(inFirst, m_Poison(), m_ZeroMask()), inFirst))) return nullptr;
  const bool counts = first == &counter ||
                      (match(first, m_Trunc(m_Specific(&counter))) && first->getType()->getIntegerBitWidth() >= 32);
  return counts ? lanes : nullptr;
}

bool SubGroupMask::answer(std::uint64_t counter, unsigned lane) const {
  constexpr unsigned kBits = 64;
  return llvm::ICmpInst::compare(llvm::APInt(kBits, counter + static_cast<std::uint64_t>(distances[lane])),
                                 llvm::APInt(kBits, limits[lane], /*isSigned=*/true),
                                 llvm::ICmpInst::getUnsignedPredicate(compare->getPredicate()));
}

std::optional<SubGroupMask> matchSubGroupMask(llvm::ICmpInst& compare, const llvm::PHINode& counter,
                                              std::uint64_t width) {
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(compare.getOperand(0)->getType());
  auto* limits = llvm::dyn_cast<llvm::Constant>(compare.getOperand(1));
  if (type == nullptr || limits == nullptr || !type->getElementType()->isIntegerTy()) return std::nullopt;
  llvm::Constant* lanes = distancesOf(compare.getOperand(0), counter);
  if (lanes == nullptr) return std::nullopt;
  SubGroupMask mask{&compare, 0, false, std::nullopt, {}, {}};
  // Signed and unsigned comparisons agree for the values that counters have.
  auto predicate = llvm::ICmpInst::getUnsignedPredicate(compare.getPredicate());
  std::int64_t least = kLargestBound, most = 0; // lowest and highest counter at which a lane's result changes
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    const auto* limit = llvm::dyn_cast_or_null<llvm::ConstantInt>(limits->getAggregateElement(lane));
    const auto* distance = llvm::dyn_cast_or_null<llvm::ConstantInt>(lanes->getAggregateElement(lane));
    if (limit == nullptr || distance == nullptr) return std::nullopt;
    const std::int64_t at = limit->getSExtValue() - distance->getSExtValue();
    const bool isAbove = predicate == llvm::CmpInst::ICMP_UGE || predicate == llvm::CmpInst::ICMP_ULT;
    if (magnitude(limit->getSExtValue()) >= kLargestBound || magnitude(distance->getSExtValue()) >= kLargestBound ||
        distance->isNegative() || (!compare.isEquality() && limit->isNegative()))
      return std::nullopt;
    least = std::min(least, isAbove ? at : at + 1);
    most = std::max(most, isAbove ? at : at + 1);
    mask.distances.push_back(distance->getSExtValue());
    mask.limits.push_back(limit->getSExtValue());
  }
  if (most <= 0) return std::nullopt; // The mask is the same in all iterations.
  mask.bound = llvm::alignTo(static_cast<std::uint64_t>(most), width);
  mask.after = predicate == llvm::CmpInst::ICMP_UGT || predicate == llvm::CmpInst::ICMP_UGE ||
               predicate == llvm::CmpInst::ICMP_NE;
  if (!compare.isEquality() && least > static_cast<std::int64_t>(mask.bound) - static_cast<std::int64_t>(width))
    mask.before = !mask.after;
  return mask;
}

} // namespace clotho::compiler
