// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/groups/remove_lane_tests.hpp"

#include "compiler/analysis/known_accesses.hpp"
#include "compiler/ir/vector_lanes.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Sequence.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

/// Most instructions of a block that may run without an active lane; accesses to the arrays become no instructions in
/// registers.
constexpr std::size_t kMostInstructions = 128;

/// A block that runs only if a lane of the mask is set.
struct Guarded {
  llvm::BranchInst* branch;
  BasicBlock* block;
  Value* mask;
};

std::optional<Guarded> guardedBlock(BasicBlock& block) {
  using namespace llvm::PatternMatch;
  BasicBlock *before = block.getSinglePredecessor(), *after = block.getSingleSuccessor();
  if (before == nullptr || after == nullptr || !after->phis().empty()) return std::nullopt;
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(before->getTerminator());
  llvm::CmpPredicate predicate;
  Value* mask = nullptr;
  if (branch == nullptr || !branch->isConditional() ||
      !match(branch->getCondition(), m_ICmp(predicate, m_BitCast(m_Value(mask)), m_Zero())) ||
      !mask->getType()->isVectorTy() || !mask->getType()->getScalarType()->isIntegerTy(1))
    return std::nullopt;
  const bool isFirst = branch->getSuccessor(0) == &block;
  if (branch->getSuccessor(isFirst ? 1 : 0) != after) return std::nullopt;
  if (predicate != (isFirst ? llvm::ICmpInst::ICMP_NE : llvm::ICmpInst::ICMP_EQ)) return std::nullopt;
  return Guarded{branch, &block, mask};
}

/// Whether a lane of `value` is false if no lane of `mask` is set.
bool isOffWithout(Value& value, unsigned lane, const Value& mask) {
  using namespace llvm::PatternMatch;
  Value *first = nullptr, *second = nullptr;
  std::uint64_t number = 0;
  if (&value == &mask) return true;
  if (const auto* constant = llvm::dyn_cast<llvm::Constant>(&value)) {
    const llvm::Constant* bit = constant->getAggregateElement(lane);
    return bit != nullptr && bit->isNullValue();
  }
  if (match(&value, m_LogicalAnd(m_Value(first), m_Value(second))))
    return isOffWithout(*first, lane, mask) || isOffWithout(*second, lane, mask);
  if (match(&value, m_InsertElt(m_Value(first), m_Value(second), m_ConstantInt(number))))
    return number == lane ? match(second, m_Zero()) : isOffWithout(*first, lane, mask);
  const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&value);
  const std::optional<VectorLane> from = shuffle == nullptr ? std::nullopt : sourceOf(*shuffle, lane);
  return from && isOffWithout(*from->vector, from->number, mask);
}

bool isNoneWithout(Value& value, const Value& mask) {
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(value.getType())->getNumElements();
  return llvm::all_of(llvm::seq(0U, lanes), [&](unsigned lane) { return isOffWithout(value, lane, mask); });
}

} // namespace

void removeLaneTests(llvm::Loop& loop, llvm::ArrayRef<llvm::Argument*> arrays, llvm::LoopInfo& loops,
                     llvm::DomTreeUpdater& updater) {
  llvm::SmallPtrSet<const Instruction*, 32> accesses;
  for (llvm::Argument* array : arrays) {
    llvm::SmallVector<Instruction*, 64> its;
    collectLocalAccesses(*array, its);
    accesses.insert(its.begin(), its.end());
  }
  const auto mayRun = [&](const Guarded& guarded) {
    return guarded.block->size() <= kMostInstructions && llvm::all_of(*guarded.block, [&](Instruction& instruction) {
             if (instruction.isTerminator()) return true;
             if (!accesses.contains(&instruction))
               return !llvm::isa<llvm::PHINode>(instruction) && llvm::isSafeToSpeculativelyExecute(&instruction);
             const KnownAccess access{&instruction, {}, false};
             if (!access.isStore()) return true;
             Value* mask = access.mask();
             return mask != nullptr && isNoneWithout(*mask, *guarded.mask);
           });
  };
  // Visits inner blocks first: a block without its test merges with the code after it.
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (BasicBlock* block : llvm::to_vector(loop.blocks())) {
      const std::optional<Guarded> guarded = guardedBlock(*block);
      if (!guarded || !mayRun(*guarded)) continue;
      BasicBlock *before = guarded->branch->getParent(), *after = block->getSingleSuccessor();
      llvm::BranchInst::Create(block, guarded->branch->getIterator());
      guarded->branch->eraseFromParent();
      updater.applyUpdates({{llvm::DominatorTree::Delete, before, after}});
      llvm::MergeBlockIntoPredecessor(block, &updater, &loops);
      llvm::MergeBlockIntoPredecessor(after, &updater, &loops);
      isChanged = true;
      break;
    }
  }
}

} // namespace clotho::compiler
