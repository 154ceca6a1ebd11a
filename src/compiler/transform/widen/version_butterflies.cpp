// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/widen/version_butterflies.hpp"

#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/loop_copies.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

constexpr const char* kRareName = "clotho.rare_butterfly";
constexpr unsigned kStrides[] = {1, 2, 4, 8}; // Most sub-groups are wider.
constexpr unsigned kLoopLimit = 96;           // most instructions of a loop that is copied for each stride

void replace(Instruction& old, Value* with) {
  old.replaceAllUsesWith(with);
  old.eraseFromParent();
}

/// Writes the cases of one butterfly exchange.
class ButterflyCases {
 public:
  ButterflyCases(const RowButterfly& butterfly, LoopCopies& copies) : butterfly_(butterfly), copies_(copies) {}

  bool write() {
    if (!copies_.bringOut(butterfly_.stride)) return false;
    for (llvm::Use* bits : butterfly_.masks)
      if (isCopied(bits->getUser()) && copies_.bringOut(bits->get())) masks_.push_back(bits);
    BasicBlock* before = copies_.split();
    llvm::IRBuilder<> builder(before);
    auto* type = llvm::cast<llvm::IntegerType>(butterfly_.stride->getType());
    Value* width = builder.CreateTrunc(createIntrinsic(builder, Intrinsic::LaneCount), type);
    Value* within = builder.CreateSub(width, llvm::ConstantInt::get(type, 1));
    if (!masks_.empty()) {
      Value* bits = masks_.front()->get();
      for (const llvm::Use* mask : llvm::drop_begin(masks_))
        bits = builder.CreateOr(bits, mask->get());
      BasicBlock* aligned = newBlock("butterfly.aligned");
      builder.CreateCondBr(builder.CreateIsNull(builder.CreateAnd(bits, within)), aligned, original());
      builder.SetInsertPoint(aligned);
    }
    BasicBlock* small = newBlock("butterfly.within");
    Value* low = builder.CreateAnd(butterfly_.stride, within);
    builder.CreateCondBr(builder.CreateIsNull(low), copyOfRows(), small);
    builder.SetInsertPoint(small);
    Value* stride = builder.CreateSelect(builder.CreateICmpULT(butterfly_.stride, width), butterfly_.stride,
                                         llvm::ConstantInt::get(type, 0));
    llvm::SwitchInst* choice = builder.CreateSwitch(stride, original(), std::size(kStrides));
    for (const unsigned each : kStrides) {
      auto* constant = llvm::ConstantInt::get(type, each);
      choice->addCase(constant, copyWithin(*constant));
    }
    if (masks_.empty()) butterfly_.exclusiveOr->setMetadata(kRareName, llvm::MDNode::get(before->getContext(), {}));
    return true;
  }

 private:
  BasicBlock* original() const { return copies_.original(); }
  bool isCopied(const Value* value) const { return llvm::is_contained(copies_.instructions(), value); }

  BasicBlock* newBlock(const char* name) const {
    return BasicBlock::Create(original()->getContext(), name, original()->getParent(), original());
  }

  static Value* inCopy(const llvm::ValueToValueMapTy& map, Value* value) {
    const auto found = map.find(value);
    return found != map.end() ? static_cast<Value*>(found->second) : value;
  }

  /// Case of a stride that is a multiple of the width: lanes stay in order, and comparisons have the same outcome for
  /// all.
  BasicBlock* copyOfRows() {
    llvm::ValueToValueMapTy map;
    BasicBlock* start = copies_.copy(map);
    auto* exclusiveOr = llvm::cast<Instruction>(map.lookup(butterfly_.exclusiveOr));
    llvm::IRBuilder<> builder(exclusiveOr);
    Value* own = inCopy(map, butterfly_.begin);
    Value* begin = builder.CreateXor(own, butterfly_.stride);
    for (const llvm::ICmpInst* compare : butterfly_.compares)
      replaceCompare(map, *compare, begin, own);
    maskRows(map);
    replace(*exclusiveOr, builder.CreateOr(begin, inCopy(map, butterfly_.lane), "", /*IsDisjoint=*/true));
    return start;
  }

  /// Case of a stride below the width: each lane's partner is in the same sub-group.
  BasicBlock* copyWithin(llvm::ConstantInt& stride) {
    llvm::ValueToValueMapTy map;
    map[butterfly_.stride] = &stride;
    BasicBlock* start = copies_.copy(map);
    auto* exclusiveOr = llvm::cast<Instruction>(map.lookup(butterfly_.exclusiveOr));
    Value* lane = inCopy(map, butterfly_.lane);
    // Computed from the variable stride: one mask that is computed once is better than several constant masks.
    llvm::IRBuilder<> builder(exclusiveOr);
    Value* partner = builder.CreateXor(lane, butterfly_.stride);
    for (const llvm::ICmpInst* compare : butterfly_.compares)
      replaceCompare(map, *compare, partner, lane);
    maskRows(map);
    return start;
  }

  void maskRows(const llvm::ValueToValueMapTy& map) {
    for (const llvm::Use* bits : masks_) {
      auto* masking = llvm::cast<Instruction>(map.lookup(bits->getUser()));
      llvm::IRBuilder<> builder(masking);
      replace(*masking, builder.CreateAnd(inCopy(map, butterfly_.begin), bits->get()));
    }
  }

  void replaceCompare(const llvm::ValueToValueMapTy& map, const llvm::ICmpInst& original, Value* partner,
                      Value* own) const {
    auto& compare = *llvm::cast<llvm::ICmpInst>(map.lookup(&original));
    const bool isLeft = compare.getOperand(0) == map.lookup(butterfly_.exclusiveOr);
    llvm::IRBuilder<> builder(&compare);
    Value* asks = builder.CreateICmp(compare.getPredicate(), isLeft ? partner : own, isLeft ? own : partner);
    replace(compare, asks);
  }

  const RowButterfly& butterfly_;
  LoopCopies& copies_;
  llvm::SmallVector<llvm::Use*, 2> masks_; ///< masks whose bits are known before the loop
};

} // namespace

void versionButterflies(llvm::ArrayRef<RowButterfly> butterflies, BasicBlock& header, BasicBlock& exit) {
  // One butterfly is versioned: copies of copies would be too many.
  for (const RowButterfly& butterfly : butterflies) {
    if (butterfly.compares.empty() || llvm::isa<llvm::Constant>(butterfly.stride)) continue;
    LoopCopies loop(header, exit);
    if (loop.find(kLoopLimit) && ButterflyCases(butterfly, loop).write()) return;
  }
}

bool isRareButterfly(const Instruction& exclusiveOr) { return exclusiveOr.hasMetadata(kRareName); }

} // namespace clotho::compiler
