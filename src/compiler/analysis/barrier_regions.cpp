// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/barrier_regions.hpp"

#include "compiler/analysis/private_memory.hpp"
#include "compiler/analysis/region_graph.hpp"
#include "compiler/analysis/work_item_uniformity.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/marks.hpp"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;

const Instruction* barrierOf(const BasicBlock& block) {
  const Instruction* before = block.getTerminator()->getPrevNode();
  if (before == nullptr) return nullptr;
  const auto call = matchIntrinsic(before);
  return call && call->intrinsic == Intrinsic::Barrier ? before : nullptr;
}

void collectBlocks(BarrierRegion& region, const BarrierRegions& all) {
  llvm::SmallPtrSet<BasicBlock*, 16> reached = {region.start};
  llvm::SmallVector<BasicBlock*, 16> work = {region.start};
  while (!work.empty()) {
    BasicBlock* block = work.pop_back_val();
    if (all.after.contains(block)) continue;
    for (BasicBlock* successor : llvm::successors(block))
      if (reached.insert(successor).second) work.push_back(successor);
  }
  region.blocks.clear();
  region.ends.clear();
  region.mayReturn = false;
  for (BasicBlock& block : *region.start->getParent()) {
    if (!reached.contains(&block)) continue;
    region.blocks.push_back(&block);
    if (all.after.contains(&block)) region.ends.push_back(&block);
    region.mayReturn = region.mayReturn || llvm::isa<llvm::ReturnInst>(block.getTerminator());
  }
}

unsigned addRegion(BasicBlock* start, BarrierRegions& all) {
  all.regions.emplace_back().start = start;
  return all.regions.size() - 1;
}

using LiveSets = llvm::DenseMap<const BasicBlock*, llvm::DenseSet<Instruction*>>;

/// Values of the kernel that are live at the start of each block, without allocas.
LiveSets liveAtStart(llvm::Function& kernel) {
  LiveSets live;
  llvm::SmallVector<BasicBlock*, 16> work;
  for (Instruction& definition : llvm::instructions(kernel)) {
    if (llvm::isa<llvm::AllocaInst>(definition)) continue;
    // Walks backwards from each use to the definition.
    const auto enter = [&](BasicBlock* block) {
      if (block != definition.getParent() && live[block].insert(&definition).second) work.push_back(block);
    };
    for (const llvm::Use& use : definition.uses()) {
      auto* user = llvm::cast<Instruction>(use.getUser());
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) {
        enter(phi->getIncomingBlock(use)); // live at its end; at its start too unless defined there
      } else {
        enter(user->getParent());
      }
    }
    while (!work.empty())
      for (BasicBlock* predecessor : llvm::predecessors(work.pop_back_val()))
        enter(predecessor);
  }
  return live;
}

/// Most instructions for recomputing a value in another region. Values that cannot be recomputed cost more than the
/// limit.
constexpr unsigned kRecomputeLimit = 8;
unsigned recomputeCost(const llvm::Value* value, unsigned depth = 0) {
  if (!llvm::isa<Instruction>(value) || llvm::isa<llvm::AllocaInst>(value)) return 0;
  if (const auto call = matchIntrinsic(value)) return 0;
  if (depth > kRecomputeLimit) return kRecomputeLimit + 1;
  const auto& instruction = *llvm::cast<Instruction>(value);
  const bool cheap =
      // Insertions and shuffles build vectors from uniform values.
      llvm::isa<llvm::CastInst, llvm::GetElementPtrInst, llvm::CmpInst, llvm::SelectInst, llvm::BinaryOperator,
                llvm::InsertElementInst, llvm::ShuffleVectorInst>(instruction) &&
      !instruction.isIntDivRem() && instruction.getOpcode() != Instruction::FDiv &&
      instruction.getOpcode() != Instruction::FRem;
  if (!cheap) return kRecomputeLimit + 1;
  unsigned cost = 1;
  for (const llvm::Value* operand : instruction.operands()) {
    cost += recomputeCost(operand, depth + 1);
    if (cost > kRecomputeLimit) break;
  }
  return cost;
}

/// Most values that may be live across a uniform branch, and across no other end of a region, if the branch is to end a
/// region. With more, it costs less if each sub-group takes the branch in its own loop.
constexpr std::size_t kMostForBranch = 4;

bool storesTooMuch(BasicBlock& branch, const BarrierRegions& all, const LiveSets& live,
                   const WorkItemUniformity& uniformity) {
  const auto isStored = [&](Instruction* value) {
    return llvm::any_of(all.regions, [&](const BarrierRegion& region) {
      const auto found = live.find(region.start);
      return found != live.end() && found->second.contains(value);
    });
  };
  llvm::DenseSet<Instruction*> more;
  for (const BasicBlock* successor : llvm::successors(&branch))
    if (const auto found = live.find(successor); found != live.end())
      for (Instruction* value : found->second)
        if (!uniformity.isUniform(*value) && !isRecomputed(*value) && !isStored(value)) more.insert(value);
  return more.size() > kMostForBranch;
}

/// Ends regions at uniform branches too, until none is left. A branch that would keep too many values live stays inside
/// the loop over sub-groups, and each sub-group takes it.
void cutAtUniformDecisions(BarrierRegions& all, const LiveSets& live, const WorkItemUniformity& uniformity) {
  for (bool changed = true; changed;) {
    changed = false;
    for (BarrierRegion& region : all.regions)
      collectBlocks(region, all);
    llvm::SmallSetVector<BasicBlock*, 4> cuts;
    for (const BarrierRegion& region : all.regions)
      if (BasicBlock* block = findUniformDecision(region, all, uniformity);
          block != nullptr && !storesTooMuch(*block, all, live, uniformity))
        cuts.insert(block);
    for (BasicBlock* block : cuts) {
      changed = true;
      llvm::SmallVector<unsigned, 2> next;
      for (BasicBlock* successor : llvm::successors(block))
        next.push_back(addRegion(successor, all));
      all.after[block] = std::move(next);
    }
  }
}

void findPrivateMemory(llvm::Function& kernel, BarrierRegions& result) {
  llvm::SmallVector<const BasicBlock*, 8> barrierBlocks;
  for (const auto& [block, next] : result.after)
    barrierBlocks.push_back(block);
  for (Instruction& instruction : llvm::instructions(kernel))
    if (auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      (livesAcrossBarrier(*memory, barrierBlocks) ? result.frameAllocas : result.privateAllocas).push_back(memory);
}

} // namespace

llvm::AnalysisKey BarrierRegionsAnalysis::Key;

bool isRecomputed(const llvm::Value& value) { return recomputeCost(&value) <= kRecomputeLimit; }

BarrierRegions findBarrierRegions(llvm::Function& kernel) {
  BarrierRegions result;
  addRegion(&kernel.getEntryBlock(), result);
  for (BasicBlock& block : kernel)
    if (barrierOf(block) != nullptr) {
      const unsigned next = addRegion(block.getSingleSuccessor(), result);
      result.after[&block] = {next};
    }
  if (result.regions.size() == 1) {
    collectBlocks(result.regions.front(), result);
    findPrivateMemory(kernel, result);
    return result;
  }

  const WorkItemUniformity uniformity(kernel);
  const LiveSets live = liveAtStart(kernel);
  cutAtUniformDecisions(result, live, uniformity);
  findPrivateMemory(kernel, result);
  llvm::DenseMap<const Instruction*, unsigned> order;
  for (const Instruction& instruction : llvm::instructions(kernel))
    order.try_emplace(&instruction, order.size());
  for (BarrierRegion& region : llvm::drop_begin(result.regions)) {
    const auto found = live.find(region.start);
    if (found == live.end()) continue;
    region.liveIn.assign(found->second.begin(), found->second.end());
    // Sorts in program order, since sets have no order.
    llvm::sort(region.liveIn,
               [&](const Instruction* a, const Instruction* b) { return order.lookup(a) < order.lookup(b); });
  }
  for (const BarrierRegion& region : result.regions)
    for (Instruction* value : region.liveIn)
      result.liveAcross[value] = isRecomputed(*value)           ? Storage::Recompute
                                 : uniformity.isUniform(*value) ? Storage::Group
                                                                : Storage::Item;
  for (BarrierRegion& region : result.regions) {
    region.itemsMayPart = itemsMayPart(region, result, uniformity);
    result.needsLiveFlags = result.needsLiveFlags || region.itemsMayPart;
  }
  return result;
}

} // namespace clotho::compiler
