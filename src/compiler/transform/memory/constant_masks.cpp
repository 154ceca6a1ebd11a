// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/memory/constant_masks.hpp"

#include "compiler/ir/marks.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

namespace clotho::compiler {
namespace {

using llvm::Value;

/// A masked load or store of which it is known which lanes are live.
struct Access {
  llvm::IntrinsicInst* call;
  llvm::SmallVector<int, 16> live;
  Value* base;
  std::int64_t distance; ///< of lane 0 from the base, in elements

  bool stores() const { return call->getType()->isVoidTy(); }
  Value* pointer() const { return call->getArgOperand(stores() ? 1 : 0); }
  llvm::FixedVectorType* type() const {
    return llvm::cast<llvm::FixedVectorType>(stores() ? call->getArgOperand(0)->getType() : call->getType());
  }
  /// What all lanes of any such access have.
  llvm::Align align() const {
    const llvm::DataLayout& layout = call->getDataLayout();
    return std::min(call->getParamAlign(stores() ? 1 : 0).valueOrOne(),
                    llvm::Align(layout.getTypeStoreSize(type()->getElementType()).getFixedValue()));
  }
  std::int64_t first() const { return distance + live.front(); }
  std::int64_t last() const { return distance + live.back(); }
};

std::optional<Access> accessOf(llvm::Instruction& instruction) {
  auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  const auto id = call != nullptr ? call->getIntrinsicID() : llvm::Intrinsic::not_intrinsic;
  if (id != llvm::Intrinsic::masked_load && id != llvm::Intrinsic::masked_store) return std::nullopt;
  Access access{call, {}, nullptr, 0};
  const auto* mask = llvm::dyn_cast<llvm::Constant>(call->getArgOperand(access.stores() ? 2 : 1));
  if (mask == nullptr) return std::nullopt;
  for (unsigned lane = 0; lane < access.type()->getNumElements(); ++lane) {
    const auto* isLive = llvm::dyn_cast_or_null<llvm::ConstantInt>(mask->getAggregateElement(lane));
    if (isLive == nullptr) return std::nullopt;
    if (isLive->isOne()) access.live.push_back(static_cast<int>(lane));
  }
  const llvm::DataLayout& layout = call->getDataLayout();
  const std::uint64_t bits = layout.getTypeSizeInBits(access.type()->getElementType());
  if (access.live.empty() || bits % 8 != 0 || bits != layout.getTypeAllocSizeInBits(access.type()->getElementType()))
    return std::nullopt;
  const auto bytes = static_cast<std::int64_t>(bits / 8);
  llvm::APInt distance(layout.getIndexTypeSizeInBits(access.pointer()->getType()), 0);
  access.base = access.pointer()->stripAndAccumulateConstantOffsets(layout, distance, /*AllowNonInbounds=*/true);
  if (distance.getSExtValue() % bytes != 0) return std::nullopt;
  access.distance = distance.getSExtValue() / bytes;
  return access;
}

void copyScopes(llvm::Instruction& to, const llvm::Instruction& from) {
  to.copyMetadata(from, {llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias});
}

void accessOne(const Access& access) {
  llvm::IRBuilder<> builder(access.call);
  llvm::Type* scalar = access.type()->getElementType();
  const auto lane = static_cast<std::uint64_t>(access.live.front());
  Value* place = builder.CreateConstGEP1_64(scalar, access.pointer(), lane);
  if (access.stores()) {
    copyScopes(*builder.CreateAlignedStore(builder.CreateExtractElement(access.call->getArgOperand(0), lane), place,
                                           access.align()),
               *access.call);
  } else {
    auto* value = builder.CreateAlignedLoad(scalar, place, access.align());
    copyScopes(*value, *access.call);
    access.call->replaceAllUsesWith(builder.CreateInsertElement(access.call->getArgOperand(2), value, lane));
  }
  access.call->eraseFromParent();
}

/// Accesses the vector whose lane 0 is so many elements from the base, in which all live lanes are.
void accessAt(const Access& access, std::int64_t distance) {
  const auto offset = static_cast<int>(access.distance - distance);
  if (offset == 0 && access.stores()) return;
  llvm::IRBuilder<> builder(access.call);
  const int lanes = static_cast<int>(access.type()->getNumElements());
  Value* place = access.pointer();
  if (offset != 0) place = builder.CreateConstGEP1_64(access.type()->getElementType(), place, -offset);
  if (access.stores()) {
    llvm::SmallVector<int, 16> from(lanes, llvm::PoisonMaskElem);
    llvm::SmallVector<llvm::Constant*, 16> mask(lanes, builder.getFalse());
    for (const int lane : access.live) {
      from[lane + offset] = lane;
      mask[lane + offset] = builder.getTrue();
    }
    auto* store = builder.CreateMaskedStore(builder.CreateShuffleVector(access.call->getArgOperand(0), from), place,
                                            access.align(), llvm::ConstantVector::get(mask));
    store->copyMetadata(*access.call);
  } else {
    llvm::SmallVector<int, 16> from; // its second operand is what other lanes have
    for (int lane = 0; lane < lanes; ++lane)
      from.push_back(llvm::is_contained(access.live, lane) ? lane + offset : lanes + lane);
    // Without scopes of aliases: dead lanes may read what lies beside the array.
    auto* whole = builder.CreateAlignedLoad(access.type(), place, access.align());
    access.call->replaceAllUsesWith(builder.CreateShuffleVector(whole, access.call->getArgOperand(2), from));
  }
  access.call->eraseFromParent();
}

/// They are of one block, and their places at known distances from one another.
using Accesses = llvm::SmallVector<Access, 4>;

bool accessTogether(const Accesses& accesses) {
  const auto isMarked = [](const Access& access) { return access.call->hasMetadata(kLocalMemoryName); };
  const llvm::FixedVectorType* type = accesses.front().type();
  // The vector reaches beyond local memory by less than its margins.
  constexpr std::uint64_t kMostBytes = 2048;
  const llvm::DataLayout& layout = accesses.front().call->getDataLayout();
  if (accesses.size() < 2 || llvm::none_of(accesses, isMarked) ||
      layout.getTypeStoreSize(accesses.front().type()).getFixedValue() > kMostBytes ||
      llvm::any_of(accesses, [&](const Access& access) { return access.type() != type; }))
    return false;
  std::int64_t first = accesses.front().first(), last = accesses.front().last();
  for (const Access& access : accesses) {
    first = std::min(first, access.first());
    last = std::max(last, access.last());
  }
  if (last - first >= type->getNumElements()) return false;
  // One of theirs, which may be what others access, too.
  for (const Access& access : accesses)
    if (access.distance <= first && access.distance + type->getNumElements() > last) {
      first = access.distance;
      break;
    }
  for (const Access& access : accesses)
    accessAt(access, first);
  return true;
}

} // namespace

llvm::PreservedAnalyses ConstantMasksPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (llvm::BasicBlock& block : function) {
    llvm::SmallMapVector<Value*, Accesses, 4> byBase;
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(block))
      if (const std::optional<Access> access = accessOf(instruction)) {
        if (access->live.size() == 1) {
          accessOne(*access);
          changed = true;
        } else {
          byBase[access->base].push_back(*access);
        }
      }
    for (const auto& [base, accesses] : byBase)
      changed |= accessTogether(accesses);
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

llvm::PreservedAnalyses SingleLaneStoresPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
    if (const std::optional<Access> access = accessOf(instruction);
        access && access->stores() && access->live.size() == 1) {
      accessOne(*access);
      changed = true;
    }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

} // namespace clotho::compiler
