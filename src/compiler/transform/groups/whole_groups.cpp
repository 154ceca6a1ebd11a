// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/groups/whole_groups.hpp"

#include "compiler/analysis/code_size.hpp"
#include "compiler/ir/group_results.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/marks.hpp"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <array>
#include <vector>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Function;
using llvm::Instruction;
using llvm::Value;

/// With 32 registers of 64 bytes, half of them for what sub-groups keep.
constexpr std::uint64_t kMostSubGroups = 16;
constexpr std::uint64_t kMostBytesKept = 16 * 64;
/// Machine instructions for all sub-groups together: the function is one block mostly, and a long one takes long to
/// compile.
constexpr std::uint64_t kMostInstructions = 4096;

/// Whether a barrier comes again and again.
bool hasBarrierInLoop(const KernelParts& parts) {
  llvm::DominatorTree tree(parts.kernel);
  const llvm::LoopInfo loops(tree);
  return llvm::any_of(llvm::instructions(parts.kernel), [&](const Instruction& instruction) {
    return isIntrinsic(&instruction, Intrinsic::Barrier) && loops.getLoopFor(instruction.getParent()) != nullptr;
  });
}

/// A loop over the sub-groups: a block, and what its counter is in each round.
struct SubGroupLoop {
  BasicBlock* block;
  llvm::PHINode* counter;
  llvm::SmallVector<std::int64_t, kMostSubGroups> rounds;
};

bool mayRunBeside(const Instruction& instruction) {
  if (instruction.isTerminator() || !instruction.mayReadOrWriteMemory()) return true;
  if (llvm::getLoadStorePointerOperand(&instruction) != nullptr)
    return !instruction.isAtomic() && !instruction.isVolatile();
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (call == nullptr) return false;
  switch (call->getIntrinsicID()) {
  case llvm::Intrinsic::masked_load:
  case llvm::Intrinsic::masked_store:
  case llvm::Intrinsic::assume:
  case llvm::Intrinsic::prefetch: return true;
  default: return false;
  }
}

/// What is changed for lanes one by one, as counters in local memory are, must not be read by others meanwhile.
bool changesWhatItReads(const BasicBlock& block) {
  llvm::SmallPtrSet<const Value*, 8> read, written;
  for (const Instruction& instruction : block) {
    const Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
    bool writes = llvm::isa<llvm::StoreInst>(instruction);
    if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
      writes = call->getIntrinsicID() == llvm::Intrinsic::masked_store;
      if (writes || call->getIntrinsicID() == llvm::Intrinsic::masked_load) pointer = call->getArgOperand(writes);
    }
    if (pointer == nullptr) continue;
    const Value* object = llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0);
    if (llvm::isa<llvm::AllocaInst>(object)) continue; // the frame: each sub-group has its own
    if (!llvm::isa<llvm::Argument, llvm::GlobalVariable>(object)) return true;
    (writes ? written : read).insert(object);
  }
  return llvm::any_of(written, [&](const Value* object) { return read.contains(object); });
}

std::optional<SubGroupLoop> matchLoop(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  BasicBlock* block = loop.getHeader();
  // A loop of the kernel's own has such a mark only if the kernel says that its rounds are independent, which is
  // enough.
  const bool isOurs = llvm::any_of(std::array{"llvm.loop.parallel_accesses", kRowsLoopName, kSubGroupLoopName},
                                   [&](const char* name) { return llvm::findOptionMDForLoop(&loop, name) != nullptr; });
  if (!isOurs || loop.getNumBlocks() != 1 || loop.getLoopPreheader() == nullptr || loop.getUniqueExitBlock() == nullptr)
    return std::nullopt;
  const unsigned rounds = evolution.getSmallConstantTripCount(&loop);
  if (rounds < 2 || rounds > kMostSubGroups) return std::nullopt;
  SubGroupLoop result{block, nullptr, {}};
  for (llvm::PHINode& phi : block->phis()) {
    if (result.counter != nullptr || !phi.getType()->isIntegerTy()) return std::nullopt;
    result.counter = &phi;
  }
  const auto* line =
      result.counter == nullptr ? nullptr : llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(result.counter));
  if (line == nullptr || !line->isAffine()) return std::nullopt;
  const auto* start = llvm::dyn_cast<llvm::SCEVConstant>(line->getStart());
  const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(line->getStepRecurrence(evolution));
  if (start == nullptr || step == nullptr) return std::nullopt;
  for (unsigned i = 0; i < rounds; ++i)
    result.rounds.push_back(start->getAPInt().getSExtValue() + i * step->getAPInt().getSExtValue());
  if (!llvm::all_of(*block, mayRunBeside) || changesWhatItReads(*block)) return std::nullopt;
  return result;
}

class SideBySide {
 public:
  explicit SideBySide(SubGroupLoop& loop)
      : loop_(loop), layout_(loop.block->getDataLayout()), maps_(loop.rounds.size()) {}

  void run() {
    for (const auto& [round, value] : llvm::enumerate(loop_.rounds))
      maps_[round][loop_.counter] = llvm::ConstantInt::getSigned(loop_.counter->getType(), value);
    BasicBlock* block = loop_.block;
    BasicBlock* exit = block->getTerminator()->getSuccessor(block->getTerminator()->getSuccessor(0) == block ? 1 : 0);
    // What came before stays in the block; then all rounds at once, and on.
    const llvm::SmallVector<Instruction*, 64> body(
        llvm::make_pointer_range(llvm::make_range(block->getFirstNonPHIIt(), block->getTerminator()->getIterator())));
    llvm::IRBuilder<> builder(block->getTerminator());
    for (Instruction* instruction : body)
      copy(*instruction, builder);
    for (Instruction* instruction : body)
      instruction->replaceUsesWithIf(maps_.back()[instruction], [&](const llvm::Use& use) {
        const auto* user = llvm::cast<Instruction>(use.getUser());
        return user->getParent() != block;
      });
    loop_.counter->replaceUsesWithIf(maps_.back()[loop_.counter], [&](const llvm::Use& use) {
      return llvm::cast<Instruction>(use.getUser())->getParent() != block;
    });
    Instruction* end = block->getTerminator();
    llvm::BranchInst::Create(exit, end->getIterator());
    end->eraseFromParent();
    for (Instruction* instruction : llvm::reverse(body)) {
      instruction->replaceAllUsesWith(llvm::PoisonValue::get(instruction->getType()));
      instruction->eraseFromParent();
    }
    loop_.counter->replaceAllUsesWith(llvm::PoisonValue::get(loop_.counter->getType()));
    loop_.counter->eraseFromParent();
  }

 private:
  Value* inRound(Value* value, std::size_t round) const {
    Value* mapped = maps_[round].lookup(value);
    return mapped != nullptr ? mapped : value;
  }

  /// Once, where it is the same for all.
  void copy(Instruction& instruction, llvm::IRBuilder<>& builder) {
    const bool isSame = !instruction.mayWriteToMemory() && llvm::all_of(instruction.operands(), [&](Value* operand) {
      return llvm::all_of(llvm::seq<std::size_t>(1, maps_.size()),
                          [&](std::size_t round) { return inRound(operand, round) == inRound(operand, 0); });
    });
    Value* made = nullptr;
    for (std::size_t round = 0; round < maps_.size(); ++round) {
      if (!isSame || round == 0) {
        Instruction* copied = instruction.clone();
        for (llvm::Use& operand : copied->operands())
          operand = inRound(operand, round);
        made = llvm::ConstantFoldInstruction(copied, layout_);
        if (made != nullptr)
          copied->deleteValue();
        else
          made = builder.Insert(copied, instruction.getName());
      }
      maps_[round][&instruction] = made;
    }
  }

  SubGroupLoop& loop_;
  const llvm::DataLayout& layout_;
  std::vector<llvm::DenseMap<Value*, Value*>> maps_; ///< by round
};

} // namespace

std::uint64_t subGroupsOf(const KernelParts& parts, const LocalSize& size) {
  return size[0] / parts.width * size[1] * size[2];
}

bool mayRunWhole(const KernelParts& parts, const LocalSize& size) {
  if (parts.width < 2 || parts.rows != 1 || !parts.hasBarriers() || size[0] % parts.width != 0) return false;
  // Private memory outside the frame is one for all sub-groups, which use it one after the other.
  if (!parts.regions.privateAllocas.empty() || parts.regions.needsLiveFlags) return false;
  const std::uint64_t subGroups = subGroupsOf(parts, size), bytes = subGroups * parts.frame.bytesPerItem;
  if (subGroups > kMostSubGroups || bytes == 0 || bytes > kMostBytesKept) return false;
  if (subGroups * workOf(parts.kernel) > kMostInstructions || countsOnOrder(parts.kernel)) return false;
  return hasBarrierInLoop(parts) &&
         llvm::none_of(parts.regions.regions, [](const BarrierRegion& region) { return region.isDescending; });
}

std::optional<LocalSize> suggestedLocalSize(const KernelParts& parts) {
  for (const LocalMemory::Variable& variable : parts.local.variables) {
    const auto* outer = llvm::dyn_cast<llvm::ArrayType>(variable.variable->getValueType());
    const auto* inner = outer == nullptr ? nullptr : llvm::dyn_cast<llvm::ArrayType>(outer->getElementType());
    if (inner == nullptr || inner->getElementType()->isArrayTy()) continue;
    // Rows are often one element longer, against conflicts between banks of a GPU's memory.
    for (const std::uint64_t row : {inner->getNumElements(), inner->getNumElements() - 1}) {
      const LocalSize size = {row, outer->getNumElements(), 1};
      if (size[1] > 1 && mayRunWhole(parts, size)) return size;
    }
  }
  return std::nullopt;
}

llvm::PreservedAnalyses UnrollSubGroupsPass::run(Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (!factsOf(function).wholeGroupLocals) return llvm::PreservedAnalyses::all();
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  for (llvm::Loop* loop : loops)
    llvm::simplifyLoop(loop, &analyses.getResult<llvm::DominatorTreeAnalysis>(function), &loops, &evolution,
                       &analyses.getResult<llvm::AssumptionAnalysis>(function), nullptr, /*PreserveLCSSA=*/false);
  std::vector<SubGroupLoop> matched;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder())
    if (auto found = matchLoop(*loop, evolution)) matched.push_back(std::move(*found));
  for (SubGroupLoop& loop : matched)
    SideBySide(loop).run();
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
