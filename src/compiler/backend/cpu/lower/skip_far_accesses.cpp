// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/lower/skip_far_accesses.hpp"

#include "compiler/ir/marks.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::IntrinsicInst;
using llvm::Value;

/// Least number of instructions in a loop iteration for each test in it. With fewer, tests would take a noticeable part
/// of the time.
constexpr std::size_t kLeastForTest = 10;

Value* maskOf(const IntrinsicInst& access) {
  return access.getArgOperand(access.getIntrinsicID() == llvm::Intrinsic::masked_load ? 1 : 2);
}

/// Pass-through operand of a masked load.
Value* otherwiseOf(const IntrinsicInst& load) { return load.getArgOperand(2); }

bool isLoad(const IntrinsicInst& access) { return access.getIntrinsicID() == llvm::Intrinsic::masked_load; }

IntrinsicInst* farAccess(Instruction& instruction) {
  auto* call = llvm::dyn_cast<IntrinsicInst>(&instruction);
  if (call == nullptr || !call->hasMetadata(kFarName)) return nullptr;
  const bool isMasked = isLoad(*call) || call->getIntrinsicID() == llvm::Intrinsic::masked_store;
  return isMasked && !llvm::isa<llvm::Constant>(maskOf(*call)) ? call : nullptr;
}

/// Accesses of a block with one mask, which share one test.
class Run {
 public:
  /// Begins at the access and extends as far as later accesses can be moved to it.
  explicit Run(IntrinsicInst& first) : mask_(maskOf(first)) {
    add(first);
    for (Instruction& next :
         llvm::make_range(std::next(first.getIterator()), first.getParent()->getTerminator()->getIterator()))
      if (!extend(next)) break;
  }
  const llvm::SmallVector<IntrinsicInst*, 4>& accesses() const { return accesses_; }
  bool hasLoad() const {
    return llvm::any_of(accesses_, [](const IntrinsicInst* access) { return isLoad(*access); });
  }

  /// Places the instructions between the first and the last access: before the test, or, if they depend on an access,
  /// in the skipped block or after it.
  void write() {
    Instruction* first = accesses_.front();
    for (Instruction* early : early_)
      early->moveBefore(first->getIterator());
    llvm::IRBuilder<> builder(first);
    const unsigned lanes = llvm::cast<llvm::FixedVectorType>(mask_->getType())->getNumElements();
    Value* live = builder.CreateIsNotNull(builder.CreateBitCast(mask_, builder.getIntNTy(lanes)), "live");
    BasicBlock* head = first->getParent();
    Instruction* then = llvm::SplitBlockAndInsertIfThen(
        live, first, /*Unreachable=*/false, llvm::MDBuilder(first->getContext()).createLikelyBranchWeights());
    for (Instruction* skipped : skipped_)
      skipped->moveBefore(then->getIterator());
    BasicBlock* after = then->getSuccessor(0);
    builder.SetInsertPoint(after, after->begin());
    for (IntrinsicInst* access : accesses_) {
      if (!isLoad(*access)) continue;
      const auto isLater = [&](const llvm::Use& use) {
        return llvm::cast<Instruction>(use.getUser())->getParent() != then->getParent();
      };
      if (llvm::none_of(access->uses(), isLater)) continue;
      llvm::PHINode* result = builder.CreatePHI(access->getType(), 2);
      access->replaceUsesWithIf(result, isLater);
      result->addIncoming(access, then->getParent());
      result->addIncoming(otherwiseOf(*access), head);
    }
  }

 private:
  bool dependsOnAccess(const Instruction& instruction) const {
    return llvm::any_of(instruction.operands(), [&](const llvm::Use& operand) {
      const auto* value = llvm::dyn_cast<Instruction>(operand.get());
      return value != nullptr && (later_.contains(value) || skippedSet_.contains(value));
    });
  }

  void add(IntrinsicInst& access) {
    accesses_.push_back(&access);
    skipped_.push_back(&access);
    skippedSet_.insert(&access);
    early_.append(waiting_);
    waiting_.clear();
    hasStore_ |= !isLoad(access);
  }

  /// Collects the instructions of `later_` that a value needs, in block order.
  void collect(Value* value, llvm::SmallSetVector<Instruction*, 8>& needed) const {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (instruction == nullptr || !later_.contains(instruction) || needed.contains(instruction)) return;
    for (Value* operand : instruction->operands())
      collect(operand, needed);
    needed.insert(instruction);
  }

  bool addIfPossible(IntrinsicInst& access) {
    llvm::SmallSetVector<Instruction*, 8> needed;
    for (Value* operand : access.args())
      collect(operand, needed);
    const auto isSkipped = [&](const llvm::User* user) {
      const auto* instruction = llvm::cast<Instruction>(user);
      return instruction == &access || needed.contains(const_cast<Instruction*>(instruction));
    };
    for (const Instruction* instruction : needed)
      if (!llvm::all_of(instruction->users(), isSkipped)) return false;
    // A load that is skipped gives its pass-through value, which must be available before the test.
    if (const auto* otherwise = llvm::dyn_cast<Instruction>(otherwiseOf(access));
        isLoad(access) && otherwise != nullptr)
      if (needed.contains(const_cast<Instruction*>(otherwise)) || skippedSet_.contains(otherwise)) return false;
    for (Instruction* instruction : needed) {
      later_.erase(instruction);
      skipped_.push_back(instruction);
      skippedSet_.insert(instruction);
    }
    add(access);
    return true;
  }

  bool extend(Instruction& next) {
    if (IntrinsicInst* access = farAccess(next); access != nullptr)
      return maskOf(*access) == mask_ && addIfPossible(*access);
    if (llvm::isa<llvm::AllocaInst>(next) || next.mayHaveSideEffects() || (next.mayReadFromMemory() && hasStore_))
      return false;
    if (dependsOnAccess(next)) {
      // A load that moved later would come after stores of the run.
      if (next.mayReadFromMemory()) return false;
      later_.insert(&next);
    } else {
      waiting_.push_back(&next);
    }
    return true;
  }

  Value* mask_;
  llvm::SmallVector<IntrinsicInst*, 4> accesses_;
  llvm::SmallVector<Instruction*, 8> skipped_; ///< accesses and what only they need
  llvm::SmallPtrSet<const Instruction*, 8> skippedSet_;
  llvm::SmallPtrSet<const Instruction*, 8> later_; ///< depends on an access, and no access is known to need it
  llvm::SmallVector<Instruction*, 8> early_;       ///< comes before the test
  llvm::SmallVector<Instruction*, 8> waiting_;     ///< comes before the test if another access joins the run
  bool hasStore_ = false;
};

std::size_t sizeOfIteration(const llvm::Function& function, const llvm::LoopInfo& loops, const llvm::Loop* loop) {
  std::size_t size = 0;
  for (const BasicBlock& block : function)
    if (loops.getLoopFor(&block) == loop) size += block.size();
  return size;
}

} // namespace

llvm::PreservedAnalyses SkipFarAccessesPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  const auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  llvm::MapVector<const llvm::Loop*, llvm::SmallVector<Run, 2>> found;
  for (BasicBlock& block : function) {
    const IntrinsicInst* last = nullptr;
    for (Instruction& instruction : block) {
      IntrinsicInst* access = farAccess(instruction);
      if (access == nullptr || (last != nullptr && !last->comesBefore(access))) continue;
      auto& runs = found[loops.getLoopFor(&block)];
      runs.emplace_back(*access);
      last = runs.back().accesses().back();
      if (!areStoresSlow_ && !runs.back().hasLoad()) runs.pop_back();
    }
  }
  found.remove_if(
      [&](const auto& of) { return sizeOfIteration(function, loops, of.first) < kLeastForTest * of.second.size(); });
  for (auto& [loop, runs] : found)
    for (Run& run : runs)
      run.write();
  return found.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
