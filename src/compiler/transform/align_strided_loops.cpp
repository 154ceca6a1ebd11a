// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/align_strided_loops.hpp"

#include "compiler/analysis/kernel_arguments.hpp"
#include "compiler/analysis/work_item_uniformity.hpp"
#include "compiler/transform/primitives.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Value;

/// Each value that goes round the loop is read and written in each round, which larger bodies do not gain from.
constexpr unsigned kPhiLimit = 5;
constexpr unsigned kGlobalSpace = 1;
constexpr unsigned kBodyLimit = 100; // instructions

bool matchIdOfRow(const Value* value, Primitive id) {
  const auto call = matchPrimitive(value);
  return call && call->primitive == id && call->dimension == 0;
}

/// `while (index < limit) { ...; index += step; }` from an index that goes on by one from work-item to work-item.
struct StridedLoop {
  llvm::Loop* loop;
  llvm::PHINode* index;
  llvm::ICmpInst* test;
  Value* start;
  Value* limit;
  Value* step;
  bool isSigned;
};

/// The value less the local id that it contains once, plainly or in a global id; null if that is not so.
Value* withoutLocalId(Value* value, llvm::IRBuilder<>& builder, const WorkItemUniformity& uniformity) {
  if (matchIdOfRow(value, Primitive::LocalId)) return llvm::ConstantInt::get(value->getType(), 0);
  if (matchIdOfRow(value, Primitive::GlobalId)) return createPrimitive(builder, Primitive::GroupBase, 0);
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr) return nullptr;
  if (instruction->getOpcode() == llvm::Instruction::Trunc) {
    Value* whole = withoutLocalId(instruction->getOperand(0), builder, uniformity);
    return whole != nullptr ? builder.CreateTrunc(whole, value->getType()) : nullptr;
  }
  if (instruction->getOpcode() != llvm::Instruction::Add) return nullptr;
  for (unsigned i = 0; i < 2; ++i) {
    Value* other = instruction->getOperand(1 - i);
    if (auto* made = llvm::dyn_cast<llvm::Instruction>(other); made != nullptr && !uniformity.isUniform(*made))
      continue;
    if (Value* rest = withoutLocalId(instruction->getOperand(i), builder, uniformity))
      return builder.CreateAdd(rest, other);
  }
  return nullptr;
}

/// The number of work-items, in the launch or the group, is somewhere in it.
bool dependsOnSize(const Value* value, unsigned depth = 0) {
  constexpr unsigned kDepthLimit = 4;
  if (const auto call = matchPrimitive(value))
    return call->primitive == Primitive::GlobalSize || call->primitive == Primitive::LocalSize;
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr || depth == kDepthLimit) return false;
  return llvm::any_of(instruction->operands(), [&](const Value* operand) { return dependsOnSize(operand, depth + 1); });
}

/// The address that `address` will be when the index is another one; null if more than arithmetic leads from one to the
/// other.
Value* addressAt(Value* address, const llvm::PHINode& index, Value* other, const llvm::Loop& loop,
                 llvm::IRBuilder<>& builder, unsigned depth = 0) {
  constexpr unsigned kDepthLimit = 4;
  if (address == &index) return other;
  if (loop.isLoopInvariant(address)) return address;
  auto* instruction = llvm::cast<llvm::Instruction>(address);
  if (depth == kDepthLimit || !llvm::isa<llvm::GetElementPtrInst, llvm::CastInst, llvm::BinaryOperator>(instruction) ||
      instruction->isIntDivRem())
    return nullptr;
  llvm::SmallVector<Value*, 4> operands;
  for (Value* operand : instruction->operands()) {
    operands.push_back(addressAt(operand, index, other, loop, builder, depth + 1));
    if (operands.back() == nullptr) return nullptr;
  }
  llvm::Instruction* copy = instruction->clone();
  copy->dropPoisonGeneratingFlags();
  for (unsigned i = 0; i < operands.size(); ++i)
    copy->setOperand(i, operands[i]);
  return builder.Insert(copy);
}

class LoopAligner {
 public:
  LoopAligner(llvm::Function& kernel, llvm::LoopInfo& loops, llvm::PostDominatorTree& ends)
      : kernel_(kernel), loops_(loops), ends_(ends), uniformity_(kernel) {}

  bool run() {
    for (llvm::Loop* loop : loops_)
      if (const auto strided = match(*loop); strided && align(*strided)) return true; // the analyses no longer hold
    return false;
  }

 private:
  bool isUniform(const Value* value) const {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    return instruction == nullptr || uniformity_.isUniform(*instruction);
  }

  /// Moves the value out of the loop if need be.
  bool isSettledBefore(Value* value, llvm::Loop& loop) const {
    bool changed = false;
    return isUniform(value) && loop.makeLoopInvariant(value, changed, loop.getLoopPredecessor()->getTerminator());
  }

  std::optional<StridedLoop> match(llvm::Loop& loop) const {
    BasicBlock *header = loop.getHeader(), *before = loop.getLoopPredecessor(), *latch = loop.getLoopLatch();
    if (!loop.isInnermost() || before == nullptr || latch == nullptr || latch == header ||
        loop.getExitingBlock() != header)
      return std::nullopt;
    // All work-items come here, and once: outermost loops are what LoopInfo lists.
    if (!ends_.dominates(header, &kernel_.getEntryBlock())) return std::nullopt;
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(header->getTerminator());
    auto* test = branch != nullptr ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
    if (test == nullptr || test->getParent() != header || !test->hasOneUse() || !loop.contains(branch->getSuccessor(0)))
      return std::nullopt;
    StridedLoop strided{&loop, nullptr, test, nullptr, nullptr, nullptr, test->isSigned()};
    for (unsigned i = 0; i < 2; ++i) {
      const auto predicate = i == 0 ? test->getPredicate() : test->getSwappedPredicate();
      auto* phi = llvm::dyn_cast<llvm::PHINode>(test->getOperand(i));
      if (phi == nullptr || phi->getParent() != header ||
          (predicate != llvm::ICmpInst::ICMP_SLT && predicate != llvm::ICmpInst::ICMP_ULT))
        continue;
      strided.index = phi;
      strided.limit = test->getOperand(1 - i);
    }
    if (strided.index == nullptr || !isSettledBefore(strided.limit, loop)) return std::nullopt;
    strided.start = strided.index->getIncomingValueForBlock(before);
    auto* next = llvm::dyn_cast<llvm::BinaryOperator>(strided.index->getIncomingValueForBlock(latch));
    if (next == nullptr || next->getOpcode() != llvm::Instruction::Add) return std::nullopt;
    for (unsigned i = 0; i < 2; ++i)
      if (next->getOperand(i) == strided.index) strided.step = next->getOperand(1 - i);
    return isWorthIt(strided) ? std::optional(strided) : std::nullopt;
  }

  bool isWorthIt(const StridedLoop& strided) const {
    const llvm::Loop& loop = *strided.loop;
    if (strided.step == nullptr || !dependsOnSize(strided.step) || !isSettledBefore(strided.step, *strided.loop))
      return false;
    unsigned phis = 0, instructions = 0;
    for (const BasicBlock* block : loop.blocks())
      for (const llvm::Instruction& instruction : *block) {
        ++instructions;
        const bool isPhi = llvm::isa<llvm::PHINode>(instruction) && block == loop.getHeader();
        phis += isPhi;
        if (const auto call = matchPrimitive(&instruction); call && call->primitive == Primitive::Barrier) return false;
        if (block != loop.getHeader() || (isPhi && &instruction != strided.index)) continue;
        // What goes round may be used later; the index, and what is made of it, may not.
        for (const llvm::User* user : instruction.users())
          if (!loop.contains(llvm::cast<llvm::Instruction>(user))) return false;
      }
    return phis <= kPhiLimit && instructions <= kBodyLimit;
  }

  /// Round after round for the whole group: a work-item whose index has once reached the limit is not live any more,
  /// and only looks on while others are. Exact whatever wraps around.
  bool align(const StridedLoop& strided) {
    BasicBlock* header = strided.loop->getHeader();
    BasicBlock* before = strided.loop->getLoopPredecessor();
    BasicBlock* latch = strided.loop->getLoopLatch();
    BasicBlock* exit = header->getTerminator()->getSuccessor(1);
    llvm::Type* type = strided.index->getType();

    llvm::IRBuilder<> setup(before->getTerminator());
    Value* groupStart = withoutLocalId(strided.start, setup, uniformity_);
    if (groupStart == nullptr) return false;
    Value* span = setup.CreateSub(createPrimitive(setup, Primitive::LocalSize, 0), setup.getInt64(1), "", true, true);
    Value* localId = createPrimitive(setup, Primitive::LocalId, 0);
    span = setup.CreateTrunc(span, type);
    localId = setup.CreateTrunc(localId, type);

    BasicBlock* test = llvm::SplitBlock(header, header->getFirstNonPHIIt());
    test->setName("round");
    BasicBlock* join = BasicBlock::Create(kernel_.getContext(), "round.end", &kernel_);

    // What all agree on: whether the first of the group's indices, or any after it, is below the limit.
    header->getTerminator()->eraseFromParent();
    llvm::IRBuilder<> head(header);
    llvm::PHINode* first = llvm::PHINode::Create(type, 2, "group_index", header->begin());
    llvm::PHINode* live = llvm::PHINode::Create(head.getInt1Ty(), 2, "live", header->begin());
    const auto less = strided.isSigned ? llvm::ICmpInst::ICMP_SLT : llvm::ICmpInst::ICMP_ULT;
    Value* last = head.CreateAdd(first, span);
    Value* goesOn = head.CreateOr(head.CreateICmp(less, first, strided.limit),
                                  head.CreateOr(head.CreateICmp(less, last, strided.limit),
                                                head.CreateICmp(less, last, first))); // wraps around in between
    head.CreateCondBr(goesOn, test, exit);

    // One work-item's part of the round.
    auto* branch = llvm::cast<llvm::BranchInst>(test->getTerminator());
    llvm::IRBuilder<> body(branch);
    Value* active = body.CreateAnd(live, strided.test, "active");
    branch->setCondition(active);
    branch->setSuccessor(1, join);
    llvm::IRBuilder<> start(test, test->begin());
    Value* index = start.CreateAdd(first, localId, strided.index->getName());
    latch->getTerminator()->replaceSuccessorWith(header, join);

    llvm::IRBuilder<> end(join);
    llvm::SmallVector<std::pair<llvm::PHINode*, Value*>, 4> rounds;
    for (llvm::PHINode& phi : header->phis()) {
      if (&phi == first || &phi == live || &phi == strided.index) continue;
      llvm::PHINode* kept = end.CreatePHI(phi.getType(), 2, phi.getName());
      kept->addIncoming(phi.getIncomingValueForBlock(latch), latch);
      kept->addIncoming(&phi, test);
      rounds.emplace_back(&phi, kept);
    }
    for (const auto& [phi, kept] : rounds) {
      phi->removeIncomingValue(latch);
      phi->addIncoming(kept, join);
    }
    prefetch(strided);
    strided.index->replaceAllUsesWith(index);
    strided.index->eraseFromParent();
    first->addIncoming(groupStart, before);
    first->addIncoming(end.CreateAdd(first, strided.step), join);
    live->addIncoming(end.getTrue(), before);
    live->addIncoming(active, join);
    createPrimitive(end, Primitive::Barrier);
    end.CreateBr(header);
    exit->replacePhiUsesWith(test, header);
    return true;
  }

  /// Each round goes to other pages, which no prefetcher sees coming.
  static void prefetch(const StridedLoop& strided) {
    constexpr unsigned kRounds = 2; // ahead: as long as memory takes
    llvm::SmallVector<llvm::LoadInst*, 4> loads;
    for (BasicBlock* block : strided.loop->blocks())
      for (llvm::Instruction& instruction : *block)
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
            load != nullptr && load->isSimple() && load->getPointerAddressSpace() == kGlobalSpace)
          loads.push_back(load);
    for (llvm::LoadInst* load : loads) {
      llvm::IRBuilder<> builder(load);
      Value* ahead = builder.CreateMul(strided.step, llvm::ConstantInt::get(strided.step->getType(), kRounds));
      Value* later = builder.CreateAdd(strided.index, ahead);
      Value* address = addressAt(load->getPointerOperand(), *strided.index, later, *strided.loop, builder);
      if (address == nullptr || address == load->getPointerOperand()) continue;
      builder.CreateIntrinsic(llvm::Intrinsic::prefetch, {address->getType()},
                              {address, builder.getInt32(0), builder.getInt32(3), builder.getInt32(1)});
    }
  }

  llvm::Function& kernel_;
  llvm::LoopInfo& loops_;
  llvm::PostDominatorTree& ends_;
  WorkItemUniformity uniformity_;
};

bool hasBarrier(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    const auto call = matchPrimitive(&instruction);
    return call && call->primitive == Primitive::Barrier;
  });
}

} // namespace

llvm::PreservedAnalyses AlignStridedLoopsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (!isKernel(function) || function.isDeclaration() || !hasBarrier(function)) return llvm::PreservedAnalyses::all();
  bool changed = false;
  while (LoopAligner(function, analyses.getResult<llvm::LoopAnalysis>(function),
                     analyses.getResult<llvm::PostDominatorTreeAnalysis>(function))
             .run()) {
    changed = true;
    analyses.invalidate(function, llvm::PreservedAnalyses::none());
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
