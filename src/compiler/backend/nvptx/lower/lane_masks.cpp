// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/nvptx/lower/lane_masks.hpp"

#include "compiler/ir/demote_values.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace clotho::compiler {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::Value;

UniformBlocks::UniformBlocks(llvm::Function& kernel, const llvm::LoopInfo& loops) : loops_(loops) {
  const WorkItemUniformity uniformity(kernel, UniformityScope::Warp);
  const llvm::PostDominatorTree postDominators(kernel);
  // A block depends on a branch if it post-dominates one of the branch's targets, but not the branch.
  for (BasicBlock& block : kernel) {
    if (block.getTerminator()->getNumSuccessors() < 2) continue;
    const auto* end = postDominators.getNode(&block);
    for (BasicBlock* target : llvm::successors(&block))
      for (const auto* node = postDominators.getNode(target);
           node != nullptr && (end == nullptr || node != end->getIDom()); node = node->getIDom())
        if (node->getBlock() != nullptr) controlledBy_[node->getBlock()].push_back(&block);
    if (uniformity.hasDivergentBranch(block)) divergent_.insert(&block);
  }
}

// A block of a loop that every lane runs in the end need not be run by all in the same iteration: it post-dominates
// what it depends on.
void UniformBlocks::addBranchesAround(const llvm::Loop& loop, const BasicBlock& block, Blocks& branches) const {
  if (loop.getHeader() == &block) return;
  // Blocks from which the next iteration is reached without the block.
  llvm::SmallPtrSet<const BasicBlock*, 16> around = {loop.getHeader()};
  llvm::SmallVector<const BasicBlock*, 16> work;
  const auto add = [&](const BasicBlock* next) {
    if (next != &block && loop.contains(next) && around.insert(next).second) work.push_back(next);
  };
  for (const BasicBlock* before : llvm::predecessors(loop.getHeader()))
    add(before);
  while (!work.empty())
    for (const BasicBlock* before : llvm::predecessors(work.pop_back_val()))
      add(before);
  for (const BasicBlock* branch : loop.blocks())
    if (branch != &block && branch->getTerminator()->getNumSuccessors() > 1 &&
        llvm::any_of(llvm::successors(branch), [&](const BasicBlock* next) { return around.contains(next); }))
      branches.push_back(branch);
}

bool UniformBlocks::isUniform(const BasicBlock& block) const {
  llvm::SmallPtrSet<const BasicBlock*, 16> seen;
  llvm::SmallVector<const BasicBlock*, 16> work = {&block};
  while (!work.empty()) {
    const BasicBlock* next = work.pop_back_val();
    Blocks branches = controlledBy_.lookup(next);
    for (const llvm::Loop* loop = loops_.getLoopFor(next); loop != nullptr; loop = loop->getParentLoop())
      addBranchesAround(*loop, *next, branches);
    for (const BasicBlock* branch : branches) {
      if (divergent_.contains(branch)) return false;
      if (seen.insert(branch).second) work.push_back(branch);
    }
  }
  return true;
}

namespace {

/// Whether an edge leaves a loop: lanes cross it in different iterations, and meet again behind it.
bool leavesLoop(const BasicBlock& from, const BasicBlock& to, const llvm::LoopInfo& loops) {
  const llvm::Loop* loop = loops.getLoopFor(&from);
  return loop != nullptr && !loop->contains(&to);
}

} // namespace

LaneFlow::LaneFlow(llvm::Function& kernel) : dominators_(kernel), loops_(dominators_), uniform_(kernel, loops_) {}

const LaneOrigin& LaneFlow::originOf(BasicBlock& block) {
  if (const auto found = origins_.find(&block); found != origins_.end()) return found->second;
  return origins_[&block] = find(block);
}

LaneOrigin LaneFlow::find(BasicBlock& block) {
  using Kind = LaneOrigin::Kind;
  if (uniform_.isUniform(block)) return {Kind::All};
  if (const llvm::Loop* loop = loops_.getLoopFor(&block); loop != nullptr && loop->getHeader() == &block) {
    BasicBlock *before = loop->getLoopPredecessor(), *latch = loop->getLoopLatch();
    const bool isSimple = before != nullptr && latch != nullptr && !leavesLoop(*before, block, loops_) &&
                          !leavesLoop(*latch, block, loops_);
    return isSimple ? LaneOrigin{Kind::Loop, before} : LaneOrigin{Kind::Unknown};
  }
  if (BasicBlock* before = block.getUniquePredecessor(); before != nullptr && !leavesLoop(*before, block, loops_))
    return {Kind::Edge, before};
  // Lanes that leave a loop come from before it.
  const auto* node = dominators_.getNode(&block)->getIDom();
  for (const llvm::Loop* loop = loops_.getLoopFor(node->getBlock()); loop != nullptr && !loop->contains(&block);
       loop = loops_.getLoopFor(node->getBlock()))
    node = dominators_.getNode(loop->getHeader())->getIDom();
  BasicBlock* from = node->getBlock();
  auto between = blocksBetween(*from, block);
  between.insert(from);
  const bool allMeet = llvm::all_of(between, [&](BasicBlock* each) {
    return llvm::all_of(llvm::successors(each),
                        [&](BasicBlock* next) { return next == &block || (next != from && between.contains(next)); });
  });
  return {allMeet ? Kind::Join : Kind::Unknown, from};
}

llvm::SmallPtrSet<BasicBlock*, 16> LaneFlow::blocksBetween(BasicBlock& from, BasicBlock& to) const {
  llvm::SmallPtrSet<BasicBlock*, 16> between;
  llvm::SmallVector<BasicBlock*, 16> work(llvm::predecessors(&to));
  while (!work.empty()) {
    BasicBlock* next = work.pop_back_val();
    if (next == &from || next == &to || !dominators_.isReachableFromEntry(next) || !between.insert(next).second)
      continue;
    work.append(llvm::pred_begin(next), llvm::pred_end(next));
  }
  return between;
}

BasicBlock* LaneFlow::firstUnknown(BasicBlock& block) {
  llvm::SmallPtrSet<BasicBlock*, 16> seen = {&block};
  llvm::SmallVector<BasicBlock*, 16> work = {&block};
  const auto add = [&](BasicBlock* next) {
    if (seen.insert(next).second) work.push_back(next);
  };
  while (!work.empty()) {
    BasicBlock* next = work.pop_back_val();
    const LaneOrigin& origin = originOf(*next);
    if (origin.kind == LaneOrigin::Kind::Unknown) return next;
    if (origin.from != nullptr) add(origin.from);
    if (origin.kind == LaneOrigin::Kind::Loop) add(loops_.getLoopFor(next)->getLoopLatch());
  }
  return nullptr;
}

namespace {

/// Gives each loop one latch and one block before it, which are in no loop that their edge to the header leaves. LLVM's
/// LoopSimplify would make two loops of some that have several latches, and lanes would meet elsewhere.
void simplifyLoops(llvm::Function& kernel) {
  llvm::DominatorTree dominators(kernel);
  const llvm::LoopInfo loops(dominators);
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    llvm::SmallVector<BasicBlock*, 4> latches, outside;
    for (BasicBlock* before : llvm::predecessors(loop->getHeader()))
      (loop->contains(before) ? latches : outside).push_back(before);
    const auto needsBlock = [&](llvm::ArrayRef<BasicBlock*> blocks) {
      return blocks.size() > 1 || leavesLoop(*blocks.front(), *loop->getHeader(), loops);
    };
    if (needsBlock(outside)) llvm::SplitBlockPredecessors(loop->getHeader(), outside, ".before");
    if (needsBlock(latches)) llvm::SplitBlockPredecessors(loop->getHeader(), latches, ".latch");
  }
}

/// Sends all lanes that are on the ways from one block to another, and leave these ways, to a new block, from which
/// they go on. Needs values in memory.
void joinBefore(BasicBlock& from, BasicBlock& to, const LaneFlow& flow) {
  auto between = flow.blocksBetween(from, to);
  between.insert(&from);
  llvm::MapVector<BasicBlock*, llvm::SmallVector<BasicBlock*, 4>> leaving;
  for (BasicBlock& block : *to.getParent())
    if (between.contains(&block))
      for (BasicBlock* next : llvm::successors(&block))
        if (next == &from || !between.contains(next))
          if (auto& blocks = leaving[next]; !llvm::is_contained(blocks, &block)) blocks.push_back(&block);
  llvm::LLVMContext& context = to.getContext();
  auto* join = BasicBlock::Create(context, "lanes.join", to.getParent(), &to);
  IRBuilder<> builder(join);
  llvm::PHINode* way = builder.CreatePHI(builder.getInt32Ty(), 4, "way");
  llvm::SwitchInst* ways = builder.CreateSwitch(way, &to, leaving.size() - 1);
  for (auto& [next, blocks] : leaving) {
    llvm::ConstantInt* number = next == &to ? builder.getInt32(0) : builder.getInt32(ways->getNumCases() + 1);
    if (next != &to) ways->addCase(number, next);
    for (BasicBlock* block : blocks) {
      auto* edge = BasicBlock::Create(context, "", to.getParent(), join);
      llvm::BranchInst::Create(join, edge);
      way->addIncoming(number, edge);
      block->getTerminator()->replaceSuccessorWith(next, edge);
    }
  }
}

} // namespace

void joinLanes(llvm::Function& kernel, llvm::ArrayRef<BasicBlock*> wanted) {
  if (wanted.empty()) return;
  const auto findUnknown = [&](LaneFlow& flow) -> BasicBlock* {
    for (BasicBlock* block : wanted)
      if (BasicBlock* unknown = flow.firstUnknown(*block)) return unknown;
    return nullptr;
  };
  std::optional<LaneFlow> flow(std::in_place, kernel);
  if (findUnknown(*flow) == nullptr) return;
  simplifyLoops(kernel);
  // Each join makes one block known. The limit is for code that would grow without end.
  constexpr unsigned kMostJoins = 100;
  for (unsigned i = 0; i < kMostJoins; ++i) {
    flow.emplace(kernel);
    BasicBlock* unknown = findUnknown(*flow);
    if (unknown == nullptr) return;
    BasicBlock* from = flow->originOf(*unknown).from;
    if (from == nullptr) return;
    const auto demoted = demoteValues(kernel);
    joinBefore(*from, *unknown, *flow);
    promoteValues(kernel, demoted);
  }
}

Value* LaneMasks::at(BasicBlock& block) {
  if (const auto found = masks_.find(&block); found != masks_.end()) return found->second;
  return flow_.firstUnknown(block) != nullptr ? nullptr : make(block);
}

Value* LaneMasks::make(BasicBlock& block) {
  if (const auto found = masks_.find(&block); found != masks_.end()) return found->second;
  const LaneOrigin origin = flow_.originOf(block);
  switch (origin.kind) {
  case LaneOrigin::Kind::All: return masks_[&block] = all_;
  case LaneOrigin::Kind::Join: return masks_[&block] = make(*origin.from);
  case LaneOrigin::Kind::Edge: return masks_[&block] = onEdge(*origin.from, block);
  case LaneOrigin::Kind::Loop: {
    IRBuilder<> builder(&block, block.begin());
    llvm::PHINode* mask = builder.CreatePHI(builder.getInt32Ty(), 2, "lanes");
    masks_[&block] = mask;
    BasicBlock* latch = flow_.loops().getLoopFor(&block)->getLoopLatch();
    mask->addIncoming(onEdge(*origin.from, block), origin.from);
    mask->addIncoming(onEdge(*latch, block), latch);
    return mask;
  }
  case LaneOrigin::Kind::Unknown: break;
  }
  llvm_unreachable("the lanes of the block are not known");
}

Value* LaneMasks::onEdge(BasicBlock& from, BasicBlock& to) {
  Value* mask = make(from);
  llvm::Instruction* end = from.getTerminator();
  if (!flow_.uniform().branchesApart(from)) return mask;
  IRBuilder<> builder(end);
  const auto vote = [&](Value* goes) {
    llvm::CallInst* ballot = builder.CreateIntrinsic(llvm::Intrinsic::nvvm_vote_ballot_sync, {mask, goes});
    ballot->setConvergent();
    return ballot;
  };
  if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(end)) {
    if (branch->getSuccessor(0) == branch->getSuccessor(1)) return mask;
    Value*& first = firstWay_[&from]; // one vote tells both ways
    if (first == nullptr) first = vote(branch->getCondition());
    return branch->getSuccessor(0) == &to ? first : builder.CreateXor(mask, first);
  }
  // Lanes go to the default if no case that goes elsewhere applies to them.
  auto* choice = llvm::cast<llvm::SwitchInst>(end);
  const bool isDefault = choice->getDefaultDest() == &to;
  Value* isOfCases = builder.getFalse();
  for (const auto& each : choice->cases())
    if ((each.getCaseSuccessor() == &to) != isDefault)
      isOfCases = builder.CreateOr(isOfCases, builder.CreateICmpEQ(choice->getCondition(), each.getCaseValue()));
  return vote(isDefault ? builder.CreateNot(isOfCases) : isOfCases);
}

} // namespace clotho::compiler
