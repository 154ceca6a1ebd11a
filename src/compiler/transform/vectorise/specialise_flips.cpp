// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/vectorise/specialise_flips.hpp"

#include "compiler/transform/primitives.hpp"
#include "compiler/transform/region_copies.hpp"

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

void replace(Instruction& old, Value* with) {
  old.replaceAllUsesWith(with);
  old.eraseFromParent();
}

class FlipCases {
 public:
  FlipCases(const RowFlip& flip, const llvm::PostDominatorTree& ends) : flip_(flip), region_(*flip.flip, ends) {}

  bool write() {
    if (flip_.compares.empty() || llvm::isa<llvm::Constant>(flip_.stride) || !region_.find(kCopyLimit)) return false;
    // Bits that are known before.
    for (llvm::Use* bits : flip_.masks)
      if (isInRegion(bits->getUser()) && !isInRegion(bits->get())) masks_.push_back(bits);
    BasicBlock* before = region_.split();
    llvm::IRBuilder<> builder(before);
    auto* type = llvm::cast<llvm::IntegerType>(flip_.stride->getType());
    Value* width = builder.CreateTrunc(createPrimitive(builder, Primitive::LaneCount), type);
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
  BasicBlock* original() const { return region_.original(); }
  bool isInRegion(const Value* value) const { return llvm::is_contained(region_.instructions(), value); }

  BasicBlock* newBlock(const char* name) const {
    return BasicBlock::Create(original()->getContext(), name, original()->getParent(), original());
  }

  /// Lanes are in the order of the row, and what is asked of the row's beginning holds for all.
  BasicBlock* copyOfRows() {
    llvm::ValueToValueMapTy map;
    BasicBlock* start = region_.copy(map);
    auto* flip = llvm::cast<Instruction>(map.lookup(flip_.flip));
    llvm::IRBuilder<> builder(flip);
    Value* begin = builder.CreateXor(flip_.begin, flip_.stride);
    replaceQuestions(map, begin, flip_.begin);
    replace(*flip, builder.CreateOr(begin, flip_.lane, "", /*IsDisjoint=*/true));
    return start;
  }

  /// Each lane's partner is in the same row.
  BasicBlock* copyWithin(llvm::ConstantInt& stride) {
    llvm::ValueToValueMapTy map;
    map[flip_.stride] = &stride;
    BasicBlock* start = region_.copy(map);
    // Not by the constant: a mask that is computed once is better than constants in the place of masks.
    llvm::IRBuilder<> builder(llvm::cast<Instruction>(map.lookup(flip_.flip)));
    replaceQuestions(map, builder.CreateXor(flip_.lane, flip_.stride), flip_.lane);
    return start;
  }

  void replaceQuestions(const llvm::ValueToValueMapTy& map, Value* flipped, Value* own) {
    for (const llvm::ICmpInst* compare : flip_.compares)
      replaceCompare(*llvm::cast<llvm::ICmpInst>(map.lookup(compare)), *map.lookup(flip_.flip), flipped, own);
    for (const llvm::Use* bits : masks_) {
      auto* masking = llvm::cast<Instruction>(map.lookup(bits->getUser()));
      llvm::IRBuilder<> builder(masking);
      replace(*masking, builder.CreateAnd(flip_.begin, bits->get()));
    }
  }

  static void replaceCompare(llvm::ICmpInst& compare, const Value& flip, Value* flipped, Value* own) {
    const bool isLeft = compare.getOperand(0) == &flip;
    llvm::IRBuilder<> builder(&compare);
    replace(compare, builder.CreateICmp(compare.getPredicate(), isLeft ? flipped : own, isLeft ? own : flipped));
  }

  const RowFlip& flip_;
  RegionCopies region_;
  llvm::SmallVector<llvm::Use*, 2> masks_;
};

} // namespace

void specialiseFlips(llvm::Function& function, llvm::ArrayRef<RowFlip> flips) {
  // One is enough: copies of copies would be many.
  for (const RowFlip& flip : flips)
    if (FlipCases(flip, llvm::PostDominatorTree(function)).write()) return;
}

bool isRareFlip(const Instruction& flip) { return flip.hasMetadata(kRareName); }

} // namespace clotho::compiler
