// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/nvptx/lower/warp_operations.hpp"

#include "compiler/analysis/work_item_uniformity.hpp"
#include "compiler/backend/nvptx/lower/make_entries.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/marks.hpp"
#include "compiler/ir/sub_group_operations.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::Value;
using Operation = SubGroupOperation;

/// Blocks of a kernel that either all lanes of a warp run or none, each time.
class UniformBlocks {
 public:
  explicit UniformBlocks(llvm::Function& kernel) {
    const WorkItemUniformity uniformity(kernel);
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

  bool isUniform(const BasicBlock& block) {
    llvm::SmallPtrSet<const BasicBlock*, 16> seen;
    llvm::SmallVector<const BasicBlock*, 16> work = {&block};
    while (!work.empty()) {
      const BasicBlock* next = work.pop_back_val();
      for (const BasicBlock* branch : controlledBy_[next]) {
        if (divergent_.contains(branch)) return false;
        if (seen.insert(branch).second) work.push_back(branch);
      }
    }
    return true;
  }

 private:
  llvm::DenseMap<const BasicBlock*, llvm::SmallVector<const BasicBlock*, 4>> controlledBy_;
  llvm::SmallPtrSet<const BasicBlock*, 16> divergent_;
};

/// Lowers the operations of one kernel.
class Lowering {
 public:
  Lowering(llvm::Function& kernel, bool hasRedux)
      : kernel_(kernel), blocks_(kernel), builder_(kernel.getContext()), hasRedux_(hasRedux) {}

  void run() {
    llvm::SmallVector<std::pair<llvm::CallInst*, bool>, 16> calls;
    for (llvm::Instruction& instruction : llvm::instructions(kernel_))
      if (matchSubGroupCall(&instruction)) {
        auto& call = llvm::cast<llvm::CallInst>(instruction);
        calls.push_back({&call, call.hasFnAttr(kActiveLanes) && !blocks_.isUniform(*call.getParent())});
      }
    for (const auto& [call, isPartial] : calls) {
      isPartial_ = isPartial;
      mask_ = isPartial ? nullptr : liveMask();
      builder_.SetInsertPoint(call);
      if (isPartial) mask_ = activeMask();
      if (Value* result = lower(*call, *matchSubGroupCall(call))) call->replaceAllUsesWith(result);
      call->eraseFromParent();
    }
  }

 private:
  Value* i32(std::uint32_t number) { return builder_.getInt32(number); }

  /// The lanes that the work-group has in this warp, computed once.
  Value* liveMask() {
    if (liveMask_ != nullptr) return liveMask_;
    if (const auto sizes = requiredSizes(kernel_);
        sizes && hasUniformGroupsOnly(*kernel_.getParent()) && (*sizes)[0] * (*sizes)[1] * (*sizes)[2] % kWarpSize == 0)
      return liveMask_ = i32(~0U);
    builder_.SetInsertPoint(&*kernel_.getEntryBlock().getFirstInsertionPt());
    const auto narrow = [&](Intrinsic intrinsic, unsigned dimension) {
      return builder_.CreateTrunc(createIntrinsic(builder_, intrinsic, dimension), builder_.getInt32Ty());
    };
    Value* items = narrow(Intrinsic::LocalSize, 0);
    for (const unsigned i : {1U, 2U})
      items = builder_.CreateMul(items, narrow(Intrinsic::LocalSize, i), "", true, true);
    Value* left = builder_.CreateSub(items, narrow(Intrinsic::SubGroupBase, 0), "", true, true);
    Value* lanes = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left, i32(kWarpSize));
    return liveMask_ = builder_.CreateLShr(i32(~0U), builder_.CreateSub(i32(kWarpSize), lanes), "live");
  }

  Value* convergent(llvm::Intrinsic::ID id, llvm::ArrayRef<Value*> arguments) {
    llvm::CallInst* call = builder_.CreateIntrinsic(id, arguments);
    call->setConvergent();
    return call;
  }
  Value* activeMask() { return convergent(llvm::Intrinsic::nvvm_activemask, {}); }
  Value* lane() {
    return builder_.CreateTrunc(createIntrinsic(builder_, Intrinsic::SubGroupLane), builder_.getInt32Ty(), "lane");
  }
  Value* ballot(Value* mask, Value* truth) { return convergent(llvm::Intrinsic::nvvm_vote_ballot_sync, {mask, truth}); }
  Value* count(Value* bits) { return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits); }
  Value* isSet(Value* bits, Value* index) {
    return builder_.CreateTrunc(builder_.CreateLShr(bits, index), builder_.getInt1Ty());
  }

  /// Each lane takes the value of the lane that it names, word by word.
  Value* shuffle(Value* value, Value* from) {
    llvm::Type* type = value->getType();
    const unsigned bits = static_cast<unsigned>(kernel_.getDataLayout().getTypeSizeInBits(type).getFixedValue());
    const unsigned words = llvm::divideCeil(bits, 32);
    llvm::Type *exact = builder_.getIntNTy(bits), *whole = builder_.getIntNTy(words * 32);
    Value* number = type->isPointerTy() ? builder_.CreatePtrToInt(value, exact) : builder_.CreateBitCast(value, exact);
    number = builder_.CreateZExt(number, whole);
    Value* result = llvm::ConstantInt::get(whole, 0);
    for (unsigned i = 0; i < words; ++i) {
      Value* word = builder_.CreateTrunc(builder_.CreateLShr(number, 32 * i), builder_.getInt32Ty());
      word = convergent(llvm::Intrinsic::nvvm_shfl_sync_idx_i32, {mask_, word, from, i32(kWarpSize - 1)});
      result = builder_.CreateOr(result, builder_.CreateShl(builder_.CreateZExt(word, whole), 32 * i));
    }
    result = builder_.CreateTrunc(result, exact);
    return type->isPointerTy() ? builder_.CreateIntToPtr(result, type) : builder_.CreateBitCast(result, type);
  }

  Value* lower(llvm::CallInst& call, const SubGroupCall& what) {
    Value* first = call.getArgOperand(0);
    switch (what.operation) {
    case Operation::Reduce: return reduce(call, what.combination);
    case Operation::InclusiveScan:
    case Operation::ExclusiveScan: {
      const bool isInclusive = what.operation == Operation::InclusiveScan;
      return isPartial_ ? combineEach(call, what.combination, isInclusive ? Part::UpToOwn : Part::BeforeOwn, nullptr)
                        : scan(first, what.combination, isInclusive);
    }
    case Operation::Shuffle:
    case Operation::Broadcast: return shuffle(first, call.getArgOperand(1));
    case Operation::First: return shuffle(first, firstLane());
    case Operation::Ballot: return builder_.CreateZExt(ballot(mask_, first), builder_.getInt64Ty());
    case Operation::Leaves: return builder_.getTrue();
    case Operation::Barrier: barrier(first); return nullptr;
    case Operation::LiveCount: return count(ballot(activeMask(), first));
    case Operation::LiveRank: {
      Value* before = builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_lanemask_lt, {});
      return count(builder_.CreateAnd(ballot(activeMask(), first), before));
    }
    }
    return nullptr;
  }

  Value* firstLane() {
    return isPartial_ ? builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, mask_, builder_.getTrue()) : i32(0);
  }

  void barrier(Value* reachesFar) {
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(reachesFar);
    const bool isWide = constant == nullptr || constant->isOne();
    if (isWide) builder_.CreateFence(llvm::AtomicOrdering::AcquireRelease);
    convergent(llvm::Intrinsic::nvvm_bar_warp_sync, {mask_});
    if (isWide) builder_.CreateFence(llvm::AtomicOrdering::AcquireRelease);
  }

  /// The instruction that reduces 32-bit integers; none for other operations.
  static llvm::Intrinsic::ID redux(Combination combination) {
    switch (combination) {
    case Combination::Add: return llvm::Intrinsic::nvvm_redux_sync_add;
    case Combination::SMin: return llvm::Intrinsic::nvvm_redux_sync_min;
    case Combination::SMax: return llvm::Intrinsic::nvvm_redux_sync_max;
    case Combination::UMin: return llvm::Intrinsic::nvvm_redux_sync_umin;
    case Combination::UMax: return llvm::Intrinsic::nvvm_redux_sync_umax;
    case Combination::And: return llvm::Intrinsic::nvvm_redux_sync_and;
    case Combination::Or: return llvm::Intrinsic::nvvm_redux_sync_or;
    case Combination::Xor: return llvm::Intrinsic::nvvm_redux_sync_xor;
    default: return llvm::Intrinsic::not_intrinsic;
    }
  }

  Value* reduce(llvm::CallInst& call, Combination combination) {
    Value* value = call.getArgOperand(0);
    const auto* cluster = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(1));
    const std::uint64_t size = cluster == nullptr ? 0 : cluster->getZExtValue();
    const bool isWhole = cluster != nullptr && (size == 0 || size >= kWarpSize);
    if (isWhole) {
      if (value->getType()->isIntegerTy(1)) return vote(value, combination);
      if (hasRedux_ && value->getType()->isIntegerTy(32) && redux(combination) != llvm::Intrinsic::not_intrinsic)
        return convergent(redux(combination), {value, mask_});
    }
    if (isPartial_ || cluster == nullptr)
      return combineEach(call, combination, Part::Cluster, isWhole ? nullptr : call.getArgOperand(1));
    return tree(value, combination, isWhole ? kWarpSize : static_cast<std::uint32_t>(size));
  }

  Value* vote(Value* value, Combination combination) {
    Value* bits = ballot(mask_, value);
    if (combination == Combination::And) return builder_.CreateICmpEQ(bits, mask_);
    if (combination == Combination::Or) return builder_.CreateICmpNE(bits, i32(0));
    return builder_.CreateTrunc(count(bits), builder_.getInt1Ty());
  }

  /// Reduces within clusters of so many lanes. Absent lanes are behind all others, so the first lane of a cluster gets
  /// the result of all, and the others take it from there.
  Value* tree(Value* value, Combination combination, std::uint32_t cluster) {
    Value* own = lane();
    for (std::uint32_t distance = cluster / 2; distance > 0; distance /= 2) {
      Value* from = builder_.CreateXor(own, i32(distance));
      Value* other = shuffle(value, from);
      if (mask_ != i32(~0U))
        other = builder_.CreateSelect(isSet(mask_, from), other, neutralElement(combination, value->getType()));
      value = combine(builder_, combination, value, other);
    }
    if (mask_ == i32(~0U)) return value; // the exchanges have brought it to all lanes
    return shuffle(value, builder_.CreateAnd(own, i32(~(cluster - 1))));
  }

  Value* scan(Value* value, Combination combination, bool isInclusive) {
    Value* own = lane();
    for (std::uint32_t distance = 1; distance < kWarpSize; distance *= 2) {
      Value* other = shuffle(value, builder_.CreateSub(own, i32(distance)));
      Value* both = combine(builder_, combination, other, value);
      value = builder_.CreateSelect(builder_.CreateICmpUGE(own, i32(distance)), both, value);
    }
    if (isInclusive) return value;
    Value* before = shuffle(value, builder_.CreateSub(own, i32(1)));
    return builder_.CreateSelect(builder_.CreateICmpEQ(own, i32(0)), neutralElement(combination, value->getType()),
                                 before);
  }

  enum class Part { Cluster, UpToOwn, BeforeOwn };

  /// Combines the values of the lanes that take part one after the other, whichever these are.
  Value* combineEach(llvm::CallInst& call, Combination combination, Part part, Value* cluster) {
    Value* value = call.getArgOperand(0);
    llvm::Type* type = value->getType();
    Value *own = lane(), *mask = mask_;
    BasicBlock* before = call.getParent();
    BasicBlock* after = llvm::SplitBlock(before, &call);
    BasicBlock* loop = BasicBlock::Create(call.getContext(), "each.lane", &kernel_, after);
    before->getTerminator()->setSuccessor(0, loop);

    builder_.SetInsertPoint(loop);
    llvm::PHINode* left = builder_.CreatePHI(builder_.getInt32Ty(), 2, "left");
    llvm::PHINode* soFar = builder_.CreatePHI(type, 2);
    Value* from = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, builder_.getTrue());
    Value* both = combine(builder_, combination, soFar, shuffle(value, from));
    Value* counts = builder_.getTrue();
    if (part == Part::UpToOwn) counts = builder_.CreateICmpULE(from, own);
    if (part == Part::BeforeOwn) counts = builder_.CreateICmpULT(from, own);
    if (part == Part::Cluster && cluster != nullptr)
      counts = builder_.CreateICmpULT(builder_.CreateXor(from, own), cluster); // a power of two
    Value* now = builder_.CreateSelect(counts, both, soFar);
    Value* rest = builder_.CreateAnd(left, builder_.CreateSub(left, i32(1)));
    left->addIncoming(mask, before);
    left->addIncoming(rest, loop);
    soFar->addIncoming(neutralElement(combination, type), before);
    soFar->addIncoming(now, loop);
    builder_.CreateCondBr(builder_.CreateICmpEQ(rest, i32(0)), after, loop);
    builder_.SetInsertPoint(&call);
    return now;
  }

  llvm::Function& kernel_;
  UniformBlocks blocks_;
  IRBuilder<> builder_;
  bool hasRedux_;
  bool isPartial_ = false;    // of the operation that is lowered: it is of the active lanes
  Value* mask_ = nullptr;     // of that operation: the lanes that take part
  Value* liveMask_ = nullptr; // the lanes of the warp
};

} // namespace

llvm::PreservedAnalyses WarpOperationsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  if (llvm::none_of(module, [](const llvm::Function& function) { return isSubGroupOperationName(function.getName()); }))
    return llvm::PreservedAnalyses::all();
  for (llvm::Function& function : module)
    if (isKernel(function)) Lowering(function, hasRedux_).run();
  for (llvm::Function& function : llvm::make_early_inc_range(module))
    if (isSubGroupOperationName(function.getName()) && function.use_empty()) function.eraseFromParent();
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
