// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/footprint_nodes.hpp"

#include "compiler/ir/intrinsics.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ScalarEvolutionPatternMatch.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include <limits>

namespace clotho::compiler {
namespace {

using Kind = FootprintNode::Kind;
using llvm::SCEV;

/// More nodes would take longer to compute than many a launch.
constexpr std::size_t kMostNodes = 256;

/// The kind of an id or a size; nothing for what differs otherwise between work-items.
std::optional<Kind> kindOf(Intrinsic intrinsic) {
  switch (intrinsic) {
  case Intrinsic::GlobalId: return Kind::GlobalId;
  case Intrinsic::LocalId: return Kind::LocalId;
  case Intrinsic::GroupId: return Kind::GroupId;
  case Intrinsic::GroupBase: return Kind::GroupBase;
  case Intrinsic::LocalSize: return Kind::LocalSize;
  case Intrinsic::EnqueuedSize: return Kind::EnqueuedSize;
  case Intrinsic::NumGroups: return Kind::NumGroups;
  case Intrinsic::GlobalSize: return Kind::GlobalSize;
  case Intrinsic::GlobalOffset: return Kind::GlobalOffset;
  default: return std::nullopt;
  }
}

unsigned bitsOf(const SCEV* value) {
  return value->getType()->isPointerTy() ? 64 : value->getType()->getIntegerBitWidth();
}

} // namespace

bool FootprintNodes::hasRoom() const { return footprint_.nodes.size() <= kMostNodes; }

std::uint32_t FootprintNodes::add(const FootprintNode& node) {
  const auto [place, isNew] = known_.try_emplace(node, static_cast<std::uint32_t>(footprint_.nodes.size()));
  if (isNew) footprint_.nodes.push_back(node);
  return place->second;
}

/// The numbers that ScalarEvolution knows the value to be among, by the shorter of two forms.
std::uint32_t FootprintNodes::rangeOf(const SCEV* value) {
  const unsigned bits = bitsOf(value);
  FootprintNode node{.kind = Kind::Range, .bits = static_cast<std::uint8_t>(bits)};
  const llvm::ConstantRange asSigned = evolution_.getSignedRange(value),
                            asUnsigned = evolution_.getUnsignedRange(value);
  const llvm::APInt most = asUnsigned.getUnsignedMax();
  const llvm::APInt width = most - asUnsigned.getUnsignedMin(),
                    signedWidth = asSigned.getSignedMax() - asSigned.getSignedMin();
  if (width.ult(signedWidth) && (bits < 64 || most.isNonNegative())) {
    node.low = static_cast<std::int64_t>(asUnsigned.getUnsignedMin().getZExtValue());
    node.high = static_cast<std::int64_t>(most.getZExtValue());
  } else {
    node.low = asSigned.getSignedMin().getSExtValue();
    node.high = asSigned.getSignedMax().getSExtValue();
  }
  return add(node);
}

std::uint32_t FootprintNodes::combine(Kind kind, const SCEV* value, const llvm::BasicBlock& block) {
  const llvm::ArrayRef<const SCEV*> operands = value->operands();
  std::uint32_t result = nodeOf(operands.front(), block);
  for (const SCEV* operand : operands.drop_front())
    result = add({.kind = kind,
                  .bits = static_cast<std::uint8_t>(bitsOf(value)),
                  .first = result,
                  .second = nodeOf(operand, block)});
  return result;
}

std::uint32_t FootprintNodes::sumOf(const llvm::SCEVAddExpr* sum, const llvm::BasicBlock& block) {
  using namespace llvm::SCEVPatternMatch;
  const SCEV *number = nullptr, *divisor = nullptr;
  if (!match(sum, m_scev_URem(m_SCEV(number), m_SCEV(divisor), evolution_))) return combine(Kind::Add, sum, block);
  return add({.kind = Kind::RemainderUnsigned,
              .bits = static_cast<std::uint8_t>(bitsOf(sum)),
              .first = nodeOf(number, block),
              .second = nodeOf(divisor, block)});
}

bool FootprintNodes::isBehindTest(const llvm::Loop& loop, const llvm::BasicBlock& block) const {
  const llvm::BasicBlock* exiting = loop.getExitingBlock();
  if (exiting == nullptr || !loop.contains(&block)) return false;
  return llvm::any_of(llvm::successors(exiting), [&](const llvm::BasicBlock* next) {
    return loop.contains(next) && dominators_.dominates(llvm::BasicBlockEdge(exiting, next), &block);
  });
}

std::uint32_t FootprintNodes::counterOf(const llvm::SCEVAddRecExpr* counter, const llvm::BasicBlock& block) {
  const llvm::Loop& loop = *counter->getLoop();
  const SCEV* back = evolution_.getBackedgeTakenCount(&loop);
  const bool isExact = !llvm::isa<llvm::SCEVCouldNotCompute>(back);
  if (!isExact) back = evolution_.getSymbolicMaxBackedgeTakenCount(&loop);
  if (!counter->isAffine() || llvm::isa<llvm::SCEVCouldNotCompute>(back) || bitsOf(back) > 64 ||
      !counting_.insert(&loop).second)
    return rangeOf(counter);
  FootprintNode node{.kind = Kind::Counter, .bits = static_cast<std::uint8_t>(bitsOf(counter))};
  node.first = nodeOf(counter->getStart(), block);
  node.second = nodeOf(counter->getStepRecurrence(evolution_), block);
  node.third = nodeOf(back, block);
  node.low = isExact && isBehindTest(loop, block) ? 1 : 0;
  counting_.erase(&loop);
  return add(node);
}

/// Bytes of an argument that is an integer, a vector or a structure.
std::optional<FootprintNode> FootprintNodes::argumentOf(const llvm::Value& value) const {
  const unsigned bits = value.getType()->getIntegerBitWidth();
  FootprintNode node{.kind = Kind::Argument, .bits = static_cast<std::uint8_t>(bits)};
  if (bits % 8 != 0) return std::nullopt;
  const auto* argument = llvm::dyn_cast<llvm::Argument>(&value);
  if (const auto* element = llvm::dyn_cast<llvm::ExtractElementInst>(&value)) {
    const auto* index = llvm::dyn_cast<llvm::ConstantInt>(element->getIndexOperand());
    argument = llvm::dyn_cast<llvm::Argument>(element->getVectorOperand());
    if (index == nullptr || argument == nullptr ||
        index->getValue().uge(llvm::cast<llvm::FixedVectorType>(argument->getType())->getNumElements()))
      return std::nullopt;
    node.low = static_cast<std::int64_t>(index->getZExtValue() * bits / 8);
  }
  if (argument == nullptr) return std::nullopt;
  node.first = argument->getArgNo();
  return node;
}

std::uint32_t FootprintNodes::unknownOf(const SCEV* value, const llvm::Value& of) {
  if (!of.getType()->isIntegerTy()) return rangeOf(value);
  if (const auto argument = argumentOf(of)) return add(*argument);
  const auto call = matchIntrinsic(&of);
  const auto kind = call ? kindOf(call->intrinsic) : std::nullopt;
  if (!kind) return rangeOf(value);
  return add({.kind = *kind, .bits = static_cast<std::uint8_t>(bitsOf(value)), .first = call->dimension});
}

std::uint32_t FootprintNodes::nodeOf(const SCEV* value, const llvm::BasicBlock& block) {
  if (!hasRoom() || bitsOf(value) > 64)
    return add({.low = std::numeric_limits<std::int64_t>::min(), .high = INT64_MAX});
  const auto convert = [&](Kind kind) {
    return add({.kind = kind,
                .bits = static_cast<std::uint8_t>(bitsOf(value)),
                .first = nodeOf(value->operands().front(), block)});
  };
  switch (value->getSCEVType()) {
  case llvm::scTruncate: return bitsOf(value->operands().front()) > 64 ? rangeOf(value) : convert(Kind::Truncate);
  case llvm::scZeroExtend: return convert(Kind::ExtendUnsigned);
  case llvm::scSignExtend: return convert(Kind::ExtendSigned);
  case llvm::scAddExpr: return sumOf(llvm::cast<llvm::SCEVAddExpr>(value), block);
  case llvm::scMulExpr: return combine(Kind::Multiply, value, block);
  case llvm::scUDivExpr: return combine(Kind::DivideUnsigned, value, block);
  case llvm::scSMaxExpr: return combine(Kind::MostSigned, value, block);
  case llvm::scUMaxExpr: return combine(Kind::MostUnsigned, value, block);
  case llvm::scSMinExpr: return combine(Kind::LeastSigned, value, block);
  case llvm::scUMinExpr:
  case llvm::scSequentialUMinExpr: return combine(Kind::LeastUnsigned, value, block);
  case llvm::scAddRecExpr: return counterOf(llvm::cast<llvm::SCEVAddRecExpr>(value), block);
  case llvm::scUnknown: return unknownOf(value, *llvm::cast<llvm::SCEVUnknown>(value)->getValue());
  default: return rangeOf(value);
  }
}

// --- Guards ---

std::optional<FootprintGuard> FootprintNodes::guardOf(const SCEV* left, const SCEV* right, unsigned predicate,
                                                      const llvm::BasicBlock& block) {
  const SCEV* id = left;
  std::int64_t shift = 0;
  for (;;) {
    if (const auto* cast = llvm::dyn_cast<llvm::SCEVIntegralCastExpr>(id)) {
      id = cast->getOperand();
      continue;
    }
    const auto* sum = llvm::dyn_cast<llvm::SCEVAddExpr>(id);
    if (sum == nullptr || sum->getNumOperands() != 2) break;
    const auto* constant = llvm::dyn_cast<llvm::SCEVConstant>(sum->getOperand(0));
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    if (constant == nullptr || !constant->getAPInt().isSignedIntN(40) || shift > kMost || shift < -kMost) break;
    shift += constant->getAPInt().getSExtValue();
    id = sum->getOperand(1);
  }
  const auto* unknown = llvm::dyn_cast<llvm::SCEVUnknown>(id);
  const auto call = unknown != nullptr ? matchIntrinsic(unknown->getValue()) : std::nullopt;
  const auto kind = call ? kindOf(call->intrinsic) : std::nullopt;
  if (!kind || *kind > Kind::GroupBase) return std::nullopt;
  FootprintGuard guard;
  using Relation = FootprintGuard::Relation;
  using Predicate = llvm::CmpInst::Predicate;
  switch (static_cast<Predicate>(predicate)) {
  case Predicate::ICMP_SLT:
  case Predicate::ICMP_ULT: guard.relation = Relation::Less; break;
  case Predicate::ICMP_SLE:
  case Predicate::ICMP_ULE: guard.relation = Relation::LessOrEqual; break;
  case Predicate::ICMP_SGT:
  case Predicate::ICMP_UGT: guard.relation = Relation::Greater; break;
  case Predicate::ICMP_SGE:
  case Predicate::ICMP_UGE: guard.relation = Relation::GreaterOrEqual; break;
  case Predicate::ICMP_EQ: guard.relation = Relation::Equal; break;
  default: guard.relation = Relation::Differs; break;
  }
  guard.isSigned = llvm::CmpInst::isSigned(static_cast<Predicate>(predicate));
  guard.left = nodeOf(left, block);
  guard.right = nodeOf(right, block);
  guard.id = nodeOf(id, block);
  guard.shift = shift;
  return guard;
}

std::optional<FootprintGuard> FootprintNodes::guardOf(const llvm::ICmpInst& comparison, bool outcome,
                                                      const llvm::BasicBlock& block) {
  if (!comparison.getOperand(0)->getType()->isIntegerTy()) return std::nullopt;
  const llvm::CmpInst::Predicate predicate = outcome ? comparison.getPredicate() : comparison.getInversePredicate();
  const SCEV *left = evolution_.getSCEV(comparison.getOperand(0)),
             *right = evolution_.getSCEV(comparison.getOperand(1));
  if (bitsOf(left) > 64) return std::nullopt;
  if (auto guard = guardOf(left, right, predicate, block)) return guard;
  return guardOf(right, left, llvm::CmpInst::getSwappedPredicate(predicate), block);
}

} // namespace clotho::compiler
