// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/simplify/sink_into_branches.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include <iterator>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::BranchInst;
using llvm::Instruction;
using llvm::Value;

/// Longest sum that is looked through, in instructions.
constexpr std::size_t kMostTerms = 16;

/// Whether the instruction is cheap to copy and cannot fail.
bool isCopied(const Instruction& instruction) {
  if (instruction.getType()->isPointerTy()) return llvm::isa<llvm::GetElementPtrInst>(instruction);
  if (!instruction.getType()->isIntegerTy() || instruction.isIntDivRem()) return false;
  return llvm::isa<llvm::BinaryOperator, llvm::SExtInst, llvm::ZExtInst, llvm::TruncInst>(instruction);
}

bool isMadeOf(const Instruction& sum, const Value& term) {
  llvm::SmallPtrSet<const Value*, kMostTerms> seen = {&sum};
  llvm::SmallVector<const Instruction*, kMostTerms> work = {&sum};
  while (!work.empty()) {
    for (const Value* operand : work.pop_back_val()->operands()) {
      if (operand == &term) return true;
      const auto* instruction = llvm::dyn_cast<Instruction>(operand);
      if (instruction == nullptr || !isCopied(*instruction)) continue;
      if (seen.size() < kMostTerms && seen.insert(operand).second) work.push_back(instruction);
    }
  }
  return false;
}

class Sinker {
 public:
  explicit Sinker(const llvm::DominatorTree& dominators) : dominators_(dominators) {}

  bool sink(BasicBlock& block) {
    const auto* branch = llvm::dyn_cast<BranchInst>(block.getTerminator());
    if (branch == nullptr || !branch->isConditional()) return false;
    const auto* test = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
    if (test == nullptr || !test->isEquality() || !llvm::isa<llvm::ConstantInt>(test->getOperand(1))) return false;
    term_ = test->getOperand(0);
    value_ = test->getOperand(1);
    const bool isEqualFirst = test->getPredicate() == llvm::ICmpInst::ICMP_EQ;
    equalSide_ = branch->getSuccessor(isEqualFirst ? 0 : 1);
    otherSide_ = branch->getSuccessor(isEqualFirst ? 1 : 0);
    if (equalSide_->getSinglePredecessor() != &block || otherSide_->getSinglePredecessor() != &block) return false;
    known_.clear();
    last_ = nullptr;
    bool changed = false;
    // Visits instructions backwards, so that operands follow their users.
    for (Instruction& instruction : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (!isCopied(instruction) || instruction.use_empty() || !isMadeOf(instruction, *term_)) continue;
      if (llvm::any_of(instruction.uses(), [&](const llvm::Use& use) { return sideOf(use) == nullptr; })) continue;
      moveToSides(instruction);
      changed = true;
    }
    return changed;
  }

 private:
  /// The side of the branch that contains a use; null if neither does.
  BasicBlock* sideOf(const llvm::Use& use) const {
    const auto* user = llvm::cast<Instruction>(use.getUser());
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
    const BasicBlock* block = phi != nullptr ? phi->getIncomingBlock(use) : user->getParent();
    for (BasicBlock* side : {equalSide_, otherSide_})
      if (dominators_.dominates(side, block)) return side;
    return nullptr;
  }

  bool isUsedIn(const Instruction& instruction, const BasicBlock* side) const {
    return llvm::any_of(instruction.uses(), [&](const llvm::Use& use) { return sideOf(use) == side; });
  }

  void moveToSides(Instruction& instruction) {
    if (isUsedIn(instruction, equalSide_)) {
      Value* known = makeOfValue(&instruction);
      instruction.replaceUsesWithIf(known, [&](const llvm::Use& use) { return sideOf(use) == equalSide_; });
    }
    if (instruction.use_empty())
      instruction.eraseFromParent();
    else
      instruction.moveBefore(*otherSide_, otherSide_->getFirstInsertionPt());
  }

  /// Rebuilds the value at the beginning of the side on which the term equals `value_`.
  Value* makeOfValue(Value* from) {
    if (from == term_) return value_;
    auto* instruction = llvm::dyn_cast<Instruction>(from);
    if (instruction == nullptr || !isCopied(*instruction) || !isMadeOf(*instruction, *term_)) return from;
    if (Value* made = known_.lookup(from)) return made;
    Instruction* copy = instruction->clone();
    for (llvm::Use& operand : copy->operands())
      operand.set(makeOfValue(operand));
    copy->insertBefore(*equalSide_,
                       last_ == nullptr ? equalSide_->getFirstInsertionPt() : std::next(last_->getIterator()));
    last_ = copy;
    return known_[from] = copy;
  }

  const llvm::DominatorTree& dominators_;
  Value *term_ = nullptr, *value_ = nullptr;
  BasicBlock *equalSide_ = nullptr, *otherSide_ = nullptr;
  llvm::DenseMap<Value*, Value*> known_; ///< copies at the begin of the side where the term has the value
  Instruction* last_ = nullptr;          ///< the last copy
};

} // namespace

llvm::PreservedAnalyses SinkIntoBranchesPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  Sinker sinker(analyses.getResult<llvm::DominatorTreeAnalysis>(function));
  bool changed = false;
  for (BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function))
    changed |= sinker.sink(*block);
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace clotho::compiler
