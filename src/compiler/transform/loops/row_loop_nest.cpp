// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/loops/row_loop_nest.hpp"

#include "compiler/ir/loop_marks.hpp"
#include "compiler/ir/marks.hpp"

#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Loop;
using llvm::Value;
using namespace llvm::PatternMatch;

bool isClosed(const Loop& loop) {
  return llvm::all_of(loop.blocks(), [&](const BasicBlock* block) {
    return llvm::all_of(*block, [&](const Instruction& instruction) {
      return llvm::all_of(instruction.users(),
                          [&](const llvm::User* user) { return loop.contains(llvm::cast<Instruction>(user)); });
    });
  });
}

/// A loop over rows, which only counts them.
bool isLoopOverRows(const Loop& loop) {
  if (llvm::findOptionMDForLoop(&loop, kRowsLoopName) == nullptr || loop.getSubLoops().size() != 1 ||
      loop.getExitBlock() == nullptr || loop.getExitingBlock() == nullptr ||
      loop.getExitingBlock() != loop.getLoopLatch())
    return false;
  const Loop& inner = *loop.getSubLoops().front();
  return llvm::all_of(loop.blocks(), [&](const BasicBlock* block) {
    return inner.contains(block) || llvm::all_of(*block, [](const Instruction& instruction) {
             return llvm::isa<llvm::PHINode, llvm::BinaryOperator, llvm::CmpInst, llvm::BranchInst>(instruction);
           });
  });
}

/// Finds the counter of a bottom-tested loop that counts as the region builder's loops do; false for other loops.
bool matchCounter(RowLoopNest& nest) {
  BasicBlock& body = nest.body();
  if (!llvm::hasSingleElement(body.phis())) return false;
  nest.counter = &*body.phis().begin();
  nest.end = llvm::dyn_cast<llvm::BranchInst>(body.getTerminator());
  BasicBlock* from = nest.row->getLoopPredecessor();
  if (from == nullptr || nest.end == nullptr || !nest.end->isConditional() || !nest.counter->getType()->isIntegerTy(64))
    return false;
  Value *next = nest.counter->getIncomingValueForBlock(&body), *start = nest.counter->getIncomingValueForBlock(from);
  const llvm::APInt* step = nullptr;
  if (!match(next, m_Add(m_Specific(nest.counter), m_APInt(step))) || step->abs() != nest.width) return false;
  nest.descends = step->isNegative();
  const bool goesOnIfTrue = nest.end->getSuccessor(0) == &body;
  auto* asks = llvm::dyn_cast<llvm::ICmpInst>(nest.end->getCondition());
  if (asks == nullptr) return false;
  const auto predicate = goesOnIfTrue ? asks->getPredicate() : asks->getInversePredicate();
  if (nest.descends) {
    nest.limit = start;
    return predicate == llvm::CmpInst::ICMP_NE && asks->getOperand(0) == nest.counter &&
           match(asks->getOperand(1), m_Zero());
  }
  nest.limit = asks->getOperand(1);
  return predicate == llvm::CmpInst::ICMP_ULT && asks->getOperand(0) == next && match(start, m_Zero());
}

/// `last == (size - 1) & -width`
bool isLastOf(const Value* last, const Value* size, std::uint64_t width) {
  const llvm::APInt *constantLast = nullptr, *constantSize = nullptr, *mask = nullptr;
  if (match(last, m_APInt(constantLast)) && match(size, m_APInt(constantSize)))
    return *constantLast == ((*constantSize - 1) & -static_cast<std::int64_t>(width));
  return match(last, m_And(m_Add(m_Specific(size), m_AllOnes()), m_APInt(mask))) &&
         mask->getSExtValue() == -static_cast<std::int64_t>(width);
}

} // namespace

std::optional<RowLoopNest> matchRowLoopNest(Loop& row) {
  const auto width = subGroupLoopWidth(row);
  if (!width || *width == 1 || row.getNumBlocks() != 1 || row.getExitBlock() == nullptr) return std::nullopt;
  RowLoopNest nest{&row, &row, nullptr, *width, nullptr, nullptr, false, nullptr};
  if (!matchCounter(nest)) return std::nullopt;
  while (Loop* parent = nest.outermost->getParentLoop()) {
    if (!isLoopOverRows(*parent)) break;
    nest.outermost = parent;
  }
  nest.before = nest.outermost->getLoopPredecessor();
  if (nest.before == nullptr || !isClosed(*nest.outermost)) return std::nullopt;
  return nest;
}

bool RowLoopNest::hasRowsOf(const RowLoopNest& other) const {
  if (width != other.width) return false;
  if (descends == other.descends) return limit == other.limit;
  return descends ? isLastOf(limit, other.limit, width) : isLastOf(other.limit, limit, width);
}

bool RowLoopNest::dependsOnLoopsAround() const {
  return llvm::any_of(body(), [&](const Instruction& instruction) {
    return &instruction != counter && llvm::any_of(instruction.operands(), [&](const llvm::Use& operand) {
      const auto* value = llvm::dyn_cast<Instruction>(operand);
      return value != nullptr && value->getParent() != &body() && outermost->contains(value);
    });
  });
}

bool RowLoopNest::isFollowedBy(const RowLoopNest& next) const {
  const BasicBlock* exit = outermost->getExitBlock();
  if (exit == next.outermost->getHeader()) return next.before == outermost->getExitingBlock();
  return exit == next.before && exit->getSinglePredecessor() != nullptr && exit->sizeWithoutDebug() == 1 &&
         exit->getSingleSuccessor() == next.outermost->getHeader();
}

} // namespace clotho::compiler
