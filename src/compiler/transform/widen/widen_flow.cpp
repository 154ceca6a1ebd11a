// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow of the sub-group function: masks, phis, and the order in which divergent lanes run their paths. Partial
// linearisation (Moll and Hack, PLDI 2018): a block with divergent successors continues to the first of them in the
// flow's order, and each block on the path records the blocks that lanes still have to run.
#include "compiler/ir/local_memory.hpp"
#include "compiler/ir/loop_marks.hpp"
#include "compiler/transform/widen/widen_access.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <iterator>

namespace clotho::compiler {

using llvm::BasicBlock;
using llvm::Value;

Value* Widener::both(Value* mask, Value* condition) {
  // A logical and, since inactive lanes may compute poison.
  return mask == nullptr ? condition : builder_.CreateLogicalAnd(mask, condition);
}

namespace {

void insert(BlockNumbers& numbers, unsigned number) {
  const auto place = std::lower_bound(numbers.begin(), numbers.end(), number);
  if (place == numbers.end() || *place != number) numbers.insert(place, number);
}

/// For a mask that compares consecutive numbers of lanes with a uniform number, as in `if (lid == 255)`: whether some
/// lane is active, that is, whether the uniform number less the first lane's is below the number of lanes. Null for
/// other masks.
Value* anyInRow(llvm::IRBuilder<>& builder, Value* mask) {
  using namespace llvm::PatternMatch;
  Value *row = nullptr, *wanted = nullptr, *first = nullptr;
  llvm::Constant* lanes = nullptr;
  if (!match(mask, m_SpecificICmp(llvm::CmpInst::ICMP_EQ, m_Value(row), m_Value(wanted))) ||
      !row->getType()->isVectorTy())
    return nullptr;
  if (llvm::getSplatValue(row) != nullptr) std::swap(row, wanted);
  if (!match(row, m_c_Add(m_Value(first), m_Constant(lanes)))) return nullptr;
  Value *base = llvm::getSplatValue(first), *number = llvm::getSplatValue(wanted);
  const unsigned width = llvm::cast<llvm::FixedVectorType>(row->getType())->getNumElements();
  const unsigned bits = row->getType()->getScalarSizeInBits();
  if (base == nullptr || number == nullptr || bits < 32) return nullptr;
  for (unsigned i = 0; i < width; ++i)
    if (const auto* lane = llvm::dyn_cast_or_null<llvm::ConstantInt>(lanes->getAggregateElement(i));
        lane == nullptr || lane->getZExtValue() != i)
      return nullptr;
  return builder.CreateICmpULT(builder.CreateSub(number, base), llvm::ConstantInt::get(base->getType(), width), "any");
}

} // namespace

Value* Widener::any(Value* mask) {
  if (mask == nullptr) return builder_.getTrue();
  if (Value* found = anyInRow(builder_, mask)) return found;
  Value* bits = builder_.CreateBitCast(mask, builder_.getIntNTy(plan_.width));
  return builder_.CreateIsNotNull(bits, "any");
}

/// Creates a variable that holds `initial` whenever lanes are about to run the block. It is reset in the block's
/// dominator in the flow. Reset in the entry block, it would be live in all blocks before, at a cost for each branch
/// and block.
llvm::AllocaInst* Widener::newVariableFor(BasicBlock& block, llvm::Constant* initial, const llvm::Twine& name) {
  llvm::AllocaInst* variable = newVariable(initial->getType(), name);
  BasicBlock& dominator = *plan_.flow.dominatorOf(block);
  spans_[variable] = plan_.flow.indexOf(&block) - plan_.flow.indexOf(&dominator);
  BasicBlock* start = begins_[&dominator];
  Builder reset(start, start->getFirstNonPHIIt());
  reset.CreateStore(initial, variable);
  return variable;
}

/// The variable in which a block's predecessors collect its mask.
llvm::AllocaInst* Widener::maskVariable(BasicBlock& block) {
  llvm::AllocaInst*& variable = maskVariables_[&block];
  if (variable == nullptr)
    variable =
        newVariableFor(block, llvm::Constant::getNullValue(wide(builder_.getInt1Ty())), block.getName() + ".lanes");
  return variable;
}

Value* Widener::maskOf(BasicBlock& block) {
  if (const auto known = masks_.find(&block); known != masks_.end()) return known->second;
  if (BasicBlock* same = plan_.flow.sameLanesAs(block)) return maskOf(*same);
  llvm::AllocaInst* variable = maskVariable(block);
  return builder_.CreateLoad(variable->getAllocatedType(), variable);
}

void Widener::beginBlock(BasicBlock& block) {
  builder_.SetInsertPoint(begins_[&block]);
  if (plan_.flow.isLoopHeader(&block)) createHeaderPhis(block);
  mask_ = maskOf(block);
  masks_[&block] = mask_;
  if (!plan_.flow.isLoopHeader(&block)) joinPhis(block);
}

void Widener::createHeaderPhis(BasicBlock& header) {
  const llvm::Loop& loop = *plan_.flow.loops().getLoopFor(&header);
  BasicBlock* before = loop.getLoopPreheader();
  BasicBlock* from = ends_[before];
  // Creates all phis before their incoming values, which are written elsewhere.
  for (llvm::PHINode& phi : header.phis()) {
    llvm::SmallVector<Value*, 4> phis;
    for (llvm::Type* type : typesOf(phi))
      phis.push_back(builder_.CreatePHI(type, 2, phi.getName()));
    definePhi(phi, phis);
  }
  if (plan_.flow.isDivergent(loop)) {
    llvm::PHINode* live = builder_.CreatePHI(wide(builder_.getInt1Ty()), 2, "live");
    liveMasks_[&header] = live;
    Value* mask = masks_.lookup(before);
    live->addIncoming(mask != nullptr ? mask : allLanes(), from);
    masks_[&header] = live;
    for (BasicBlock* exit : plan_.flow.exitsOf(loop))
      insert(deferred_[plan_.flow.indexOf(&header)], plan_.flow.indexOf(exit));
    if (report_ != nullptr)
      if (const llvm::DebugLoc at = loop.getStartLoc()) report_->divergentLoops.push_back(at.getLine());
  }
  const Builder::InsertPointGuard guard(builder_);
  builder_.SetInsertPoint(from->getTerminator());
  addIncoming(header, *before, *from);
}

/// Types of the phi's values in the sub-group function.
llvm::SmallVector<llvm::Type*, 4> Widener::typesOf(const llvm::PHINode& phi) {
  if (plan_.shapes.of(&phi).isAffine()) return {phi.getType()};
  return widenedTypes(phi.getType(), plan_.packed.contains(&phi));
}

/// A value as the phi takes it.
llvm::SmallVector<Value*, 4> Widener::valuesFor(const llvm::PHINode& phi, Value* value) {
  if (plan_.shapes.of(&phi).isAffine()) return {uniform(value)};
  return widened(value, plan_.packed.contains(&phi));
}

void Widener::definePhi(llvm::PHINode& phi, llvm::ArrayRef<Value*> values) {
  const LaneShape shape = plan_.shapes.of(&phi);
  if (shape.isAffine())
    define(&phi, {shape, values.front(), {}});
  else
    defineWidened(&phi, values);
}

/// Adds the values that come to a loop's header from a block, which ends in `end`.
void Widener::addIncoming(BasicBlock& header, BasicBlock& from, BasicBlock& end) {
  for (llvm::PHINode& phi : header.phis())
    for (const auto& [value, to] : llvm::zip(valuesFor(phi, phi.getIncomingValueForBlock(&from)), valuesFor(phi, &phi)))
      llvm::cast<llvm::PHINode>(to)->addIncoming(value, &end);
}

void Widener::completeHeaderPhis(BasicBlock& header, BasicBlock& from) {
  BasicBlock* end = builder_.GetInsertBlock();
  addIncoming(header, from, *end);
  if (llvm::PHINode* live = liveMasks_.lookup(&header)) live->addIncoming(liveMask(), end);
}

void Widener::joinPhis(BasicBlock& block) {
  for (llvm::PHINode& phi : block.phis()) {
    const auto found = phiVariables_.find(&phi);
    if (found == phiVariables_.end()) {
      define(&phi, lanesOf(phi.getIncomingValue(0)));
      continue;
    }
    llvm::SmallVector<Value*, 4> values;
    for (llvm::AllocaInst* variable : found->second)
      values.push_back(builder_.CreateLoad(variable->getAllocatedType(), variable, phi.getName()));
    definePhi(phi, values);
  }
}

/// Passes the mask and the phis' incoming values to a successor.
void Widener::passOn(BasicBlock& from, BasicBlock& to, Value* edgeMask) {
  const bool alone = to.getSinglePredecessor() != nullptr;
  if (plan_.flow.sameLanesAs(to) == nullptr) {
    if (alone && !plan_.flow.leavesDivergentLoop(from, to)) {
      masks_[&to] = edgeMask;
    } else {
      llvm::AllocaInst* variable = maskVariable(to);
      Value* lanes = edgeMask != nullptr ? edgeMask : allLanes();
      Value* before = builder_.CreateLoad(variable->getAllocatedType(), variable);
      builder_.CreateStore(builder_.CreateOr(before, lanes), variable);
    }
  }
  for (llvm::PHINode& phi : to.phis()) {
    if (alone && !plan_.flow.leavesDivergently(phi)) continue;
    Value* value = phi.getIncomingValueForBlock(&from);
    auto& variables = phiVariables_[&phi];
    if (variables.empty())
      for (llvm::Type* type : typesOf(phi))
        variables.push_back(newVariableFor(to, llvm::PoisonValue::get(type), phi.getName()));
    if (plan_.shapes.of(&phi).isAffine()) {
      // Undefined incoming values do not count as disagreeing: lanes from other predecessors have stored the value.
      if (llvm::isa<llvm::UndefValue>(value)) continue;
      Value* passed = uniform(value);
      // All lanes come from the same predecessor, which may be another one.
      if (perhapsEmpty_.contains(&from) && !phi.hasConstantOrUndefValue()) {
        Value* before = builder_.CreateLoad(phi.getType(), variables.front());
        passed = builder_.CreateSelect(any(edgeMask), passed, before);
      }
      builder_.CreateStore(passed, variables.front());
      continue;
    }
    const bool isPacked = plan_.packed.contains(&phi);
    // If the same lanes arrive on any path, values of other paths need not be preserved.
    BasicBlock* same = plan_.flow.sameLanesAs(to);
    const bool replaces = edgeMask == nullptr || (same != nullptr && !plan_.flow.leavesDivergentLoop(from, to) &&
                                                  masks_.contains(same) && masks_.lookup(same) == edgeMask);
    const unsigned elements = isPacked ? scalarsOf(phi.getType()).size() : 1;
    Value* taken = replaces || !isPacked ? edgeMask : repeatLanes(edgeMask, elements, elements);
    for (const auto& [part, variable] : llvm::zip(widened(value, isPacked), variables)) {
      if (replaces) {
        builder_.CreateStore(part, variable);
      } else {
        Value* before = builder_.CreateLoad(variable->getAllocatedType(), variable);
        builder_.CreateStore(builder_.CreateSelect(taken, part, before), variable);
      }
    }
  }
}

void Widener::endBlock(BasicBlock& block) {
  const unsigned index = plan_.flow.indexOf(&block);
  const BlockNumbers waiting = deferred_[index];
  auto* terminator = block.getTerminator();
  builder_.SetCurrentDebugLocation(terminator->getDebugLoc());
  if (llvm::isa<llvm::ReturnInst>(terminator)) {
    builder_.CreateRetVoid();
    ends_[&block] = builder_.GetInsertBlock();
    return;
  }
  auto* branch = llvm::cast<llvm::BranchInst>(terminator);
  const auto with = [&](std::initializer_list<BasicBlock*> blocks) {
    BlockNumbers targets = waiting;
    for (const BasicBlock* to : blocks)
      insert(targets, plan_.flow.indexOf(to));
    return targets;
  };
  if (branch->isUnconditional()) {
    BasicBlock* to = branch->getSuccessor(0);
    const llvm::Loop* loop = plan_.flow.loops().getLoopFor(&block);
    if (loop != nullptr && loop->getHeader() == to) {
      completeHeaderPhis(*to, block);
      ends_[&block] = builder_.GetInsertBlock();
      if (!plan_.flow.isDivergent(*loop)) {
        builder_.CreateBr(begins_[to]);
        return;
      }
      // Another iteration for the remaining lanes; afterwards continues where the others wait.
      BasicBlock* after = newBlock(block.getName() + ".left");
      builder_.CreateCondBr(any(mask_), begins_[to], after);
      builder_.SetInsertPoint(after);
      goTo(waiting, nullptr);
      return;
    }
    if (!plan_.flow.isLoopHeader(to)) passOn(block, *to, mask_);
    ends_[&block] = builder_.GetInsertBlock();
    goTo(with({to}), perhapsEmpty_.contains(&block) ? nullptr : to);
    return;
  }
  BasicBlock *then = branch->getSuccessor(0), *otherwise = branch->getSuccessor(1);
  if (!plan_.flow.parts(block)) {
    ends_[&block] = builder_.GetInsertBlock();
    BasicBlock* ways[] = {newBlock(block.getName() + ".then"), newBlock(block.getName() + ".else")};
    auto* uniformBranch = builder_.CreateCondBr(uniform(branch->getCondition()), ways[0], ways[1]);
    uniformBranch->copyMetadata(*branch, {llvm::LLVMContext::MD_prof});
    if (isMarkedIndependent(*branch)) uniformBranch->copyMetadata(*branch, {llvm::LLVMContext::MD_loop});
    for (const auto& [way, to] : {std::pair(ways[0], then), std::pair(ways[1], otherwise)}) {
      builder_.SetInsertPoint(way);
      passOn(block, *to, mask_);
      goTo(with({to}), to);
    }
    return;
  }
  if (report_ != nullptr && branch->getDebugLoc())
    report_->divergentBranches.push_back(branch->getDebugLoc().getLine());
  Value* condition = vector(branch->getCondition());
  passOn(block, *then, both(mask_, condition));
  passOn(block, *otherwise, both(mask_, builder_.CreateNot(condition)));
  ends_[&block] = builder_.GetInsertBlock();
  goTo(with({then, otherwise}), nullptr);
}

/// Whether at least one lane certainly runs the block.
bool Widener::hasLanesFor(const BasicBlock& block, BasicBlock* certain) const {
  const BasicBlock* same = plan_.flow.sameLanesAs(block);
  return &block == certain || (same != nullptr && !perhapsEmpty_.contains(same));
}

/// Whether the access is harmless without an active lane: its instruction has a mask, or it accesses some valid row of
/// a private array (Widener::privateAddress). Loads of a vector for each lane have no mask, but inactive lanes use an
/// active lane's address.
bool Widener::needsNoLane(llvm::Instruction& access) const {
  if (plan_.arrays.accessOf(&access) != nullptr) return true;
  const LaneShape pointer = plan_.shapes.of(llvm::getLoadStorePointerOperand(&access));
  if (pointer.isUniform() || isLaneAfterLane(access)) return false;
  const auto found = Access::of(access, pointer, layout_);
  if (!found) return false;
  const bool isRow = plan_.packed.contains(&access) ? found->isContiguous() : found->shape() != AccessShape::Gathered;
  return isRow || llvm::isa<llvm::StoreInst>(access) || !found->isLoadedByLane();
}

/// Whether running the block without active lanes is harmless and costs no more than the test for it.
bool Widener::isCheap(BasicBlock& block) const {
  constexpr unsigned kLimit = 12;
  const BasicBlock* next = block.getSingleSuccessor();
  if (next == nullptr || plan_.flow.isLoopHeader(&block) || plan_.flow.isLoopHeader(next)) return false;
  unsigned cost = 0;
  for (llvm::Instruction& instruction : block) {
    if (llvm::isa<llvm::PHINode, llvm::BranchInst>(instruction) || plan_.arrays.isReplaced(&instruction)) continue;
    if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
      if (!llvm::isTriviallyVectorizable(call->getIntrinsicID()) && call->getIntrinsicID() != llvm::Intrinsic::prefetch)
        return false;
      cost += 2;
    } else if (const Value* pointer = llvm::getLoadStorePointerOperand(&instruction)) {
      if (!needsNoLane(instruction)) return false;
      const bool isOfRow = plan_.arrays.accessOf(&instruction) != nullptr || plan_.shapes.of(pointer).isAffine();
      cost += isOfRow ? 2 : 16;
    } else if (instruction.mayReadOrWriteMemory() || instruction.isIntDivRem()) {
      return false;
    } else if (!plan_.shapes.of(&instruction).isAffine()) {
      cost += scalarsOf(instruction.getType()).size();
    }
    if (cost > kLimit) return false;
  }
  return true;
}

/// Branches to the first of the blocks, in order, that has an active lane; the later ones are deferred.
void Widener::goTo(BlockNumbers targets, BasicBlock* certain) {
  while (true) {
    const unsigned index = *targets.begin();
    targets.erase(targets.begin());
    BasicBlock* block = plan_.flow.order()[index];
    BlockNumbers& deferred = deferred_[index];
    BlockNumbers both;
    both.reserve(deferred.size() + targets.size());
    std::set_union(deferred.begin(), deferred.end(), targets.begin(), targets.end(), std::back_inserter(both));
    deferred = std::move(both);
    const bool hasLanes = targets.empty() || hasLanesFor(*block, certain);
    if (hasLanes || isCheap(*block)) {
      if (!hasLanes) perhapsEmpty_.insert(block);
      builder_.CreateBr(begins_[block]);
      return;
    }
    // Paths with the same deferred blocks share the code that follows. Otherwise a block would be tested as often as
    // there are blocks before it.
    if (certain != nullptr && !std::binary_search(targets.begin(), targets.end(), plan_.flow.indexOf(certain)))
      certain = nullptr;
    BasicBlock*& skip = skips_[{targets, certain}];
    const bool isShared = skip != nullptr;
    if (!isShared) skip = newBlock(block->getName() + ".skip");
    builder_.CreateCondBr(any(maskOf(*block)), begins_[block], skip);
    if (isShared) return;
    builder_.SetInsertPoint(skip);
  }
}

} // namespace clotho::compiler
