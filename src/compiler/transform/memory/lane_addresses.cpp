// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/memory/lane_addresses.hpp"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;
using namespace llvm::PatternMatch;

/// An address or an index of each lane: `first`, and of lane i bytes or units `distances[i]` more, and as many times
/// `step` as `steps[i]` says. All of 64 bits or the width of addresses, so that sums wrap around as they did.
struct Lanes {
  Value* first = nullptr; ///< null: 0
  Value* step = nullptr;  ///< null: there is none
  llvm::SmallVector<std::int64_t, 16> distances, steps;
};

class LaneReader {
 public:
  LaneReader(llvm::IRBuilder<>& builder, unsigned lanes) : builder_(builder), lanes_(lanes) {}

  /// With `first` as an address. Writes scalars where the builder is, which nobody uses if there is no answer.
  std::optional<Lanes> addresses(Value* pointers, unsigned depth = 0) {
    if (Value* one = llvm::getSplatValue(pointers)) return same(one);
    auto* address = llvm::dyn_cast<llvm::GEPOperator>(pointers);
    if (address == nullptr || address->getNumIndices() != 1 || depth > kDepth) return std::nullopt;
    Value *base = address->getPointerOperand(), *index = address->getOperand(1);
    std::optional<Lanes> lanes = base->getType()->isVectorTy() ? addresses(base, depth + 1) : same(base);
    // Indices that are less wide are extended first.
    if (!lanes || !index->getType()->getScalarType()->isIntegerTy(64)) return std::nullopt;
    const std::int64_t size = static_cast<std::int64_t>(
        builder_.GetInsertBlock()->getDataLayout().getTypeAllocSize(address->getSourceElementType()).getFixedValue());
    std::optional<Lanes> indices = index->getType()->isVectorTy() ? indicesOf(index, depth + 1) : same(index);
    if (!indices || !multiply(*indices, size) || !add(*lanes, *indices)) return std::nullopt;
    return lanes;
  }

 private:
  static constexpr unsigned kDepth = 8;
  /// Small enough that sums of some of them do not overflow.
  static constexpr unsigned kFarBits = 40;
  static constexpr std::int64_t kFar = std::int64_t(1) << kFarBits;

  Lanes same(Value* value) const {
    return {value, nullptr, llvm::SmallVector<std::int64_t, 16>(lanes_, 0),
            llvm::SmallVector<std::int64_t, 16>(lanes_, 0)};
  }

  std::optional<llvm::SmallVector<std::int64_t, 16>> constants(const Value* value) const {
    const auto* vector = llvm::dyn_cast<llvm::Constant>(value);
    if (vector == nullptr) return std::nullopt;
    llvm::SmallVector<std::int64_t, 16> numbers;
    for (unsigned i = 0; i < lanes_; ++i) {
      const llvm::Constant* element = vector->getAggregateElement(i);
      const auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(element);
      // Lanes that are not used have none.
      if (element != nullptr && llvm::isa<llvm::UndefValue>(element))
        numbers.push_back(0);
      else if (number == nullptr || !number->getValue().isSignedIntN(kFarBits))
        return std::nullopt;
      else
        numbers.push_back(number->getSExtValue());
    }
    return numbers;
  }

  std::optional<Lanes> indicesOf(Value* index, unsigned depth) {
    if (Value* one = llvm::getSplatValue(index); one != nullptr && !llvm::isa<llvm::Constant>(one)) return same(one);
    if (const auto numbers = constants(index)) {
      Lanes lanes = same(nullptr);
      lanes.distances = *numbers;
      return lanes;
    }
    Value *one = nullptr, *other = nullptr;
    if (depth > kDepth) return std::nullopt;
    if (match(index, m_AddLike(m_Value(one), m_Value(other)))) {
      std::optional<Lanes> sum = indicesOf(one, depth + 1);
      const std::optional<Lanes> more = sum ? indicesOf(other, depth + 1) : std::nullopt;
      return more && add(*sum, *more) ? sum : std::nullopt;
    }
    if (match(index, m_Mul(m_Value(one), m_Value(other)))) {
      if (llvm::isa<llvm::Constant>(one)) std::swap(one, other);
      const auto numbers = constants(other);
      Value* step = numbers ? llvm::getSplatValue(one) : nullptr;
      if (step == nullptr) return std::nullopt;
      Lanes lanes = same(nullptr);
      lanes.step = step;
      lanes.steps = *numbers;
      return lanes;
    }
    const llvm::APInt* bits = nullptr;
    if (match(index, m_Shl(m_Value(one), m_APInt(bits))) && bits->ult(32)) {
      std::optional<Lanes> lanes = indicesOf(one, depth + 1);
      return lanes && multiply(*lanes, std::int64_t(1) << bits->getZExtValue()) ? lanes : std::nullopt;
    }
    return std::nullopt;
  }

  bool add(Lanes& sum, const Lanes& more) {
    if (sum.step != nullptr && more.step != nullptr && sum.step != more.step) return false;
    if (sum.step == nullptr) sum.step = more.step;
    if (more.first != nullptr)
      sum.first = sum.first == nullptr                  ? more.first
                  : sum.first->getType()->isPointerTy() ? builder_.CreatePtrAdd(sum.first, more.first)
                                                        : builder_.CreateAdd(sum.first, more.first);
    for (unsigned i = 0; i < lanes_; ++i) {
      sum.distances[i] += more.distances[i];
      sum.steps[i] += more.steps[i];
      if (std::abs(sum.distances[i]) >= kFar || std::abs(sum.steps[i]) >= kFar) return false;
    }
    return true;
  }

  bool multiply(Lanes& lanes, std::int64_t factor) {
    if (lanes.first != nullptr && factor != 1)
      lanes.first = builder_.CreateMul(lanes.first, builder_.getInt64(static_cast<std::uint64_t>(factor)));
    for (unsigned i = 0; i < lanes_; ++i) {
      if (factor >= kFar / std::max<std::int64_t>({std::abs(lanes.distances[i]), std::abs(lanes.steps[i]), 1}))
        return false;
      lanes.distances[i] *= factor;
      lanes.steps[i] *= factor;
    }
    return true;
  }

  llvm::IRBuilder<>& builder_;
  const unsigned lanes_;
};

bool isScatter(const llvm::IntrinsicInst& access) { return access.getIntrinsicID() == llvm::Intrinsic::masked_scatter; }

Value* pointersOf(const llvm::IntrinsicInst& access) { return access.getArgOperand(isScatter(access) ? 1 : 0); }
Value* maskOf(const llvm::IntrinsicInst& access) { return access.getArgOperand(isScatter(access) ? 2 : 1); }

/// Each lane's as a scalar: from the lane before, where the distance between any two is the same, since so many
/// distances would not have registers.
llvm::SmallVector<Value*, 16> scalars(const Lanes& lanes, llvm::IRBuilder<>& builder) {
  llvm::SmallVector<Value*, 16> result;
  const auto width = static_cast<unsigned>(lanes.distances.size());
  const auto bytes = [&](std::int64_t number) { return builder.getInt64(static_cast<std::uint64_t>(number)); };
  const auto moved = [&](Value* address, std::int64_t steps) {
    return steps == 0 ? address : builder.CreatePtrAdd(address, builder.CreateMul(lanes.step, bytes(steps)));
  };
  for (unsigned i = 0; i < width; ++i) {
    const bool isNext = i != 0 && lanes.steps[i] - lanes.steps[i - 1] == lanes.steps[1] - lanes.steps[0];
    result.push_back(isNext ? moved(result.back(), lanes.steps[1] - lanes.steps[0])
                            : moved(lanes.first, lanes.steps[i]));
  }
  for (unsigned i = 0; i < width; ++i)
    if (lanes.distances[i] != 0) result[i] = builder.CreatePtrAdd(result[i], bytes(lanes.distances[i]));
  return result;
}

void takeApart(llvm::IntrinsicInst& access, llvm::ArrayRef<Value*> addresses) {
  const bool stores = isScatter(access);
  Value* mask = maskOf(access);
  const auto* known = llvm::dyn_cast<llvm::Constant>(mask);
  if (llvm::isa<llvm::ConstantExpr>(mask)) known = nullptr;
  const unsigned lanes = static_cast<unsigned>(addresses.size());
  Value* all = access.getArgOperand(stores ? 0 : 2);
  llvm::Type* element = llvm::cast<llvm::FixedVectorType>(all->getType())->getElementType();
  const llvm::Align align = access.getParamAlign(stores ? 1 : 0).valueOrOne();
  llvm::IRBuilder<> builder(&access);
  Value* bits = known != nullptr ? nullptr : builder.CreateBitCast(mask, builder.getIntNTy(lanes));
  const auto one = [&](unsigned lane) -> Value* {
    Instruction* made = nullptr;
    if (stores)
      made = builder.CreateAlignedStore(builder.CreateExtractElement(all, lane), addresses[lane], align);
    else
      made = builder.CreateAlignedLoad(element, addresses[lane], align);
    made->copyMetadata(access, {llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias});
    return stores ? made : builder.CreateInsertElement(all, made, lane);
  };
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (known != nullptr) {
      if (!known->getAggregateElement(lane)->isOneValue()) continue;
      Value* done = one(lane);
      if (!stores) all = done;
      continue;
    }
    Value* isLive = builder.CreateICmpNE(builder.CreateAnd(bits, llvm::APInt::getOneBitSet(lanes, lane)),
                                         llvm::Constant::getNullValue(bits->getType()));
    llvm::BasicBlock* before = builder.GetInsertBlock();
    Instruction* then = llvm::SplitBlockAndInsertIfThen(isLive, access.getIterator(), /*Unreachable=*/false);
    builder.SetInsertPoint(then);
    Value* done = one(lane);
    builder.SetInsertPoint(&access);
    if (stores) continue;
    llvm::PHINode* either = builder.CreatePHI(all->getType(), 2);
    either->addIncoming(done, then->getParent());
    either->addIncoming(all, before);
    all = either;
  }
  Value* pointers = pointersOf(access);
  if (!stores) access.replaceAllUsesWith(all);
  access.eraseFromParent();
  llvm::RecursivelyDeleteTriviallyDeadInstructions(pointers);
}

} // namespace

llvm::PreservedAnalyses LaneAddressesPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  const auto& costs = analyses.getResult<llvm::TargetIRAnalysis>(function);
  llvm::SmallVector<llvm::WeakTrackingVH, 16> found; // taking one apart may leave another without a use
  for (Instruction& instruction : llvm::instructions(function)) {
    auto* access = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (access == nullptr || (access->getIntrinsicID() != llvm::Intrinsic::masked_gather && !isScatter(*access)))
      continue;
    llvm::Type* type = isScatter(*access) ? access->getArgOperand(0)->getType() : access->getType();
    const llvm::Align align = access->getParamAlign(isScatter(*access) ? 1 : 0).valueOrOne();
    const bool isThere = isScatter(*access)
                             ? costs.isLegalMaskedScatter(type, align) &&
                                   !costs.forceScalarizeMaskedScatter(llvm::cast<llvm::VectorType>(type), align)
                             : costs.isLegalMaskedGather(type, align) &&
                                   !costs.forceScalarizeMaskedGather(llvm::cast<llvm::VectorType>(type), align);
    if (!isThere) found.emplace_back(access);
  }
  bool changed = false;
  for (const llvm::WeakTrackingVH& handle : found) {
    auto* access = llvm::cast_or_null<llvm::IntrinsicInst>(handle);
    if (access == nullptr) continue;
    llvm::IRBuilder<> builder(access);
    const unsigned width = llvm::cast<llvm::FixedVectorType>(pointersOf(*access)->getType())->getNumElements();
    const std::optional<Lanes> lanes = LaneReader(builder, width).addresses(pointersOf(*access));
    if (!lanes) continue;
    takeApart(*access, scalars(*lanes, builder));
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
