// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/memory/replace_sums.hpp"

#include "compiler/analysis/index_bounds.hpp"
#include "compiler/analysis/tile_accesses.hpp"
#include "compiler/analysis/value_numbers.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/replace_calls.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/Local.h>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

/// Deepest nesting of operations in which the terms are looked for; deeper terms are not found.
constexpr unsigned kDeepest = 8;

/// Rebuilds a sum without two of its terms.
class Rest {
 public:
  Rest(const Value& one, const Value& other) : one_(one), other_(other) {}

  /// Null if the sum does not contain both.
  Value* of(Instruction& sum, llvm::IRBuilder<>& builder) {
    if (!has(sum, one_, 0) || !has(sum, other_, 0)) return nullptr;
    return rebuild(sum, builder, 0);
  }

 private:
  static bool isDisjointOr(const Instruction& instruction) {
    const auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&instruction);
    return disjoint != nullptr && disjoint->isDisjoint();
  }

  static bool isLookedInto(const Instruction& instruction) {
    return llvm::isa<llvm::TruncInst, llvm::SExtInst, llvm::ZExtInst>(instruction) || isDisjointOr(instruction) ||
           llvm::is_contained({Instruction::Add, Instruction::Sub, Instruction::Mul, Instruction::Shl},
                              instruction.getOpcode());
  }

  static bool has(const Value& value, const Value& part, unsigned depth) {
    if (&value == &part) return true;
    const auto* instruction = llvm::dyn_cast<Instruction>(&value);
    return instruction != nullptr && depth < kDeepest && isLookedInto(*instruction) &&
           llvm::any_of(
               instruction->operands(), [&](const llvm::Use& operand) { return has(*operand, part, depth + 1); });
  }

  Value* rebuild(Value& value, llvm::IRBuilder<>& builder, unsigned depth) {
    if (&value == &one_ || &value == &other_) return llvm::ConstantInt::get(value.getType(), 0);
    if (!has(value, one_, depth) && !has(value, other_, depth)) return &value;
    auto& instruction = llvm::cast<Instruction>(value);
    Value* first = rebuild(*instruction.getOperand(0), builder, depth + 1);
    const auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction);
    if (cast != nullptr) return builder.CreateCast(cast->getOpcode(), first, value.getType());
    Value* second = rebuild(*instruction.getOperand(1), builder, depth + 1);
    return builder.CreateBinOp(isDisjointOr(instruction) ? Instruction::Add
                                                         : static_cast<Instruction::BinaryOps>(instruction.getOpcode()),
                               first, second);
  }

  const Value &one_, &other_;
};

} // namespace

void replaceSums(llvm::Function& function, const SumOfTwo& sum, Value& by) {
  llvm::SmallVector<Instruction*, 16> sums;
  for (Instruction& instruction : llvm::instructions(function))
    if (llvm::is_contained({Instruction::Add, Instruction::Sub, Instruction::Or}, instruction.getOpcode()) &&
        isIndexType(*instruction.getType()))
      sums.push_back(&instruction);
  Rest rest(sum.one, sum.other);
  llvm::SmallVector<llvm::WeakTrackingVH, 16> unused;
  for (Instruction* each : sums) {
    llvm::IRBuilder<> builder(each);
    Value* others = rest.of(*each, builder);
    if (others == nullptr) continue;
    llvm::Type* type = each->getType();
    const auto ofType = [&](Value& value) { return builder.CreateSExtOrTrunc(&value, type); };
    ValueNumbers numbers; // of values that are there
    Value* first = builder.CreateMul(ofType(sum.one), llvm::ConstantInt::get(type, sum.factor));
    Value* same = builder.CreateAdd(others, builder.CreateAdd(first, ofType(sum.other)));
    if (numbers.distance(each, same) == 0) each->replaceAllUsesWith(builder.CreateAdd(others, ofType(by)));
    unused.append({same, others, each});
  }
  llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(unused);
}

void makeIndexInductive(llvm::StoreInst& store) {
  const auto offset = offsetInTile(*store.getPointerOperand(), store.getDataLayout());
  if (!offset) return;
  for (const AffineForm::Term& ofItem : offset->terms)
    for (const AffineForm::Term& ofCounter : offset->terms) {
      Value* const id = ofItem.value;
      const auto call = matchIntrinsic(id);
      auto* counter = llvm::dyn_cast<llvm::PHINode>(ofCounter.value);
      if (!call || call->intrinsic != Intrinsic::LocalId || counter == nullptr || ofItem.scale != ofCounter.scale ||
          counter->getNumIncomingValues() != 2 || !isIndexType(*counter->getType()))
        continue;
      const auto isZero = [](const llvm::Use& use) {
        const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(use);
        return constant != nullptr && constant->isZero();
      };
      const auto* first = llvm::find_if(counter->incoming_values(), isZero);
      if (first == counter->incoming_values().end()) continue;
      const unsigned from = first->getOperandNo(), again = 1 - from;
      const auto* next = llvm::dyn_cast<llvm::BinaryOperator>(counter->getIncomingValue(again));
      if (next == nullptr || next->getOpcode() != Instruction::Add || next->getOperand(0) != counter ||
          !llvm::isa<llvm::ConstantInt>(next->getOperand(1)))
        continue;
      llvm::IRBuilder<> builder(counter->getIncomingBlock(from)->getTerminator());
      Value* begin = builder.CreateTrunc(id, counter->getType());
      builder.SetInsertPoint(counter);
      llvm::PHINode* index = builder.CreatePHI(counter->getType(), 2, "index");
      builder.SetInsertPoint(counter->getIncomingBlock(again)->getTerminator());
      Value* step = builder.CreateAdd(index, next->getOperand(1), "", /*HasNUW=*/true, /*HasNSW=*/true);
      index->addIncoming(begin, counter->getIncomingBlock(from));
      index->addIncoming(step, counter->getIncomingBlock(again));
      replaceSums(*store.getFunction(), {*counter, 1, *id}, *index);
      return;
    }
}

void replaceSizes(llvm::Function& kernel, const LocalSize& size) {
  replaceIntrinsics(kernel, [&](llvm::CallInst& call, const IntrinsicCall& what) {
    const bool isSize = what.intrinsic == Intrinsic::LocalSize || what.intrinsic == Intrinsic::EnqueuedSize;
    return isSize ? llvm::ConstantInt::get(call.getType(), size[what.dimension]) : nullptr;
  });
}

} // namespace clotho::compiler
