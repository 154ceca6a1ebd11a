// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/widen/narrow_sums.hpp"

#include "compiler/analysis/small_ranges.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Local.h>

namespace clotho::compiler {
namespace {

using llvm::Value;

constexpr std::size_t kFewest = 4; ///< numbers of a sum, for it to be worth the change

bool isSum(const Value* value) {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  return instruction != nullptr && instruction->getOpcode() == llvm::Instruction::Add &&
         instruction->getType()->isIntegerTy() && instruction->getType()->getIntegerBitWidth() >= 32;
}

/// Whether the sum is a part of a larger one in its block.
bool isPart(const llvm::Instruction& sum) {
  if (!sum.hasOneUse() || !isSum(sum.user_back())) return false;
  return sum.user_back()->getParent() == sum.getParent();
}

/// Sums of numbers below a limit, in so many bits.
class NarrowSum {
 public:
  explicit NarrowSum(unsigned bits) : bits_(bits) {}

  /// `most`: the greatest value of the number, which fits into the bits.
  void add(llvm::IRBuilder<>& builder, Value* number, std::uint64_t most) {
    const std::uint64_t limit = (std::uint64_t{1} << bits_) - 1;
    Value* narrow = builder.CreateZExtOrTrunc(number, builder.getIntNTy(bits_));
    if (sums_.empty() || most > limit - most_) {
      sums_.push_back(narrow);
      most_ = most;
    } else {
      sums_.back() = builder.CreateAdd(sums_.back(), narrow, "", /*HasNUW=*/true);
      most_ += most;
    }
  }

  llvm::ArrayRef<Value*> sums() const { return sums_; }

 private:
  const unsigned bits_;
  std::uint64_t most_ = 0; ///< of the last sum
  llvm::SmallVector<Value*, 2> sums_;
};

class SumOfBlock {
 public:
  SumOfBlock(llvm::Instruction& root, SmallRanges& ranges) : root_(root), ranges_(ranges) { collect(root); }

  bool rewrite() {
    if (bytes_.size() + shorts_.size() < kFewest) return false;
    llvm::IRBuilder<> builder(&root_);
    NarrowSum bytes(8), shorts(16);
    const bool areBytesFew = bytes_.size() < kFewest;
    for (const auto& [value, most] : bytes_)
      (areBytesFew ? shorts : bytes).add(builder, value, most);
    for (const auto& [value, most] : shorts_)
      shorts.add(builder, value, most);
    Value* all = nullptr;
    const auto add = [&](Value* value) { all = all == nullptr ? value : builder.CreateAdd(all, value); };
    for (Value* value : others_)
      add(value);
    for (const NarrowSum* sum : {&bytes, &shorts})
      for (Value* value : sum->sums())
        add(builder.CreateZExt(value, root_.getType()));
    root_.replaceAllUsesWith(all);
    llvm::RecursivelyDeleteTriviallyDeadInstructions(&root_);
    return true;
  }

 private:
  struct Number {
    Value* value;
    std::uint64_t most;
  };

  void collect(llvm::Instruction& sum) {
    for (Value* operand : sum.operands()) {
      auto* part = llvm::dyn_cast<llvm::Instruction>(operand);
      if (part != nullptr && isSum(part) && part->getParent() == root_.getParent() && isPart(*part))
        collect(*part);
      else
        classify(*operand);
    }
  }

  void classify(Value& operand) {
    const auto* extension = llvm::dyn_cast<llvm::ZExtInst>(&operand);
    const unsigned bits = extension != nullptr ? extension->getSrcTy()->getIntegerBitWidth() : 0;
    if (bits == 0 || bits > 8) return others_.push_back(&operand);
    Value* number = extension->getOperand(0);
    const std::uint64_t most = ranges_.of(number).getUnsignedMax().getZExtValue();
    constexpr std::uint64_t kMostOfBytes = 15; // sums of several must fit into a byte
    (most <= kMostOfBytes ? bytes_ : shorts_).push_back({number, most});
  }

  llvm::Instruction& root_;
  SmallRanges& ranges_;
  llvm::SmallVector<Number, 16> bytes_, shorts_;
  llvm::SmallVector<Value*, 4> others_;
};

} // namespace

bool narrowSums(llvm::Function& function) {
  SmallRanges ranges;
  bool changed = false;
  for (llvm::BasicBlock& block : function) {
    llvm::SmallVector<llvm::Instruction*, 8> roots;
    for (llvm::Instruction& instruction : block)
      if (isSum(&instruction) && !isPart(instruction)) roots.push_back(&instruction);
    for (llvm::Instruction* root : roots)
      changed |= SumOfBlock(*root, ranges).rewrite();
  }
  return changed;
}

} // namespace clotho::compiler
