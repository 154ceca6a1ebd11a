// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/lower/lower_sub_groups.hpp"

#include "compiler/builtins/properties.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/marks.hpp"
#include "compiler/ir/replace_calls.hpp"
#include "compiler/ir/sub_group_blocks.hpp"
#include "compiler/ir/sub_group_operations.hpp"
#include "compiler/transform/lower/builtin_names.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

using llvm::StringRef;
using llvm::Value;
using Operation = SubGroupOperation;

/// Whether a function need not be reached by all work-items of the sub-group: those of the extensions
/// cl_khr_subgroup_non_uniform_*, _ballot, _shuffle*, _rotate and _clustered_reduce, and shuffles of
/// cl_intel_subgroups.
bool isOfActiveLanes(StringRef name) {
  name.consume_front("intel_");
  if (!name.consume_front("sub_group_")) return false;
  return name.starts_with("non_uniform_") || name.starts_with("clustered_") || name.starts_with("shuffle") ||
         name == "rotate" || name == "elect" || name == "ballot" || name == "broadcast_first";
}

/// Lowers one call of a sub-group function.
class Lowering {
 public:
  Lowering(llvm::CallInst& call, StringRef name, StringRef parameters)
      : call_(call), name_(name), isOfActiveLanes_(isOfActiveLanes(name)), element_(elementCode(parameters)),
        builder_(&call) {}

  /// Returns null if the function is not a known one.
  Value* lower() {
    if (name_.consume_front("get_")) return query();
    if (name_.consume_front("intel_sub_group_")) {
      if (name_.consume_front("block_read")) return blockRead();
      if (name_.consume_front("block_write")) return blockWrite();
      if (name_ == "shuffle_down" || name_ == "shuffle_up") return shuffleOfTwo();
    } else if (!name_.consume_front("sub_group_")) {
      return nullptr;
    }
    if (name_ == "barrier") return barrier();
    if (Value* value = ballots()) return value;
    if (Value* value = votes()) return value;
    if (Value* value = shuffles()) return value;
    return arithmetic();
  }

 private:
  Value* argument(unsigned i) { return call_.getArgOperand(i); }
  llvm::Type* i32() { return builder_.getInt32Ty(); }
  llvm::Type* i64() { return builder_.getInt64Ty(); }
  Value* intrinsic(Intrinsic which, unsigned dimension = 0) { return createIntrinsic(builder_, which, dimension); }
  Value* laneId() { return intrinsic(Intrinsic::SubGroupLane); }
  Value* size() { return intrinsic(Intrinsic::SubGroupWidth); }
  Value* narrow(Value* value) { return builder_.CreateTrunc(value, i32()); }
  Value* lane() { return narrow(laneId()); }
  Value* truth(Value* value) { return builder_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType())); }
  Value* asInt(Value* truth) { return builder_.CreateZExt(truth, i32()); }
  Value* operation(Operation which, llvm::ArrayRef<Value*> arguments, Combination combination = Combination::None) {
    llvm::CallInst* call = createSubGroupCall(builder_, {which, combination}, arguments);
    if (isOfActiveLanes_) call->addFnAttr(llvm::Attribute::get(call->getContext(), kActiveLanes));
    return call;
  }
  Value* all(Value* truth) { return operation(Operation::Reduce, {truth, builder_.getInt32(0)}, Combination::And); }

  Value* groupItems(Intrinsic size = Intrinsic::LocalSize) {
    Value* items = intrinsic(size, 0);
    for (unsigned i = 1; i < 3; ++i)
      items = builder_.CreateMul(items, intrinsic(size, i), "", true, true);
    return items;
  }
  Value* subGroupId() { return builder_.CreateUDiv(intrinsic(Intrinsic::SubGroupBase), size()); }

  /// Lowers the queries of OpenCL C, section 6.15.1, and the masks of cl_khr_subgroup_ballot.
  Value* query() {
    if (!name_.consume_front("sub_group_")) {
      if (name_ == "max_sub_group_size") return narrow(size());
      if (name_ == "num_sub_groups" || name_ == "enqueued_num_sub_groups") {
        Value* one = builder_.getInt64(1);
        Value* items = groupItems(name_ == "num_sub_groups" ? Intrinsic::LocalSize : Intrinsic::EnqueuedSize);
        Value* rounded = builder_.CreateAdd(items, builder_.CreateSub(size(), one));
        return narrow(builder_.CreateUDiv(rounded, size()));
      }
      return nullptr;
    }
    if (name_ == "size") {
      Value* left = builder_.CreateSub(groupItems(), intrinsic(Intrinsic::SubGroupBase));
      return narrow(builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left, size()));
    }
    if (name_ == "id") return narrow(subGroupId());
    if (name_ == "local_id") return lane();
    Value* own = builder_.CreateShl(builder_.getInt64(1), laneId());
    Value* from = builder_.CreateShl(builder_.getInt64(~0ULL), laneId());
    Value* after = builder_.CreateShl(from, 1);
    if (name_ == "eq_mask") return toBallot(own);
    if (name_ == "ge_mask") return toBallot(builder_.CreateAnd(from, everyone()));
    if (name_ == "gt_mask") return toBallot(builder_.CreateAnd(after, everyone()));
    if (name_ == "le_mask") return toBallot(builder_.CreateNot(after));
    if (name_ == "lt_mask") return toBallot(builder_.CreateNot(from));
    return nullptr;
  }

  Value* barrier() {
    // One thread runs all work-items of a work-group, so only wider scopes need a fence.
    constexpr std::uint64_t kScopeWorkItem = 0, kScopeWorkGroup = 1, kScopeSubGroup = 4;
    bool reachesFar = false;
    if (call_.arg_size() > 1) {
      const auto* scope = llvm::dyn_cast<llvm::ConstantInt>(argument(1));
      reachesFar =
          scope == nullptr || (scope->getZExtValue() != kScopeWorkItem && scope->getZExtValue() != kScopeWorkGroup &&
                               scope->getZExtValue() != kScopeSubGroup);
    }
    return operation(Operation::Barrier, {builder_.getInt1(reachesFar)});
  }

  /// A mask with a bit for each lane.
  Value* everyone() {
    return builder_.CreateLShr(builder_.getInt64(~0ULL), builder_.CreateSub(builder_.getInt64(64), size()));
  }
  Value* toBallot(Value* bits) {
    Value* result = llvm::Constant::getNullValue(llvm::FixedVectorType::get(i32(), 4));
    result = builder_.CreateInsertElement(result, narrow(bits), std::uint64_t(0));
    return builder_.CreateInsertElement(result, narrow(builder_.CreateLShr(bits, 32)), 1);
  }
  /// The bits of a ballot, for at most 64 lanes.
  Value* fromBallot(Value* ballot) {
    const auto element = [&](std::uint64_t i) {
      return builder_.CreateZExt(builder_.CreateExtractElement(ballot, i), i64());
    };
    return builder_.CreateOr(element(0), builder_.CreateShl(element(1), 32));
  }
  Value* count(Value* bits) { return narrow(builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits)); }

  /// Lowers the functions of cl_khr_subgroup_ballot.
  Value* ballots() {
    if (name_ == "ballot") return toBallot(operation(Operation::Ballot, {truth(argument(0))}));
    if (name_ == "inverse_ballot")
      return asInt(builder_.CreateTrunc(builder_.CreateLShr(fromBallot(argument(0)), laneId()), builder_.getInt1Ty()));
    if (!name_.consume_front("ballot_")) return nullptr;
    if (name_ == "bit_extract") {
      Value* index = builder_.CreateAnd(argument(1), 127);
      Value* word = builder_.CreateExtractElement(argument(0), builder_.CreateLShr(index, 5));
      return builder_.CreateAnd(builder_.CreateLShr(word, builder_.CreateAnd(index, 31)), 1);
    }
    Value* bits = builder_.CreateAnd(fromBallot(argument(0)), everyone());
    Value* before = builder_.CreateNot(builder_.CreateShl(builder_.getInt64(~0ULL), laneId()));
    if (name_ == "bit_count") return count(bits);
    if (name_ == "exclusive_scan") return count(builder_.CreateAnd(bits, before));
    if (name_ == "inclusive_scan") {
      Value* own = builder_.CreateShl(builder_.getInt64(1), laneId());
      return count(builder_.CreateAnd(bits, builder_.CreateOr(before, own)));
    }
    const auto zeros = [&](llvm::Intrinsic::ID id) {
      return narrow(builder_.CreateBinaryIntrinsic(id, bits, builder_.getFalse()));
    };
    if (name_ == "find_lsb") return zeros(llvm::Intrinsic::cttz);
    if (name_ == "find_msb") return builder_.CreateSub(builder_.getInt32(63), zeros(llvm::Intrinsic::ctlz));
    return nullptr;
  }

  Value* votes() {
    StringRef name = name_;
    name.consume_front("non_uniform_");
    if (name == "all") return asInt(all(truth(argument(0))));
    if (name == "any")
      return asInt(operation(Operation::Reduce, {truth(argument(0)), builder_.getInt32(0)}, Combination::Or));
    if (name == "elect") return asInt(builder_.CreateICmpEQ(lane(), operation(Operation::First, {lane()})));
    if (name == "all_equal") {
      Value *value = argument(0), *first = operation(Operation::First, {value});
      return asInt(all(value->getType()->isFPOrFPVectorTy() ? builder_.CreateFCmpOEQ(value, first)
                                                            : builder_.CreateICmpEQ(value, first)));
    }
    return nullptr;
  }

  Value* shuffle(Value* value, Value* from) { return operation(Operation::Shuffle, {value, from}); }

  Value* shuffles() {
    if (name_ == "broadcast" || name_ == "non_uniform_broadcast")
      return operation(Operation::Broadcast, {argument(0), argument(1)});
    if (name_ == "broadcast_first") return operation(Operation::First, {argument(0)});
    if (name_ == "shuffle") return shuffle(argument(0), argument(1));
    if (name_ == "shuffle_xor") return shuffle(argument(0), builder_.CreateXor(lane(), argument(1)));
    if (name_ == "shuffle_up") return shuffle(argument(0), builder_.CreateSub(lane(), argument(1)));
    if (name_ == "shuffle_down") return shuffle(argument(0), builder_.CreateAdd(lane(), argument(1)));
    if (name_ == "rotate") return rotate(narrow(size()));
    if (name_ == "clustered_rotate") return rotate(argument(2));
    return nullptr;
  }

  /// Rotates within clusters of this many lanes, a power of two.
  Value* rotate(Value* cluster) {
    Value* within = builder_.CreateSub(cluster, builder_.getInt32(1));
    Value* moved = builder_.CreateAnd(builder_.CreateAdd(lane(), argument(1)), within);
    return shuffle(argument(0), builder_.CreateOr(builder_.CreateAnd(lane(), builder_.CreateNot(within)), moved));
  }

  /// Shuffles from the concatenation of two values (cl_intel_subgroups).
  Value* shuffleOfTwo() {
    const bool goesDown = name_ == "shuffle_down";
    Value *near = argument(goesDown ? 0 : 1), *far = argument(goesDown ? 1 : 0);
    Value* from = goesDown ? builder_.CreateAdd(lane(), argument(2)) : builder_.CreateSub(lane(), argument(2));
    Value* isNear = builder_.CreateICmpULT(from, narrow(size()));
    return builder_.CreateSelect(isNear, shuffle(near, from), shuffle(far, from));
  }

  Value* arithmetic() {
    if (!name_.consume_front("clustered_")) name_.consume_front("non_uniform_");
    const bool isClustered = call_.arg_size() > 1;
    const auto which = name_.consume_front("reduce_")           ? Operation::Reduce
                       : name_.consume_front("scan_inclusive_") ? Operation::InclusiveScan
                       : name_.consume_front("scan_exclusive_") ? Operation::ExclusiveScan
                                                                : Operation::Barrier;
    if (which == Operation::Barrier) return nullptr;
    const bool isLogical = name_.consume_front("logical_");
    const Combination combination = combinationOf(name_, element_);
    if (combination == Combination::None) return nullptr;
    llvm::SmallVector<Value*, 2> arguments = {isLogical ? truth(argument(0)) : argument(0)};
    if (which == Operation::Reduce) arguments.push_back(isClustered ? argument(1) : builder_.getInt32(0));
    Value* result = operation(which, arguments, combination);
    return isLogical ? asInt(result) : result;
  }

  Value* blockRead() {
    if (!argument(0)->getType()->isPointerTy()) return nullptr;
    return createBlockRead(builder_, *argument(0), call_.getType());
  }
  Value* blockWrite() {
    if (!argument(0)->getType()->isPointerTy()) return nullptr;
    // The builtin returns nothing; any value says that the call is lowered.
    return createBlockWrite(builder_, *argument(0), *argument(1));
  }

  llvm::CallInst& call_;
  StringRef name_;
  bool isOfActiveLanes_;
  char element_;
  llvm::IRBuilder<> builder_;
};

/// Builtins have mangled names and are declared only; functions of the program are defined.
bool isSubGroupFunction(const llvm::Function& function) {
  const StringRef name = builtinBaseName(function.getName());
  return function.isDeclaration() && name.size() != function.getName().size() &&
         (name.starts_with("sub_group_") || name.starts_with("intel_sub_group_") ||
          name.starts_with("get_sub_group_") || name == "get_max_sub_group_size" || name == "get_num_sub_groups" ||
          name == "get_enqueued_num_sub_groups");
}

/// Whether the function is clang's sub_group_reserve_read_pipe or similar. Their names are not mangled.
bool isSubGroupPipeFunction(const llvm::Function& function) {
  return function.isDeclaration() && function.getName().starts_with("__sub_group_") &&
         function.getName().ends_with("_pipe");
}

/// The program decides which sub-groups wait for each other at a named barrier (src/builtins/named_barrier.cl).
bool isNamedBarrierFunction(const llvm::Function& function) {
  return function.isDeclaration() && function.getName().starts_with("__named_barrier_");
}

bool dependsOnSubGroups(const llvm::Instruction& instruction) {
  if (const auto operation = matchSubGroupCall(&instruction)) return tellsSubGroups(operation->operation);
  const auto call = matchIntrinsic(&instruction);
  return call && (call->intrinsic == Intrinsic::SubGroupLane || call->intrinsic == Intrinsic::SubGroupWidth ||
                  call->intrinsic == Intrinsic::SubGroupBase);
}

/// The result of the operation in a sub-group of one work-item; null if it has none.
Value* ofOne(llvm::IRBuilder<>& builder, const llvm::CallInst& call, const SubGroupCall& what) {
  switch (what.operation) {
  case Operation::ExclusiveScan: return neutralElement(what.combination, call.getType());
  case Operation::Ballot: return builder.CreateZExt(call.getArgOperand(0), call.getType());
  case Operation::LiveCount: return builder.getInt32(1);
  case Operation::LiveRank: return builder.getInt32(0);
  case Operation::Barrier: createFence(builder, call); return nullptr;
  default: return call.getArgOperand(0);
  }
}

Value* ofOne(llvm::IRBuilder<>& builder, Intrinsic intrinsic) {
  switch (intrinsic) {
  case Intrinsic::SubGroupLane: return builder.getInt64(0);
  case Intrinsic::SubGroupWidth: return builder.getInt64(1);
  case Intrinsic::SubGroupBase: return createLinearLocalId(builder);
  default: return nullptr;
  }
}

} // namespace

bool asksForSubGroups(const llvm::Module& module) {
  return llvm::any_of(module, [](const llvm::Function& function) {
    return requiredSubGroupSize(function) != 0 ||
           ((isSubGroupFunction(function) || isSubGroupPipeFunction(function) || isNamedBarrierFunction(function)) &&
            !function.use_empty());
  });
}

llvm::PreservedAnalyses LowerSubGroupsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  bool changed = false;
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (!isSubGroupFunction(function)) continue;
    const StringRef name = builtinBaseName(function.getName());
    const StringRef parameters = function.getName().drop_front(name.data() + name.size() - function.getName().data());
    changed |= replaceCalls(function, [&](llvm::CallInst& call) {
      Value* result = Lowering(call, name, parameters).lower();
      if (result != nullptr && !call.getType()->isVoidTy()) call.replaceAllUsesWith(result);
      return result != nullptr; // Others are reported as undefined.
    });
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses MarkSubGroupsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  for (llvm::Function& function : module)
    if (isKernel(function) && !function.isDeclaration() &&
        (requiredSubGroupSize(function) != 0 || llvm::any_of(llvm::instructions(function), dependsOnSubGroups)))
      changeFacts(function, [](KernelFacts& facts) { facts.usesSubGroups = true; });
  return llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses SubGroupsOfOnePass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  bool changed = false;
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      if (!matchSubGroupCall(&instruction) && !dependsOnSubGroups(instruction)) continue;
      auto& call = llvm::cast<llvm::CallInst>(instruction);
      llvm::IRBuilder<> builder(&call);
      const auto operation = matchSubGroupCall(&call);
      Value* value = operation ? ofOne(builder, call, *operation) : ofOne(builder, matchIntrinsic(&call)->intrinsic);
      if (value != nullptr) call.replaceAllUsesWith(value);
      call.eraseFromParent();
      changed = true;
    }
  for (llvm::Function& function : llvm::make_early_inc_range(module))
    if (isSubGroupOperationName(function.getName()) && function.use_empty()) function.eraseFromParent();
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
