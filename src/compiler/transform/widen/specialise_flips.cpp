// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/widen/specialise_flips.hpp"

#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/loop_copies.hpp"
#include "compiler/ir/region_copies.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

constexpr const char* kRareName = "clotho.rare_flip";
constexpr unsigned kStrides[] = {1, 2, 4, 8}; // less than most sub-groups are wide
constexpr unsigned kCopyLimit = 64;           // instructions, each copied so many times
constexpr unsigned kLoopLimit = 96;           // of a whole loop

void replace(Instruction& old, Value* with) {
  old.replaceAllUsesWith(with);
  old.eraseFromParent();
}

/// Writes the cases of one butterfly exchange. `Copies`: LoopCopies or RegionCopies.
template <class Copies> class FlipCases {
 public:
  FlipCases(const RowFlip& flip, Copies& copies) : flip_(flip), copies_(copies) {}

  bool write() {
    if (!isKnownBefore(flip_.stride)) return false;
    for (llvm::Use* bits : flip_.masks)
      if (isCopied(bits->getUser()) && isKnownBefore(bits->get())) masks_.push_back(bits);
    BasicBlock* before = copies_.split();
    llvm::IRBuilder<> builder(before);
    auto* type = llvm::cast<llvm::IntegerType>(flip_.stride->getType());
    Value* width = builder.CreateTrunc(createIntrinsic(builder, Intrinsic::LaneCount), type);
    Value* within = builder.CreateSub(width, llvm::ConstantInt::get(type, 1));
    if (!masks_.empty()) {
      Value* bits = masks_.front()->get();
      for (const llvm::Use* mask : llvm::drop_begin(masks_))
        bits = builder.CreateOr(bits, mask->get());
      BasicBlock* aligned = newBlock("flip.aligned");
      builder.CreateCondBr(builder.CreateIsNull(builder.CreateAnd(bits, within)), aligned, original());
      builder.SetInsertPoint(aligned);
    }
    BasicBlock* small = newBlock("flip.within");
    Value* low = builder.CreateAnd(flip_.stride, within);
    builder.CreateCondBr(builder.CreateIsNull(low), copyOfRows(), small);
    builder.SetInsertPoint(small);
    Value* stride =
        builder.CreateSelect(builder.CreateICmpULT(flip_.stride, width), flip_.stride, llvm::ConstantInt::get(type, 0));
    llvm::SwitchInst* choice = builder.CreateSwitch(stride, original(), std::size(kStrides));
    for (const unsigned each : kStrides) {
      auto* constant = llvm::ConstantInt::get(type, each);
      choice->addCase(constant, copyWithin(*constant));
    }
    if (masks_.empty()) flip_.flip->setMetadata(kRareName, llvm::MDNode::get(before->getContext(), {}));
    return true;
  }

 private:
  BasicBlock* original() const { return copies_.original(); }
  bool isCopied(const Value* value) const { return llvm::is_contained(copies_.instructions(), value); }
  bool isKnownBefore(Value* value) {
    if constexpr (std::is_same_v<Copies, LoopCopies>)
      return copies_.bringOut(value);
    else
      return !isCopied(value);
  }

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
    auto* flip = llvm::cast<Instruction>(map.lookup(flip_.flip));
    llvm::IRBuilder<> builder(flip);
    Value* own = inCopy(map, flip_.begin);
    Value* begin = builder.CreateXor(own, flip_.stride);
    for (const llvm::ICmpInst* compare : flip_.compares)
      replaceCompare(map, *compare, begin, own);
    maskRows(map);
    replace(*flip, builder.CreateOr(begin, inCopy(map, flip_.lane), "", /*IsDisjoint=*/true));
    return start;
  }

  /// Case of a stride below the width: each lane's partner is in the same sub-group.
  BasicBlock* copyWithin(llvm::ConstantInt& stride) {
    llvm::ValueToValueMapTy map;
    map[flip_.stride] = &stride;
    BasicBlock* start = copies_.copy(map);
    auto* flip = llvm::cast<Instruction>(map.lookup(flip_.flip));
    Value* lane = inCopy(map, flip_.lane);
    // Computed from the variable stride: one mask that is computed once is better than several constant masks.
    llvm::IRBuilder<> builder(flip);
    Value* flipped = builder.CreateXor(lane, flip_.stride);
    for (const llvm::ICmpInst* compare : flip_.compares)
      replaceCompare(map, *compare, flipped, lane);
    maskRows(map);
    return start;
  }

  void maskRows(const llvm::ValueToValueMapTy& map) {
    for (const llvm::Use* bits : masks_) {
      auto* masking = llvm::cast<Instruction>(map.lookup(bits->getUser()));
      llvm::IRBuilder<> builder(masking);
      replace(*masking, builder.CreateAnd(inCopy(map, flip_.begin), bits->get()));
    }
  }

  void replaceCompare(const llvm::ValueToValueMapTy& map, const llvm::ICmpInst& original, Value* flipped,
                      Value* own) const {
    auto& compare = *llvm::cast<llvm::ICmpInst>(map.lookup(&original));
    const bool isLeft = compare.getOperand(0) == map.lookup(flip_.flip);
    llvm::IRBuilder<> builder(&compare);
    Value* asks = builder.CreateICmp(compare.getPredicate(), isLeft ? flipped : own, isLeft ? own : flipped);
    replace(compare, asks);
  }

  const RowFlip& flip_;
  Copies& copies_;
  llvm::SmallVector<llvm::Use*, 2> masks_; ///< with bits that are known before
};

} // namespace

void specialiseFlips(llvm::Function& function, llvm::ArrayRef<RowFlip> flips, BasicBlock& header, BasicBlock& exit) {
  // One butterfly is versioned: copies of copies would be too many.
  for (const RowFlip& flip : flips) {
    if (flip.compares.empty() || llvm::isa<llvm::Constant>(flip.stride)) continue;
    LoopCopies loop(header, exit);
    if (loop.find(kLoopLimit) && FlipCases(flip, loop).write()) return;
    RegionCopies region(*flip.flip, llvm::PostDominatorTree(function));
    if (region.find(kCopyLimit) && FlipCases(flip, region).write()) return;
  }
}

bool isRareFlip(const Instruction& flip) { return flip.hasMetadata(kRareName); }

} // namespace clotho::compiler
