// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/column_nests.hpp"

#include "compiler/ir/marks.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

constexpr std::uint64_t kSubGroupsAtOnce = 8; ///< Most sub-groups of a tile; kMostSumBytes may allow fewer
constexpr unsigned kMostInstructions = 40;    ///< Most instructions of an iteration, which is copied for each sub-group
constexpr std::uint64_t kMostSumBytes = 8192; ///< Most bytes of the sums of a tile

/// Whether the instruction is a masked load or a gather.
bool isMaskedLoad(const Instruction& instruction) {
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return intrinsic != nullptr && (intrinsic->getIntrinsicID() == llvm::Intrinsic::masked_gather ||
                                  intrinsic->getIntrinsicID() == llvm::Intrinsic::masked_load);
}

class NestMatcher {
 public:
  NestMatcher(llvm::Loop& inner, llvm::DominatorTree& dominators, llvm::ScalarEvolution& evolution)
      : dominators_(dominators), evolution_(evolution) {
    nest_.inner = &inner;
    nest_.outer = inner.getParentLoop();
  }

  std::optional<ColumnNest> run() {
    if (nest_.outer == nullptr || nest_.outer->getSubLoops().size() != 1 || nest_.inner->getNumBlocks() != 1 ||
        !matchOuter() || !matchWayIn() || !matchWayOut() || !matchBody() || !matchUses())
      return std::nullopt;
    return std::move(nest_);
  }

 private:
  bool isFixed(const Value* value) const { return nest_.outer->isLoopInvariant(value); }

  /// Matches `do { ...; own += step; } while (own < limit)`.
  bool matchOuter() {
    BasicBlock* latch = nest_.outer->getLoopLatch();
    if (nest_.outer->getLoopPreheader() == nullptr || latch == nullptr || nest_.outer->getExitingBlock() != latch ||
        nest_.outer->getExitBlock() == nullptr || !llvm::hasSingleElement(nest_.outer->getHeader()->phis()) ||
        llvm::findOptionMDForLoop(nest_.outer, kIndependentLoopName) == nullptr)
      return false;
    nest_.own = &*nest_.outer->getHeader()->phis().begin();
    auto* end = llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator());
    auto* next = llvm::dyn_cast<llvm::BinaryOperator>(nest_.own->getIncomingValueForBlock(latch));
    if (end == nullptr || next == nullptr || next->getOpcode() != Instruction::Add ||
        next->getOperand(0) != nest_.own || !next->getType()->isIntegerTy(64))
      return false;
    const auto* step = llvm::dyn_cast<llvm::ConstantInt>(next->getOperand(1));
    if (step == nullptr || step->getValue().slt(1)) return false;
    auto* more = llvm::dyn_cast<llvm::ICmpInst>(end->getCondition());
    if (more == nullptr || more->getPredicate() != llvm::CmpInst::ICMP_ULT || more->getOperand(0) != next ||
        !isFixed(more->getOperand(1)) || end->getSuccessor(0) != nest_.outer->getHeader())
      return false;
    nest_.next = next;
    nest_.step = next->getOperand(1);
    nest_.limit = more->getOperand(1);
    return true;
  }

  /// The blocks before the inner loop run again in each tile, so they must have no side effects.
  bool matchWayIn() {
    BasicBlock* end = nest_.inner->getLoopPreheader();
    if (end == nullptr) return false;
    for (BasicBlock* block = nest_.outer->getHeader();;) {
      for (const Instruction& instruction : *block)
        if (!instruction.isTerminator() && (instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects()))
          return false;
      nest_.before.push_back(block);
      if (block != nest_.outer->getHeader() && !block->phis().empty()) return false;
      if (block == end) return true;
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      if (branch == nullptr) return false;
      unsigned way = 0;
      if (branch->isConditional()) {
        if (!isFixed(branch->getCondition())) return false;
        while (way < 2 && !dominators_.dominates(branch->getSuccessor(way), end))
          ++way;
        if (way == 2) return false;
        nest_.conditions.emplace_back(branch->getCondition(), way == 0);
      }
      block = branch->getSuccessor(way);
      if (!nest_.outer->contains(block)) return false;
    }
  }

  bool matchWayOut() {
    BasicBlock* block = nest_.inner->getExitBlock();
    if (block == nullptr || !nest_.outer->contains(block)) return false;
    for (BasicBlock* latch = nest_.outer->getLoopLatch();;) {
      nest_.after.push_back(block);
      if (block == latch) return true;
      block = block->getUniqueSuccessor();
      if (block == nullptr || !nest_.outer->contains(block) || llvm::is_contained(nest_.after, block)) return false;
    }
  }

  bool matchBody() {
    BasicBlock* body = nest_.inner->getHeader();
    BasicBlock* before = nest_.inner->getLoopPreheader();
    const llvm::DataLayout& layout = body->getDataLayout();
    std::uint64_t bytes = 0;
    for (llvm::PHINode& phi : body->phis()) {
      Value* start = phi.getIncomingValueForBlock(before);
      Value* next = phi.getIncomingValueForBlock(body);
      if (!isFixed(start) && !phi.getType()->isVectorTy()) return false;
      if (phi.getType()->isVectorTy()) {
        nest_.sums.push_back(&phi);
        bytes += layout.getTypeAllocSize(phi.getType()).getFixedValue();
        continue;
      }
      auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(next);
      if (!phi.getType()->isIntegerTy() || phi.getType()->getIntegerBitWidth() > 64 || sum == nullptr ||
          sum->getOpcode() != Instruction::Add || sum->getOperand(0) != &phi || !isFixed(sum->getOperand(1)))
        return false;
      nest_.counters.emplace_back(&phi, sum->getOperand(1));
    }
    nest_.backedgesTaken = evolution_.getBackedgeTakenCount(nest_.inner);
    if (nest_.sums.empty()) return false;
    nest_.subGroups = std::min(kSubGroupsAtOnce, kMostSumBytes / bytes);
    if (nest_.subGroups < 2 || body->size() > kMostInstructions ||
        llvm::isa<llvm::SCEVCouldNotCompute>(nest_.backedgesTaken) || !isAvailable(nest_.backedgesTaken) ||
        nest_.backedgesTaken->getType()->getIntegerBitWidth() > 64)
      return false;
    nest_.address = nullptr;
    for (Instruction& instruction : *body) {
      if (instruction.isTerminator() || llvm::isa<llvm::PHINode>(instruction)) continue;
      if (instruction.mayHaveSideEffects()) return false;
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load == nullptr && instruction.mayReadOrWriteMemory() && !isMaskedLoad(instruction)) return false;
      if (load != nullptr && !load->isSimple()) return false;
      if (load != nullptr && load->getType()->isVectorTy() && nest_.address == nullptr &&
          !isFixed(load->getPointerOperand()) && isComputed(*load->getPointerOperand()))
        nest_.address = load->getPointerOperand();
    }
    return nest_.address != nullptr;
  }

  /// Whether the value depends on the counters alone, so that it can be computed before the loops.
  bool isComputed(const Value& value, unsigned depth = 0) const {
    constexpr unsigned kDepthLimit = 12;
    if (isFixed(&value) || &value == nest_.own) return true;
    if (llvm::any_of(nest_.counters, [&](const auto& counter) { return counter.first == &value; })) return true;
    const auto& instruction = llvm::cast<Instruction>(value);
    return depth < kDepthLimit && !llvm::isa<llvm::PHINode>(instruction) && !instruction.mayReadOrWriteMemory() &&
           llvm::isSafeToSpeculativelyExecute(&instruction) && !instruction.isIntDivRem() &&
           llvm::all_of(
               instruction.operands(), [&](const llvm::Use& operand) { return isComputed(*operand.get(), depth + 1); });
  }

  /// Whether the value can be expanded before the outer loop.
  bool isAvailable(const llvm::SCEV* value) {
    llvm::SCEVExpander expander(evolution_, "available");
    Instruction* point = nest_.outer->getLoopPreheader()->getTerminator();
    return evolution_.isLoopInvariant(value, nest_.outer) && expander.isSafeToExpandAt(value, point);
  }

  /// Whether only the inner loop's sums are used outside it, and only the outer loop's counter.
  bool matchUses() {
    BasicBlock* body = nest_.inner->getHeader();
    for (Instruction& instruction : *body)
      for (const llvm::User* user : instruction.users()) {
        if (llvm::cast<Instruction>(user)->getParent() == body) continue;
        const bool isSum = llvm::any_of(
            nest_.sums, [&](const llvm::PHINode* sum) { return sum->getIncomingValueForBlock(body) == &instruction; });
        if (!isSum || !nest_.outer->contains(llvm::cast<Instruction>(user))) return false;
      }
    for (const llvm::PHINode& phi : nest_.outer->getExitBlock()->phis()) {
      const Value* value = phi.getIncomingValueForBlock(nest_.outer->getLoopLatch());
      if (value != nest_.next && !isFixed(value)) return false;
    }
    for (BasicBlock* block : nest_.outer->blocks())
      for (const Instruction& instruction : *block)
        for (const llvm::User* user : instruction.users())
          if (const auto* outside = llvm::cast<Instruction>(user);
              !nest_.outer->contains(outside) &&
              (!llvm::isa<llvm::PHINode>(outside) || outside->getParent() != nest_.outer->getExitBlock()))
            return false;
    return true;
  }

  llvm::DominatorTree& dominators_;
  llvm::ScalarEvolution& evolution_;
  ColumnNest nest_{};
};

} // namespace

std::optional<ColumnNest> columnNestOf(llvm::Loop& inner, llvm::DominatorTree& dominators,
                                       llvm::ScalarEvolution& evolution) {
  return NestMatcher(inner, dominators, evolution).run();
}

} // namespace clotho::compiler
