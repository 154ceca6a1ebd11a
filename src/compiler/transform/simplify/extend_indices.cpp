// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/simplify/extend_indices.hpp"

#include "compiler/analysis/index_bounds.hpp"
#include "compiler/ir/intrinsics.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Local.h>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr unsigned kDepthLimit = 6;

class Extender {
 public:
  explicit Extender(const llvm::LoopInfo& loops) : loops_(loops) {}

  /// Whether the extension of the value can be replaced by extensions of its terms, and at least one of these changes
  /// in a loop.
  bool isIndex(const Value* value) {
    changes_ = false;
    return isMadeOfKnown(value, 0) && changes_;
  }

  Value* extended(Value* value, llvm::IRBuilder<>& builder) {
    llvm::Type* i64 = builder.getInt64Ty();
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value))
      return builder.getInt64(static_cast<std::uint64_t>(constant->getSExtValue()));
    if (!isSum(value)) {
      Value*& leaf = leaves_[value];
      if (leaf == nullptr) {
        if (auto* counter = llvm::dyn_cast<llvm::PHINode>(value)) leaf = wideCounter(*counter);
        if (leaf != nullptr) return leaf;
        llvm::IRBuilder<> there(builder.getContext());
        if (auto* instruction = llvm::dyn_cast<Instruction>(value))
          there.SetInsertPoint(*instruction->getInsertionPointAfterDef());
        else
          there.SetInsertPoint(&*builder.GetInsertBlock()->getParent()->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
        leaf = there.CreateSExt(value, i64);
      }
      return leaf;
    }
    auto* sum = llvm::cast<llvm::BinaryOperator>(value);
    if (sum->getOpcode() == Instruction::Mul)
      for (const unsigned i : {0U, 1U})
        if (const auto* terms = llvm::dyn_cast<llvm::BinaryOperator>(sum->getOperand(i));
            terms != nullptr && isSum(terms) &&
            (terms->getOpcode() == Instruction::Add || terms->getOpcode() == Instruction::Sub))
          return distributed(*terms, extended(sum->getOperand(1 - i), builder), builder);
    Value* first = extended(sum->getOperand(0), builder);
    Value* second = extended(sum->getOperand(1), builder);
    return make(sum->getOpcode(), first, second, builder);
  }

 private:
  /// The operation in 64 bits. It does not wrap around, since it does not in 32.
  static Value* make(Instruction::BinaryOps opcode, Value* first, Value* second, llvm::IRBuilder<>& builder) {
    auto* made = llvm::BinaryOperator::Create(opcode, first, second);
    made->setHasNoSignedWrap(true);
    return builder.Insert(made);
  }

  /// A 64-bit induction variable next to the loop's 32-bit one, if that does not wrap around; null otherwise. An
  /// extension in each iteration would do as well, but GVN makes a loop phi of it, which is no longer recognised as an
  /// index.
  static Value* wideCounter(llvm::PHINode& counter) {
    if (counter.getNumIncomingValues() != 2) return nullptr;
    for (const unsigned i : {0U, 1U}) {
      auto* next = llvm::dyn_cast<llvm::BinaryOperator>(counter.getIncomingValue(i));
      if (next == nullptr || next->getOpcode() != Instruction::Add || !next->hasNoSignedWrap() ||
          next->getOperand(0) != &counter)
        continue;
      const auto* step = llvm::dyn_cast<llvm::ConstantInt>(next->getOperand(1));
      if (step == nullptr) continue;
      llvm::IRBuilder<> builder(counter.getIncomingBlock(1 - i)->getTerminator());
      Value* first = builder.CreateSExt(counter.getIncomingValue(1 - i), builder.getInt64Ty());
      builder.SetInsertPoint(&counter);
      llvm::PHINode* wide = builder.CreatePHI(builder.getInt64Ty(), 2, counter.getName());
      builder.SetInsertPoint(next);
      Value* wideNext =
          make(Instruction::Add, wide, builder.getInt64(static_cast<std::uint64_t>(step->getSExtValue())), builder);
      wide->addIncoming(first, counter.getIncomingBlock(1 - i));
      wide->addIncoming(wideNext, counter.getIncomingBlock(i));
      return wide;
    }
    return nullptr;
  }

  /// Distributes the factor, so that terms that change in a loop are separate from those that differ between rows.
  /// Products of 32-bit integers fit into 64 bits.
  Value* distributed(const llvm::BinaryOperator& terms, Value* factor, llvm::IRBuilder<>& builder) {
    Value* first = make(Instruction::Mul, extended(terms.getOperand(0), builder), factor, builder);
    Value* second = make(Instruction::Mul, extended(terms.getOperand(1), builder), factor, builder);
    return make(terms.getOpcode(), first, second, builder);
  }

  /// Whether the operation has no signed overflow in 32 bits, so that it is the same in 64.
  static bool isSum(const Value* value) {
    const auto* operation = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(value);
    if (operation == nullptr || !operation->hasNoSignedWrap() || !llvm::isa<Instruction>(value)) return false;
    return operation->getOpcode() != Instruction::Shl || llvm::isa<llvm::ConstantInt>(operation->getOperand(1));
  }

  bool isMadeOfKnown(const Value* value, unsigned depth) {
    if (llvm::isa<llvm::ConstantInt, llvm::Argument>(value)) return true;
    const auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (instruction == nullptr) return false;
    if (isSum(value))
      return depth < kDepthLimit &&
             llvm::all_of(
                 instruction->operands(), [&](const llvm::Use& operand) { return isMadeOfKnown(operand, depth + 1); });
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction)) return changes_ = isCounter(*phi);
    if (const auto* id = llvm::dyn_cast<llvm::TruncInst>(instruction))
      return isOfIds(id->getOperand(0), depth + 1) && isForIndices(*id);
    return false;
  }

  /// Whether the id is used only in indices. Its extension is shared by all uses, and with other uses it may no longer
  /// be recognised as an id (LaneShapes).
  static bool isForIndices(const llvm::TruncInst& id) {
    return llvm::all_of(id.users(), [](const llvm::User* user) {
      return !llvm::isa<llvm::SExtInst, llvm::ZExtInst>(user) ||
             llvm::all_of(user->users(), [](const llvm::User* uses) {
               return llvm::isa<llvm::GetElementPtrInst, llvm::BinaryOperator>(uses);
             });
    });
  }

  static bool isOfIds(const Value* value, unsigned depth) {
    if (matchIntrinsic(value)) return true;
    const auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(value);
    return sum != nullptr && sum->getOpcode() == Instruction::Add && depth < kDepthLimit &&
           isOfIds(sum->getOperand(0), depth + 1) && isOfIds(sum->getOperand(1), depth + 1);
  }

  bool isCounter(const llvm::PHINode& phi) const {
    const llvm::Loop* loop = loops_.getLoopFor(phi.getParent());
    if (loop == nullptr || loop->getHeader() != phi.getParent()) return false;
    return llvm::any_of(phi.incoming_values(), [&](const llvm::Use& incoming) {
      const auto* next = llvm::dyn_cast<llvm::BinaryOperator>(incoming);
      return next != nullptr && next->getOpcode() == Instruction::Add && next->getOperand(0) == &phi &&
             loop->isLoopInvariant(next->getOperand(1));
    });
  }

  const llvm::LoopInfo& loops_;
  llvm::DenseMap<const Value*, Value*> leaves_;
  bool changes_ = false;
};

/// Splits ids of the lane dimension off extensions of sums that are terms of 64-bit sums. The sum may wrap around
/// between two lanes, since no bound of memory applies to it, but the id alone has a range.
class IdSplitter {
 public:
  explicit IdSplitter(const llvm::DataLayout& layout) : layout_(layout) {}

  bool isWanted(const llvm::SExtInst& extension) const {
    return extension.getSrcTy()->isIntegerTy(32) && extension.getType()->isIntegerTy(64) &&
           isSumWithId(extension.getOperand(0)) && servesAddresses(extension) &&
           !largestMemoryWithoutWrap(extension, layout_);
  }

  /// The sum of extended terms, which does not wrap around, since the 32-bit sum does not.
  static Value* extended(Value* value, llvm::IRBuilder<>& builder) {
    if (!isSumWithId(value)) return builder.CreateSExt(value, builder.getInt64Ty());
    auto* sum = llvm::cast<llvm::BinaryOperator>(value);
    Value* first = extended(sum->getOperand(0), builder);
    Value* second = extended(sum->getOperand(1), builder);
    auto* made = llvm::BinaryOperator::Create(sum->getOpcode(), first, second);
    made->setHasNoSignedWrap(true);
    return builder.Insert(made);
  }

 private:
  /// Whether the value is a sum with an id, or a product of one with a constant, without signed overflow.
  static bool isSumWithId(const Value* value, unsigned depth = 0) {
    const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(value);
    if (operation == nullptr || depth == kDepthLimit || !llvm::isa<llvm::OverflowingBinaryOperator>(operation) ||
        !operation->hasNoSignedWrap())
      return false;
    const bool isSum = operation->getOpcode() == Instruction::Add || operation->getOpcode() == Instruction::Sub;
    if (!isSum && !llvm::isa<llvm::ConstantInt>(operation->getOperand(1))) return false;
    return llvm::any_of(operation->operands(),
                        [&](const Value* operand) { return isLanesId(operand) || isSumWithId(operand, depth + 1); });
  }

  static bool isLanesId(const Value* value) {
    const auto* id = llvm::dyn_cast<llvm::TruncInst>(value);
    const auto call = id == nullptr ? std::nullopt : matchIntrinsic(id->getOperand(0));
    return call && call->dimension == 0 &&
           (call->intrinsic == Intrinsic::GlobalId || call->intrinsic == Intrinsic::LocalId);
  }

  const llvm::DataLayout& layout_;
};

bool splitIds(llvm::Function& function) {
  const IdSplitter splitter(function.getDataLayout());
  llvm::SmallVector<llvm::SExtInst*, 8> extensions;
  for (Instruction& instruction : llvm::instructions(function))
    if (auto* extension = llvm::dyn_cast<llvm::SExtInst>(&instruction);
        extension != nullptr && splitter.isWanted(*extension))
      extensions.push_back(extension);
  for (llvm::SExtInst* extension : extensions) {
    llvm::IRBuilder<> builder(extension);
    extension->replaceAllUsesWith(IdSplitter::extended(extension->getOperand(0), builder));
    extension->eraseFromParent();
  }
  return !extensions.empty();
}

} // namespace

llvm::PreservedAnalyses ExtendIndicesPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  const bool changed = splitIds(function);
  llvm::PreservedAnalyses preserved = changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  preserved.preserveSet<llvm::CFGAnalyses>();
  if (!callsIntrinsic(function, Intrinsic::Barrier)) return preserved;
  Extender extender(analyses.getResult<llvm::LoopAnalysis>(function));
  llvm::SmallVector<llvm::CastInst*, 16> extensions;
  for (Instruction& instruction : llvm::instructions(function)) {
    auto* extension = llvm::dyn_cast<llvm::CastInst>(&instruction);
    const bool isSigned = extension != nullptr && (llvm::isa<llvm::SExtInst>(extension) ||
                                                   (llvm::isa<llvm::ZExtInst>(extension) && extension->hasNonNeg()));
    if (isSigned && extension->getSrcTy()->isIntegerTy(32) && extension->getType()->isIntegerTy(64) &&
        llvm::all_of(extension->users(),
                     [](const llvm::User* user) { return llvm::isa<llvm::GetElementPtrInst>(user); }) &&
        extender.isIndex(extension->getOperand(0)))
      extensions.push_back(extension);
  }
  if (extensions.empty()) return preserved;
  for (llvm::CastInst* extension : extensions) {
    Value* narrow = extension->getOperand(0);
    llvm::IRBuilder<> builder(extension);
    extension->replaceAllUsesWith(extender.extended(narrow, builder));
    extension->eraseFromParent();
    llvm::RecursivelyDeleteTriviallyDeadInstructions(narrow);
  }
  preserved = llvm::PreservedAnalyses::none();
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace clotho::compiler
