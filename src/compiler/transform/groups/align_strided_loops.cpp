// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/groups/align_strided_loops.hpp"

#include "compiler/analysis/interleaving.hpp"
#include "compiler/analysis/work_item_uniformity.hpp"
#include "compiler/ir/copy_blocks.hpp"
#include "compiler/ir/copy_instruction.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/loop_marks.hpp"
#include "compiler/ir/marks.hpp"

#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Value;

/// Most values carried around the loop. Each is loaded and stored in every iteration, which costs more than larger
/// bodies gain.
constexpr unsigned kPhiLimit = 5;
constexpr unsigned kGlobalSpace = 1;
/// Metadata of the exiting branch of a loop that already has an aligned copy before it.
constexpr const char* kRestName = "clotho.rest";
constexpr unsigned kBodyLimit = 100; // most instructions of a loop's body
/// Iterations that a sub-group runs between two barriers while all work-items have as many. With four, a sum over
/// memory takes a tenth longer: each barrier ends a loop and may return to interleave work-groups.
constexpr unsigned kIterationsAtOnce = 8;
/// Iterations between two barriers if lanes run one after the other, which takes longer than memory does.
constexpr unsigned kSlowIterationsAtOnce = 4;
/// Prefetch distance in iterations. Prefetches for the iterations between the same two barriers come too late.
constexpr unsigned kIterationsAhead = 8;

/// A loop `while (index < limit) { ...; index += step; }` whose first index grows by one from work-item to work-item.
struct StridedLoop {
  llvm::Loop* loop;
  llvm::PHINode* index;
  llvm::ICmpInst* test;
  Value* start;
  Value* limit;
  Value* step;
  bool isSigned;
};

/// Subtracts the local id, which the value must contain once, plainly or in a global id; null otherwise.
Value* withoutLocalId(Value* value, llvm::IRBuilder<>& builder, const WorkItemUniformity& uniformity) {
  if (isIntrinsic(value, Intrinsic::LocalId)) return llvm::ConstantInt::get(value->getType(), 0);
  if (isIntrinsic(value, Intrinsic::GlobalId)) return createIntrinsic(builder, Intrinsic::GroupBase, 0);
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr) return nullptr;
  if (instruction->getOpcode() == llvm::Instruction::Trunc) {
    Value* whole = withoutLocalId(instruction->getOperand(0), builder, uniformity);
    return whole != nullptr ? builder.CreateTrunc(whole, value->getType()) : nullptr;
  }
  if (instruction->getOpcode() != llvm::Instruction::Add) return nullptr;
  for (unsigned i = 0; i < 2; ++i) {
    Value* other = instruction->getOperand(1 - i);
    if (!uniformity.isUniform(other)) continue;
    if (Value* rest = withoutLocalId(instruction->getOperand(i), builder, uniformity))
      return builder.CreateAdd(rest, other);
  }
  return nullptr;
}

/// Whether `promises` holds for all sums between the local id and the value (withoutLocalId() looks through them).
template <class Promises>
bool promisesAll(const Value& value, const WorkItemUniformity& uniformity, Promises promises) {
  using namespace llvm::PatternMatch;
  const Value* id = nullptr;
  if (isIntrinsic(&value, Intrinsic::LocalId)) return true;
  if (match(&value, m_Trunc(m_Value(id)))) return isIntrinsic(id, Intrinsic::LocalId);
  if (!match(&value, m_Add(m_Value(), m_Value())) || !promises(&value)) return false;
  return llvm::all_of(llvm::cast<llvm::Instruction>(value).operands(), [&](const llvm::Use& operand) {
    return uniformity.isUniform(operand.get()) || promisesAll(*operand.get(), uniformity, promises);
  });
}

/// Whether the value depends on the number of work-items in the launch or the group.
bool dependsOnSize(const Value* value, const llvm::Function& kernel, unsigned depth = 0) {
  constexpr unsigned kDepthLimit = 4;
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value); number != nullptr && depth == 0)
    return number->getLimitedValue() > 1 && number->getLimitedValue() == requiredSize(kernel, 0);
  if (const auto call = matchIntrinsic(value))
    return call->intrinsic == Intrinsic::GlobalSize || call->intrinsic == Intrinsic::LocalSize ||
           call->intrinsic == Intrinsic::EnqueuedSize;
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr || depth == kDepthLimit) return false;
  return llvm::any_of(instruction->operands(),
                      [&](const Value* operand) { return dependsOnSize(operand, kernel, depth + 1); });
}

/// The address for another index; null if `address` depends on the index by more than arithmetic.
Value* addressAt(Value* address, const llvm::PHINode& index, Value* other, llvm::ArrayRef<BasicBlock*> body,
                 llvm::IRBuilder<>& builder, unsigned depth = 0) {
  constexpr unsigned kDepthLimit = 4;
  if (address == &index) return other;
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(address);
  if (instruction == nullptr || !llvm::is_contained(body, instruction->getParent())) return address;
  if (depth == kDepthLimit || !llvm::isa<llvm::GetElementPtrInst, llvm::CastInst, llvm::BinaryOperator>(instruction) ||
      instruction->isIntDivRem())
    return nullptr;
  llvm::Instruction* copy = copyInstruction(builder, *instruction, [&](Value* operand) {
    return addressAt(operand, index, other, body, builder, depth + 1);
  });
  if (copy != nullptr) copy->dropPoisonGeneratingFlags();
  return copy;
}

/// Code that was added to the kernel.
struct Additions {
  llvm::SmallVector<BasicBlock*, 2> joins;               ///< Blocks at which work-groups may be interleaved
  llvm::SmallVector<llvm::WeakTrackingVH, 8> prefetches; ///< prefetches that are removed if work-groups are interleaved
};

class LoopAligner {
 public:
  LoopAligner(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses, Additions& additions)
      : kernel_(kernel), loops_(analyses.getResult<llvm::LoopAnalysis>(kernel)),
        dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(kernel)),
        ends_(analyses.getResult<llvm::PostDominatorTreeAnalysis>(kernel)),
        uniformity_(analyses.getResult<WorkGroupUniformityAnalysis>(kernel)), additions_(additions) {}

  bool run() {
    for (llvm::Loop* loop : loops_.getLoopsInPreorder())
      if (const auto strided = match(*loop); strided && align(*strided)) return true; // The analyses are invalid now.
    return false;
  }
  bool wouldRun() {
    return llvm::any_of(loops_.getLoopsInPreorder(), [&](llvm::Loop* loop) { return match(*loop).has_value(); });
  }

 private:
  /// Whether the value is uniform and available before the loop. Hoists it if necessary.
  bool isSettledBefore(Value* value, llvm::Loop& loop) const {
    bool changed = false;
    return uniformity_.isUniform(value) &&
           loop.makeLoopInvariant(value, changed, loop.getLoopPredecessor()->getTerminator());
  }

  /// Whether all work-items of a group reach the loop equally often: once in each iteration of its outer loops, which
  /// have the same trip count for all. Outer loops must be left by uniform branches that every iteration reaches.
  bool isReachedByAll(const llvm::Loop& loop) const {
    const llvm::Loop* outer = &loop;
    while (const llvm::Loop* parent = outer->getParentLoop()) {
      const BasicBlock* latch = parent->getLoopLatch();
      if (latch == nullptr || !dominators_.dominates(outer->getHeader(), latch)) return false;
      llvm::SmallVector<BasicBlock*, 4> exiting;
      parent->getExitingBlocks(exiting);
      if (llvm::any_of(exiting, [&](const BasicBlock* block) {
            return uniformity_.hasDivergentBranch(*block) || !dominators_.dominates(block, latch);
          }))
        return false;
      outer = parent;
    }
    return ends_.dominates(outer->getHeader(), &kernel_.getEntryBlock());
  }

  std::optional<StridedLoop> match(llvm::Loop& loop) const {
    BasicBlock *header = loop.getHeader(), *before = loop.getLoopPredecessor(), *latch = loop.getLoopLatch();
    if (!loop.isInnermost() || before == nullptr || latch == nullptr || latch == header ||
        loop.getExitingBlock() != header)
      return std::nullopt;
    if (!isReachedByAll(loop)) return std::nullopt;
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(header->getTerminator());
    auto* test = branch != nullptr ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
    if (branch != nullptr && branch->getMetadata(kRestName) != nullptr) return std::nullopt; // It has been aligned.
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
    // Local ids fit into 31 bits, so they fit into the index.
    if (strided.index == nullptr || strided.index->getType()->getIntegerBitWidth() < 32) return std::nullopt;
    if (!isSettledBefore(strided.limit, loop)) return std::nullopt;
    strided.start = strided.index->getIncomingValueForBlock(before);
    auto* next = llvm::dyn_cast<llvm::BinaryOperator>(strided.index->getIncomingValueForBlock(latch));
    if (next == nullptr || next->getOpcode() != llvm::Instruction::Add) return std::nullopt;
    for (unsigned i = 0; i < 2; ++i)
      if (next->getOperand(i) == strided.index) strided.step = next->getOperand(1 - i);
    return isWorthIt(strided) ? std::optional(strided) : std::nullopt;
  }

  bool isWorthIt(const StridedLoop& strided) const {
    const llvm::Loop& loop = *strided.loop;
    if (strided.step == nullptr || !dependsOnSize(strided.step, kernel_) ||
        !isSettledBefore(strided.step, *strided.loop))
      return false;
    unsigned phis = 0, instructions = 0;
    for (const BasicBlock* block : loop.blocks())
      for (const llvm::Instruction& instruction : *block) {
        ++instructions;
        const bool isPhi = llvm::isa<llvm::PHINode>(instruction) && block == loop.getHeader();
        phis += isPhi;
        if (isIntrinsic(&instruction, Intrinsic::Barrier)) return false;
        if (block != loop.getHeader() || (isPhi && &instruction != strided.index)) continue;
        // Only loop-carried values may be used after the loop, and not the index or values computed from it.
        for (const llvm::User* user : instruction.users())
          if (!loop.contains(llvm::cast<llvm::Instruction>(user))) return false;
      }
    return phis <= kPhiLimit && instructions <= kBodyLimit;
  }

  /// Adds a copy of the loop in which the iterations of all work-items are aligned. The original loop runs the
  /// remaining iterations.
  bool align(const StridedLoop& strided) {
    BasicBlock* header = strided.loop->getHeader();
    BasicBlock* before = strided.loop->getLoopPredecessor();
    llvm::Type* type = strided.index->getType();
    llvm::IRBuilder<> setup(before->getTerminator());
    Value* groupStart = withoutLocalId(strided.start, setup, uniformity_);
    if (groupStart == nullptr) return false;
    Value* span = setup.CreateSub(createIntrinsic(setup, Intrinsic::LocalSize, 0), setup.getInt64(1), "", true, true);
    Value* localId = createIntrinsic(setup, Intrinsic::LocalId, 0);
    span = setup.CreateTrunc(span, type);
    localId = setup.CreateTrunc(localId, type);

    const bool isSlow = isLaneByLane(strided.loop->getBlocks());
    llvm::PHINode* reached =
        runSeveralIterations(strided, groupStart, span, localId, isSlow ? kSlowIterationsAtOnce : kIterationsAtOnce);
    // Many loops have only a few iterations, so a copy with one iteration between barriers follows.
    if (!isSlow) reached = runSeveralIterations(strided, reached, span, localId, 1);
    BasicBlock* rest = BasicBlock::Create(kernel_.getContext(), "rest", &kernel_, header);
    reached->getParent()->getTerminator()->replaceSuccessorWith(header, rest);
    header->replacePhiUsesWith(reached->getParent(), rest);
    llvm::IRBuilder<> builder(rest);
    // The new start has the wrap flags of the program's own sums, since they yield the same index.
    const auto keeps = [&](auto promises) {
      const auto* next =
          llvm::cast<llvm::BinaryOperator>(strided.index->getIncomingValueForBlock(strided.loop->getLoopLatch()));
      return promises(next) && promisesAll(*strided.start, uniformity_, promises);
    };
    const auto promising = [](auto flag) {
      return [flag](const Value* value) {
        const auto* sum = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(value);
        return sum != nullptr && (sum->*flag)();
      };
    };
    Value* own =
        builder.CreateAdd(reached, localId, "", keeps(promising(&llvm::OverflowingBinaryOperator::hasNoUnsignedWrap)),
                          keeps(promising(&llvm::OverflowingBinaryOperator::hasNoSignedWrap)));
    strided.index->setIncomingValueForBlock(rest, own);
    builder.CreateBr(header);
    header->getTerminator()->setMetadata(kRestName, llvm::MDNode::get(kernel_.getContext(), {}));
    return true;
  }

  /// Adds a loop that runs several iterations of each work-item between two barriers, while all work-items have as
  /// many. It needs no masks, and loop-carried values stay in registers. Returns the group's index, in the block from
  /// which it continues to the original loop.
  llvm::PHINode* runSeveralIterations(const StridedLoop& strided, Value* groupStart, Value* span, Value* localId,
                                      unsigned iterationsAtOnce) {
    llvm::LLVMContext& context = kernel_.getContext();
    BasicBlock* header = strided.loop->getHeader();
    BasicBlock* before = strided.loop->getLoopPredecessor();
    BasicBlock* latch = strided.loop->getLoopLatch();
    llvm::Type* type = strided.index->getType();
    BasicBlock* head = BasicBlock::Create(context, "iterations", &kernel_, header);
    BasicBlock* join = BasicBlock::Create(context, "iterations.end", &kernel_, header);

    llvm::ValueToValueMapTy map;
    const auto copies = copyBlocks(strided.loop->getBlocks(), ".full", map);
    auto* body = llvm::cast<BasicBlock>(map[header]);
    auto* bodyLatch = llvm::cast<BasicBlock>(map[latch]);
    auto* bodyIndex = llvm::cast<llvm::PHINode>(map[strided.index]);

    // Loop-carried values are passed from the copy to the original loop.
    llvm::IRBuilder<> outer(head);
    llvm::PHINode* first = outer.CreatePHI(type, 2, "group_index");
    for (llvm::PHINode& phi : header->phis()) {
      auto* copy = llvm::cast<llvm::PHINode>(map[&phi]);
      if (&phi == strided.index) continue;
      llvm::PHINode* carried = outer.CreatePHI(phi.getType(), 2, phi.getName());
      carried->addIncoming(phi.getIncomingValueForBlock(before), before);
      carried->addIncoming(copy->getIncomingValueForBlock(bodyLatch), join);
      phi.setIncomingValueForBlock(before, carried);
      copy->setIncomingValueForBlock(before, carried);
    }
    header->replacePhiUsesWith(before, head);
    body->replacePhiUsesWith(before, head);
    before->getTerminator()->replaceSuccessorWith(header, head);

    // Integers of twice the width cannot wrap around, so the largest index can be compared with the limit.
    llvm::Type* wide = llvm::IntegerType::get(context, 2 * type->getIntegerBitWidth());
    const auto extend = [&](Value* value) {
      return strided.isSigned ? outer.CreateSExt(value, wide) : outer.CreateZExt(value, wide);
    };
    Value* steps = outer.CreateMul(extend(strided.step), llvm::ConstantInt::get(wide, iterationsAtOnce - 1));
    Value* last = outer.CreateAdd(outer.CreateAdd(extend(first), outer.CreateZExt(span, wide)), steps);
    Value* goesOn = outer.CreateAnd(outer.CreateICmpSGE(steps, llvm::ConstantInt::get(wide, 0)),
                                    outer.CreateICmpSLT(last, extend(strided.limit)), "full");
    outer.CreateCondBr(goesOn, body, header);

    llvm::IRBuilder<> inner(body, body->begin());
    llvm::PHINode* iteration = inner.CreatePHI(inner.getInt32Ty(), 2, "iteration");
    llvm::PHINode* groupIndex = inner.CreatePHI(type, 2, "group_index");
    inner.SetInsertPoint(body, body->getFirstInsertionPt());
    Value* index = inner.CreateAdd(groupIndex, localId, "", /*HasNUW=*/!strided.isSigned, /*HasNSW=*/strided.isSigned);
    auto* branch = llvm::cast<llvm::BranchInst>(body->getTerminator());
    llvm::BranchInst::Create(branch->getSuccessor(0), branch->getIterator());
    branch->eraseFromParent();

    bodyLatch->getTerminator()->eraseFromParent();
    llvm::IRBuilder<> end(bodyLatch);
    Value* next = end.CreateAdd(groupIndex, strided.step);
    Value* count = end.CreateAdd(iteration, end.getInt32(1), "", true, true);
    llvm::BranchInst* again = end.CreateCondBr(end.CreateICmpULT(count, end.getInt32(iterationsAtOnce)), body, join);
    if (iterationsAtOnce == kSlowIterationsAtOnce) setLoopProperty(*again, "llvm.loop.unroll.disable");
    iteration->addIncoming(end.getInt32(0), head);
    iteration->addIncoming(count, bodyLatch);
    groupIndex->addIncoming(first, head);
    groupIndex->addIncoming(next, bodyLatch);
    llvm::IRBuilder<> finish(join);
    auto* barrier = createIntrinsic(finish, Intrinsic::Barrier);
    const bool mayInterleave = iterationsAtOnce > 1 && strided.loop->isOutermost();
    if (mayInterleave) barrier->setMetadata(kInterleaveName, llvm::MDNode::get(context, {}));
    finish.CreateBr(head);
    first->addIncoming(groupStart, before);
    first->addIncoming(next, join);

    if (mayInterleave) additions_.joins.push_back(join);
    prefetch(copies, *bodyIndex, strided.step, /*mayGo=*/strided.loop->isOutermost());
    bodyIndex->replaceAllUsesWith(index);
    bodyIndex->eraseFromParent();
    llvm::cast<llvm::Instruction>(map[strided.test])->eraseFromParent();
    return first;
  }

  /// Whether lanes run one after the other, so that each iteration takes long.
  static bool isLaneByLane(llvm::ArrayRef<BasicBlock*> body) {
    return llvm::any_of(body, [](const BasicBlock* block) {
      return llvm::any_of(*block, [](const llvm::Instruction& instruction) {
        return instruction.isAtomic() || instruction.isVolatile() ||
               (llvm::isa<llvm::CallInst>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction) &&
                !matchIntrinsic(&instruction));
      });
    });
  }

  /// Prefetches loads: each iteration accesses other pages, which no hardware prefetcher foresees. They go to the
  /// second-level cache: with the first, a sum over memory takes an eighth longer. `mayGo`: the prefetches will be
  /// removed if work-groups are interleaved.
  void prefetch(llvm::ArrayRef<BasicBlock*> body, llvm::PHINode& index, Value* step, bool mayGo) {
    llvm::SmallVector<llvm::LoadInst*, 4> loads;
    for (BasicBlock* block : body)
      for (llvm::Instruction& instruction : *block)
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
            load != nullptr && load->isSimple() && load->getPointerAddressSpace() == kGlobalSpace)
          loads.push_back(load);
    for (llvm::LoadInst* load : loads) {
      llvm::IRBuilder<> builder(load);
      Value* ahead = builder.CreateMul(step, llvm::ConstantInt::get(step->getType(), kIterationsAhead));
      Value* later = builder.CreateAdd(&index, ahead);
      Value* address = addressAt(load->getPointerOperand(), index, later, body, builder);
      if (address == nullptr || address == load->getPointerOperand()) continue;
      llvm::Value* call =
          builder.CreateIntrinsic(llvm::Intrinsic::prefetch, {address->getType()},
                                  {address, builder.getInt32(0), builder.getInt32(2), builder.getInt32(1)});
      if (mayGo) additions_.prefetches.emplace_back(call);
    }
  }

  llvm::Function& kernel_;
  llvm::LoopInfo& loops_;
  const llvm::DominatorTree& dominators_;
  const llvm::PostDominatorTree& ends_;
  const WorkItemUniformity& uniformity_;
  Additions& additions_;
};

/// Whether work-groups may be interleaved at all these blocks, as mayInterleave will find. The chunks that they access
/// in an iteration are then adjacent, and hardware prefetchers foresee them unless software prefetches interfere: with
/// these, a sum over memory takes four tenths longer.
bool mayInterleaveAt(llvm::ArrayRef<BasicBlock*> blocks) {
  return llvm::all_of(blocks, [](BasicBlock* block) {
    return llvm::none_of(llvm::inverse_depth_first(block),
                         [](const BasicBlock* before) { return llvm::any_of(*before, touchesThreadsMemory); });
  });
}

/// Whether barriers may be added to a kernel without any. Private arrays would be stored for the whole work-group.
bool mayHaveBarriers(const llvm::Function& kernel) {
  constexpr std::uint64_t kMostPrivate = 64; // bytes
  std::uint64_t bytes = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(kernel))
    if (const auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
      const auto size = memory->getAllocationSize(kernel.getDataLayout());
      bytes += size ? size->getFixedValue() : kMostPrivate + 1;
    }
  return bytes <= kMostPrivate;
}

} // namespace

llvm::PreservedAnalyses AlignStridedLoopsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  // Work-items that wait for others must make progress without added barriers.
  if (!isKernel(function) || function.isDeclaration() || callsIntrinsic(function, Intrinsic::Yield))
    return llvm::PreservedAnalyses::all();
  if (!callsIntrinsic(function, Intrinsic::Barrier)) {
    // In small groups barriers take as long as the code between them, so the group must be known to be large.
    constexpr std::uint64_t kSmallGroup = 64;
    const auto size = requiredSize(function, 0);
    if ((size && *size < kSmallGroup) || !mayHaveBarriers(function)) return llvm::PreservedAnalyses::all();
    if (!size) {
      Additions none;
      if (LoopAligner(function, analyses, none).wouldRun())
        changeFacts(function, [](KernelFacts& facts) { facts.wantsLocalSize = true; });
      return llvm::PreservedAnalyses::none(); // Values may have moved out of loops.
    }
  }
  Additions additions;
  while (LoopAligner(function, analyses, additions).run())
    analyses.invalidate(function, llvm::PreservedAnalyses::none());
  if (!additions.joins.empty() && mayInterleaveAt(additions.joins))
    for (const llvm::WeakTrackingVH& prefetch : additions.prefetches)
      if (auto* call = llvm::dyn_cast_or_null<llvm::CallInst>(prefetch)) {
        Value* address = call->getArgOperand(0);
        call->eraseFromParent();
        llvm::RecursivelyDeleteTriviallyDeadInstructions(address);
      }
  return llvm::PreservedAnalyses::none(); // values may have moved out of loops that stay as they are
}

} // namespace clotho::compiler
