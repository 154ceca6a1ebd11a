// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/nvptx/lower/warp_operations.hpp"

#include "compiler/backend/nvptx/lower/lane_masks.hpp"
#include "compiler/backend/nvptx/lower/make_entries.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/marks.hpp"
#include "compiler/ir/pipe_functions.hpp"
#include "compiler/ir/sub_group_operations.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
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

/// Lowers the operations of one kernel.
class Lowering {
 public:
  Lowering(llvm::Function& kernel, bool hasRedux)
      : kernel_(kernel), builder_(kernel.getContext()), hasRedux_(hasRedux), warps_(groupsOf(kWarpSize)),
        subGroups_(groupsOf(warpPart(kernel))) {}

  void run() {
    llvm::SmallVector<std::pair<llvm::CallInst*, Value*>, 16> calls; // with the mask of each
    llvm::SmallSetVector<BasicBlock*, 8> wanted;
    for (llvm::Instruction& instruction : llvm::instructions(kernel_)) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call == nullptr || !(matchSubGroupCall(call) || runsOnce(*call))) continue;
      calls.push_back({call, nullptr});
      wanted.insert(call->getParent());
    }
    if (calls.empty()) return;
    joinLanes(kernel_, wanted.getArrayRef());
    LaneMasks masks(kernel_, liveMask(subGroups_));
    llvm::DenseMap<const BasicBlock*, Value*> ofBlocks;
    for (auto& [call, mask] : calls) {
      BasicBlock& block = *call->getParent();
      Value*& ofBlock = ofBlocks[&block];
      if (ofBlock == nullptr) ofBlock = masks.at(block);
      if (call->hasFnAttr(kWholeWarps))
        mask = liveMask(warps_);
      else if (ofBlock != nullptr)
        mask = ofBlock;
      else
        mask = isOfActiveLanes(*call) ? activeMask(block) : subGroups_.live;
    }
    for (const auto& [call, mask] : calls) {
      const Groups& groups = call->hasFnAttr(kWholeWarps) ? warps_ : subGroups_;
      mask_ = mask;
      isPartial_ = mask_ != groups.live;
      isFull_ = !isPartial_ && groups.areFull;
      width_ = groups.width;
      builder_.SetInsertPoint(call);
      const auto operation = matchSubGroupCall(call);
      if (!operation) {
        callOnce(*call);
        continue;
      }
      if (Value* result = lower(*call, *operation)) call->replaceAllUsesWith(result);
      call->eraseFromParent();
    }
  }

 private:
  /// Groups of lanes: sub-groups, which are warps or equal parts of warps.
  struct Groups {
    unsigned width;
    bool areFull;          // all lanes are there
    Value* live = nullptr; // mask of the lanes that the work-group has in the group
  };

  /// Whether not all lanes need to reach the call. Pipes are read and written by those that do.
  static bool isOfActiveLanes(const llvm::CallInst& call) {
    const auto operation = matchSubGroupCall(&call);
    return !operation || !tellsSubGroups(operation->operation) || call.hasFnAttr(kActiveLanes);
  }

  Groups groupsOf(unsigned width) const {
    const auto sizes = requiredSizes(kernel_);
    return {width, sizes && hasUniformGroupsOnly(*kernel_.getParent()) &&
                       (*sizes)[0] * (*sizes)[1] * (*sizes)[2] % width == 0};
  }

  Value* i32(std::uint32_t number) { return builder_.getInt32(number); }
  Value* narrow(Value* value) { return builder_.CreateTrunc(value, builder_.getInt32Ty()); }

  /// Computed once. Lanes that come later are waited for.
  Value* liveMask(Groups& groups) {
    if (groups.live != nullptr) return groups.live;
    Value* ones = i32(~0U >> (kWarpSize - groups.width));
    if (groups.areFull && groups.width == kWarpSize) return groups.live = ones;
    builder_.SetInsertPoint(&*kernel_.getEntryBlock().getFirstInsertionPt());
    Value* first = nullptr; // lane of the group
    if (groups.width != kWarpSize)
      first = builder_.CreateAnd(narrow(createIntrinsic(builder_, Intrinsic::LaneId)), i32(0U - groups.width));
    if (!groups.areFull) {
      Value* items = narrow(createIntrinsic(builder_, Intrinsic::LocalSize, 0));
      for (const unsigned i : {1U, 2U})
        items = builder_.CreateMul(items, narrow(createIntrinsic(builder_, Intrinsic::LocalSize, i)), "", true, true);
      Value* base = builder_.CreateAnd(narrow(createLinearLocalId(builder_)), i32(0U - groups.width));
      Value* left = builder_.CreateSub(items, base, "", true, true);
      Value* lanes = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left, i32(groups.width));
      ones = builder_.CreateLShr(i32(~0U), builder_.CreateSub(i32(kWarpSize), lanes), "live");
    }
    return groups.live = first == nullptr ? ones : builder_.CreateShl(ones, first);
  }

  Value* convergent(llvm::Intrinsic::ID id, llvm::ArrayRef<Value*> arguments) {
    llvm::CallInst* call = builder_.CreateIntrinsic(id, arguments);
    call->setConvergent();
    return call;
  }
  /// The lanes that the hardware runs the block with, where the kernel's flow does not tell which these are.
  Value* activeMask(BasicBlock& block) {
    builder_.SetInsertPoint(&block, block.getFirstInsertionPt());
    return convergent(llvm::Intrinsic::nvvm_activemask, {});
  }
  Value* laneOfWarp() { return narrow(createIntrinsic(builder_, Intrinsic::LaneId)); }
  Value* lane() { return width_ == kWarpSize ? laneOfWarp() : builder_.CreateAnd(laneOfWarp(), i32(width_ - 1)); }
  /// The bits of a mask for the lanes of the group.
  Value* ofGroup(Value* bits) {
    if (width_ == kWarpSize) return bits;
    Value* own = builder_.CreateLShr(bits, builder_.CreateAnd(laneOfWarp(), i32(0U - width_)));
    return builder_.CreateAnd(own, i32(~0U >> (kWarpSize - width_)));
  }
  Value* ballot(Value* mask, Value* truth) { return convergent(llvm::Intrinsic::nvvm_vote_ballot_sync, {mask, truth}); }
  Value* count(Value* bits) { return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits); }
  Value* isSet(Value* bits, Value* index) {
    return builder_.CreateTrunc(builder_.CreateLShr(bits, index), builder_.getInt1Ty());
  }

  /// Each lane takes the value of the lane that it names, in the group or in the warp, word by word.
  Value* shuffle(Value* value, Value* from) {
    llvm::Type* type = value->getType();
    const unsigned bits = static_cast<unsigned>(kernel_.getDataLayout().getTypeSizeInBits(type).getFixedValue());
    const unsigned words = llvm::divideCeil(bits, 32);
    llvm::Type *exact = builder_.getIntNTy(bits), *whole = builder_.getIntNTy(words * 32);
    Value* number = type->isPointerTy() ? builder_.CreatePtrToInt(value, exact) : builder_.CreateBitCast(value, exact);
    number = builder_.CreateZExt(number, whole);
    const std::uint32_t groups = (kWarpSize - width_) << 8 | (kWarpSize - 1);
    Value* result = llvm::ConstantInt::get(whole, 0);
    for (unsigned i = 0; i < words; ++i) {
      Value* word = builder_.CreateTrunc(builder_.CreateLShr(number, 32 * i), builder_.getInt32Ty());
      word = convergent(llvm::Intrinsic::nvvm_shfl_sync_idx_i32, {mask_, word, from, i32(groups)});
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
      return isPartial_ ? partialScan(first, what.combination, isInclusive)
                        : scan(first, what.combination, isInclusive);
    }
    case Operation::Shuffle:
    case Operation::Broadcast: return shuffle(first, call.getArgOperand(1));
    case Operation::First: return shuffle(first, firstLane());
    case Operation::Ballot: return builder_.CreateZExt(ofGroup(ballot(mask_, first)), builder_.getInt64Ty());
    case Operation::Leaves: return builder_.getTrue();
    case Operation::Agree: return first; // lanes take either way by themselves
    case Operation::Barrier: barrier(first); return nullptr;
    case Operation::LiveCount: return count(ballot(mask_, first));
    case Operation::LiveRank: {
      Value* before = builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_lanemask_lt, {});
      return count(builder_.CreateAnd(ballot(mask_, first), before));
    }
    }
    return nullptr;
  }

  /// Leaves a call that serves all lanes to the first of them, which gives its result to the others. All have come so
  /// far before it calls, and what it has seen of others is seen by all behind the call.
  void callOnce(llvm::CallInst& call) {
    convergent(llvm::Intrinsic::nvvm_bar_warp_sync, {mask_});
    Value* first = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, mask_, builder_.getTrue());
    BasicBlock* before = call.getParent();
    llvm::Instruction* then =
        llvm::SplitBlockAndInsertIfThen(builder_.CreateICmpEQ(laneOfWarp(), first), &call, /*Unreachable=*/false);
    BasicBlock* after = call.getParent();
    call.moveBefore(then->getIterator());
    builder_.SetInsertPoint(after, after->begin());
    if (call.getType()->isVoidTy()) {
      convergent(llvm::Intrinsic::nvvm_bar_warp_sync, {mask_});
      return;
    }
    llvm::PHINode* result = builder_.CreatePHI(call.getType(), 2);
    convergent(llvm::Intrinsic::nvvm_bar_warp_sync, {mask_});
    call.replaceAllUsesWith(shuffle(result, first));
    result->addIncoming(&call, then->getParent());
    result->addIncoming(llvm::Constant::getNullValue(call.getType()), before);
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
    const bool isWhole = cluster != nullptr && (size == 0 || size >= width_);
    if (isWhole) {
      if (value->getType()->isIntegerTy(1)) return vote(value, combination);
      if (hasRedux_ && value->getType()->isIntegerTy(32) && redux(combination) != llvm::Intrinsic::not_intrinsic)
        return convergent(redux(combination), {value, mask_});
    }
    if (isPartial_ || cluster == nullptr)
      return partialReduce(value, combination, isWhole ? nullptr : call.getArgOperand(1));
    return tree(value, combination, isWhole ? width_ : static_cast<std::uint32_t>(size));
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
      if (!isFull_)
        other =
            builder_.CreateSelect(isSet(ofGroup(mask_), from), other, neutralElement(combination, value->getType()));
      value = combine(builder_, combination, value, other);
    }
    if (isFull_) return value; // the exchanges have brought it to all lanes
    return shuffle(value, builder_.CreateAnd(own, i32(~(cluster - 1))));
  }

  Value* scan(Value* value, Combination combination, bool isInclusive) {
    Value* own = lane();
    for (std::uint32_t distance = 1; distance < width_; distance *= 2) {
      Value* other = shuffle(value, builder_.CreateSub(own, i32(distance)));
      Value* both = combine(builder_, combination, other, value);
      value = builder_.CreateSelect(builder_.CreateICmpUGE(own, i32(distance)), both, value);
    }
    if (isInclusive) return value;
    Value* before = shuffle(value, builder_.CreateSub(own, i32(1)));
    return builder_.CreateSelect(builder_.CreateICmpEQ(own, i32(0)), neutralElement(combination, value->getType()),
                                 before);
  }

  /// Number of the last lane in the set; -1 if it is empty.
  Value* lastOf(Value* lanes) {
    return builder_.CreateSub(i32(31),
                              builder_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, lanes, builder_.getFalse()));
  }
  /// The lane before this one among `lanes`; -1 if there is none.
  Value* laneBefore(Value* lanes) {
    Value* lower = builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_lanemask_lt, {});
    return lastOf(builder_.CreateAnd(lanes, lower));
  }
  Value* exists(Value* lane) { return builder_.CreateICmpSGE(lane, i32(0)); }

  /// Combines, in each of `lanes`, the values of those up to this one. In each step a lane knows the lane before those
  /// that it has combined, and takes what that one has.
  Value* chain(Value* value, Combination combination, Value* lanes) {
    Value* before = laneBefore(lanes);
    for (unsigned combined = 1; combined < width_; combined *= 2) {
      Value* both = combine(builder_, combination, shuffle(value, before), value);
      Value* next = shuffle(before, before);
      value = builder_.CreateSelect(exists(before), both, value);
      before = builder_.CreateSelect(exists(before), next, before);
    }
    return value;
  }

  Value* partialScan(Value* value, Combination combination, bool isInclusive) {
    Value* result = chain(value, combination, mask_);
    if (isInclusive) return result;
    Value* before = laneBefore(mask_);
    return builder_.CreateSelect(exists(before), shuffle(result, before),
                                 neutralElement(combination, value->getType()));
  }

  /// Reduces within clusters of so many lanes, a power of two; null: all that take part.
  Value* partialReduce(Value* value, Combination combination, Value* cluster) {
    Value* lanes = mask_;
    if (cluster != nullptr) {
      Value* size = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, cluster, i32(kWarpSize));
      Value* first = builder_.CreateAnd(laneOfWarp(), builder_.CreateNeg(size));
      Value* ones = builder_.CreateLShr(i32(~0U), builder_.CreateSub(i32(kWarpSize), size));
      lanes = builder_.CreateAnd(lanes, builder_.CreateShl(ones, first));
    }
    return shuffle(chain(value, combination, lanes), lastOf(lanes));
  }

  llvm::Function& kernel_;
  IRBuilder<> builder_;
  bool hasRedux_;
  Groups warps_, subGroups_;
  // Facts of the operation that is lowered:
  unsigned width_ = kWarpSize;
  Value* mask_ = nullptr;  // the lanes that take part, by their numbers in the warp
  bool isPartial_ = false; // not all lanes of the group that there are may take part
  bool isFull_ = false;    // all lanes of the group take part
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
