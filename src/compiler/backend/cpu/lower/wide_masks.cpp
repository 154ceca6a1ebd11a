// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/lower/wide_masks.hpp"

#include "compiler/ir/run_pass.hpp"

#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cmath>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

bool isMask(const Value* value) {
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return type != nullptr && type->getElementType()->isIntegerTy(1) && llvm::isPowerOf2_32(type->getNumElements()) &&
         type->getNumElements() > 1;
}

unsigned lanesOf(const Value& mask) { return llvm::cast<llvm::FixedVectorType>(mask.getType())->getNumElements(); }

/// Whether the instruction computes a mask from masks, lane by lane or by permuting lanes.
bool isLogic(const Instruction& instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::PHI:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::Select:
  case Instruction::Freeze: return isMask(&instruction);
  case Instruction::ShuffleVector: return isMask(&instruction) && isMask(instruction.getOperand(0));
  default: return false;
  }
}

/// Bits of the scalars that a mask belongs to; 0 if unknown.
unsigned bitsBehind(const Instruction& instruction) {
  const llvm::Type* type = nullptr;
  if (llvm::isa<llvm::CmpInst, llvm::StoreInst>(instruction)) {
    type = instruction.getOperand(0)->getType();
  } else if (llvm::isa<llvm::SelectInst, llvm::CastInst>(instruction)) {
    type = instruction.getType();
  } else if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
    const bool stores = intrinsic->getType()->isVoidTy() && intrinsic->arg_size() > 0;
    type = stores ? intrinsic->getArgOperand(0)->getType() : intrinsic->getType();
  }
  if (type == nullptr || !type->isVectorTy()) return 0;
  const unsigned bits = instruction.getDataLayout().getTypeSizeInBits(type->getScalarType());
  return bits >= 8 && bits <= 64 && llvm::isPowerOf2_32(bits) ? bits : 0;
}

/// Masks that are computed from one another.
class MaskWeb {
 public:
  MaskWeb(const ProcessorModel& cpu, const llvm::LoopInfo& loops, llvm::ArrayRef<Instruction*> masks)
      : cpu_(cpu), loops_(loops), masks_(masks) {
    members_.insert(masks.begin(), masks.end());
  }

  /// Whether several blocks use the masks, or their lanes are permuted.
  bool isLong() const {
    return llvm::any_of(masks_, [](const Instruction* mask) {
      return llvm::isa<llvm::PHINode>(mask) || (llvm::isa<llvm::ShuffleVectorInst>(mask) && isLogic(*mask)) ||
             llvm::any_of(mask->users(), [&](const llvm::User* user) {
               return llvm::cast<Instruction>(user)->getParent() != mask->getParent();
             });
    });
  }

  void widen() {
    element_ = llvm::IntegerType::get(masks_.front()->getContext(), chooseBits());
    // Visits blocks in order, so that only the values of loop phis are not available yet.
    for (Instruction* mask : masks_)
      ofMask_[mask] = write(*mask);
    for (Instruction* mask : masks_)
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(mask))
        for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
          llvm::cast<llvm::PHINode>(ofMask_[phi])
              ->addIncoming(wideOf(phi->getIncomingValue(i)), phi->getIncomingBlock(i));
    for (Instruction* mask : masks_)
      useWide(*mask);
    llvm::SmallVector<Instruction*, 16> replaced;
    llvm::copy_if(masks_, std::back_inserter(replaced), [](const Instruction* mask) { return isLogic(*mask); });
    for (Instruction* mask : replaced)
      mask->dropAllReferences();
    for (Instruction* mask : replaced)
      mask->eraseFromParent();
  }

 private:
  /// The cheapest width: operations on all registers of each mask, plus one step for each halving or doubling between
  /// masks and the scalars that they belong to.
  unsigned chooseBits() const {
    unsigned best = 0;
    double least = 0;
    for (unsigned bits = 64; bits >= 8; bits /= 2) {
      double cost = 0;
      for (const Instruction* mask : masks_) {
        const auto registers = [&](unsigned each) { return std::max(1U, lanesOf(*mask) * each / cpu_.vectorBits); };
        const auto conversion = [&](const Instruction& other) -> unsigned {
          const unsigned from = bitsBehind(other);
          if (from == 0) return registers(bits);
          const unsigned steps = from > bits ? llvm::Log2_32(from / bits) : llvm::Log2_32(bits / from);
          return steps * registers(std::max(from, bits));
        };
        cost += frequency(*mask) * (isLogic(*mask) ? registers(bits) : conversion(*mask));
        for (const llvm::User* user : mask->users())
          if (const auto& other = *llvm::cast<Instruction>(user); !isLogic(other))
            cost += frequency(other) * conversion(other);
      }
      if (best == 0 || cost < least) {
        best = bits;
        least = cost;
      }
    }
    return best;
  }

  double frequency(const Instruction& instruction) const {
    constexpr double kAssumedTrips = 8; // assumed trip count of a loop
    return std::pow(kAssumedTrips, loops_.getLoopDepth(instruction.getParent()));
  }

  llvm::FixedVectorType* typeOf(const Value& mask) const { return llvm::FixedVectorType::get(element_, lanesOf(mask)); }

  Value* wideOf(Value* mask) {
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(mask)) {
      llvm::IRBuilder<> builder(mask->getContext()); // folds
      return builder.CreateSExt(constant, typeOf(*mask));
    }
    Value*& wide = ofMask_[mask];
    if (wide == nullptr) wide = ofStranger(*mask);
    return wide;
  }

  /// Extends a mask that is not in the web: a parameter. All others are in unreachable blocks and may be poison.
  Value* ofStranger(Value& mask) {
    auto* argument = llvm::dyn_cast<llvm::Argument>(&mask);
    if (argument == nullptr) return llvm::PoisonValue::get(typeOf(mask));
    llvm::BasicBlock& entry = argument->getParent()->getEntryBlock();
    return llvm::IRBuilder<>(&entry, entry.getFirstInsertionPt()).CreateSExt(argument, typeOf(mask));
  }

  Value* write(Instruction& mask) {
    if (llvm::isa<llvm::PHINode>(mask))
      return llvm::PHINode::Create(typeOf(mask), mask.getNumOperands(), "", mask.getIterator());
    llvm::IRBuilder<> builder(mask.getParent(), std::next(mask.getIterator()));
    if (!isLogic(mask)) return builder.CreateSExt(&mask, typeOf(mask));
    if (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&mask))
      return builder.CreateBinOp(operation->getOpcode(), wideOf(operation->getOperand(0)),
                                 wideOf(operation->getOperand(1)));
    if (llvm::isa<llvm::FreezeInst>(mask)) return builder.CreateFreeze(wideOf(mask.getOperand(0)));
    if (auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&mask))
      return builder.CreateShuffleVector(wideOf(shuffle->getOperand(0)), wideOf(shuffle->getOperand(1)),
                                         shuffle->getShuffleMask());
    auto& select = llvm::cast<llvm::SelectInst>(mask);
    Value *condition = select.getCondition(), *ifTrue = wideOf(select.getTrueValue()),
          *ifFalse = wideOf(select.getFalseValue());
    if (!isMask(condition)) return builder.CreateSelect(condition, ifTrue, ifFalse);
    Value* lanes = wideOf(condition);
    // A select ignores poison in lanes that it does not take, unlike `and` and `or`, so the other operand is frozen.
    if (const auto* none = llvm::dyn_cast<llvm::Constant>(ifFalse); none != nullptr && none->isNullValue())
      return builder.CreateAnd(lanes, builder.CreateFreeze(ifTrue));
    if (const auto* all = llvm::dyn_cast<llvm::Constant>(ifTrue); all != nullptr && all->isAllOnesValue())
      return builder.CreateOr(lanes, builder.CreateFreeze(ifFalse));
    return builder.CreateSelect(narrow(builder, lanes), ifTrue, ifFalse);
  }

  static Value* narrow(llvm::IRBuilder<>& builder, Value* wide) {
    return builder.CreateICmpSLT(wide, llvm::Constant::getNullValue(wide->getType()));
  }

  /// Replaces uses of a mask by a comparison of its wide form. Uses in the same block as the comparison that defines
  /// the mask stay.
  void useWide(Instruction& mask) {
    Value* wide = ofMask_[&mask];
    llvm::SmallVector<llvm::Use*, 8> uses(llvm::make_pointer_range(mask.uses()));
    for (llvm::Use* use : uses) {
      auto* user = llvm::cast<Instruction>(use->getUser());
      const bool goes = members_.contains(user) && isLogic(*user);
      if (goes || user == wide || (!isLogic(mask) && user->getParent() == mask.getParent())) continue;
      if (isLogic(*user)) { // The block is unreachable.
        use->set(llvm::PoisonValue::get(mask.getType()));
        continue;
      }
      llvm::IRBuilder<> builder(user);
      use->set(narrow(builder, wide));
    }
  }

  const ProcessorModel& cpu_;
  const llvm::LoopInfo& loops_;
  llvm::ArrayRef<Instruction*> masks_;
  llvm::DenseSet<const Instruction*> members_;
  llvm::IntegerType* element_ = nullptr;
  llvm::DenseMap<const Value*, Value*> ofMask_;
};

} // namespace

llvm::PreservedAnalyses WideMasksPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (cpu_.hasMaskRegisters) return llvm::PreservedAnalyses::all();
  llvm::EquivalenceClasses<Instruction*> classes;
  llvm::SmallVector<Instruction*, 32> masks;
  for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function))
    for (Instruction& instruction : *block)
      if (isMask(&instruction)) {
        masks.push_back(&instruction);
        classes.insert(&instruction);
      }
  for (Instruction* mask : masks)
    if (isLogic(*mask))
      for (Value* operand : mask->operand_values())
        if (auto* source = llvm::dyn_cast<Instruction>(operand); source != nullptr && isMask(source))
          classes.unionSets(mask, source);
  llvm::MapVector<Instruction*, llvm::SmallVector<Instruction*, 8>> webs;
  for (Instruction* mask : masks)
    webs[classes.getLeaderValue(mask)].push_back(mask);
  const llvm::LoopInfo& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  bool changed = false;
  for (auto& [leader, members] : webs) {
    MaskWeb web(cpu_, loops, members);
    if (!web.isLong()) continue;
    web.widen();
    changed = true;
  }
  return preservedWithEdges(changed);
}

} // namespace clotho::compiler
