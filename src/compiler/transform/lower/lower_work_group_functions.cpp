// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/lower/lower_work_group_functions.hpp"

#include "compiler/builtins/properties.hpp"
#include "compiler/ir/group_results.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/marks.hpp"
#include "compiler/ir/replace_calls.hpp"
#include "compiler/ir/sub_group_operations.hpp"
#include "compiler/transform/lower/builtin_names.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace clotho::compiler {
namespace {

using llvm::StringRef;
using llvm::Value;
using Operation = SubGroupOperation;

constexpr unsigned kLocalSpace = 3;

/// Creates a local variable. Each call has its own.
llvm::GlobalVariable* createVariable(llvm::Module& module, llvm::Type* type, const char* name) {
  return new llvm::GlobalVariable(module, type, /*isConstant=*/false, llvm::GlobalValue::InternalLinkage,
                                  llvm::PoisonValue::get(type), name, nullptr, llvm::GlobalValue::NotThreadLocal,
                                  kLocalSpace);
}

class Lowering {
 public:
  Lowering(llvm::CallInst& call, SubGroupOrder order) : call_(call), order_(order), builder_(&call) {}

  /// Returns null if the function is not a known one.
  Value* lower(StringRef name, char element) {
    if (name == "broadcast") return broadcast();
    if (name == "all") return vote(Combination::And);
    if (name == "any") return vote(Combination::Or);
    const bool isReduction = name.consume_front("reduce_"), isInclusive = name.consume_front("scan_inclusive_");
    if (!isReduction && !isInclusive && !name.consume_front("scan_exclusive_")) return nullptr;
    const bool isLogical = name.consume_front("logical_");
    const Combination combination = combinationOf(name, element);
    if (combination == Combination::None) return nullptr;
    Value* value = isLogical ? truth() : call_.getArgOperand(0);
    const Operation which = isReduction   ? Operation::Reduce
                            : isInclusive ? Operation::InclusiveScan
                                          : Operation::ExclusiveScan;
    Value* result = combineAll(value, combination, which);
    return isLogical ? builder_.CreateAnd(result, 1) : result;
  }

 private:
  void barrier() { createIntrinsic(builder_, Intrinsic::Barrier); }
  Value* base() { return createIntrinsic(builder_, Intrinsic::SubGroupBase); }
  Value* isFirst() { return builder_.CreateICmpEQ(base(), builder_.getInt64(0)); }
  Value* operation(Operation which, llvm::ArrayRef<Value*> arguments, Combination combination = Combination::None) {
    llvm::CallInst* call = createSubGroupCall(builder_, {which, combination}, arguments);
    if (order_ == SubGroupOrder::AtOnce && which != Operation::Broadcast)
      call->addFnAttr(llvm::Attribute::get(call->getContext(), kWholeWarps));
    return call;
  }
  Value* ofSubGroup(Value* value, Combination combination) {
    return operation(Operation::Reduce, {value, builder_.getInt32(0)}, combination);
  }
  llvm::GlobalVariable* slot(llvm::Type* type) { return createVariable(*call_.getModule(), type, kSlotPrefix); }
  llvm::GlobalVariable* result(llvm::Type* type) { return createVariable(*call_.getModule(), type, kResultPrefix); }

  Value* combineAll(Value* value, Combination combination, Operation which) {
    if (order_ == SubGroupOrder::AtOnce) return combineAtOnce(value, combination, which);
    return which == Operation::Reduce ? reduce(value, combination) : scan(value, combination, which);
  }

  Value* reduce(Value* value, Combination combination) {
    llvm::Type* type = value->getType();
    llvm::GlobalVariable *soFar = slot(type), *all = result(type);
    barrier(); // others may still read what an earlier call has left
    Value* own = ofSubGroup(value, combination);
    Value* before = builder_.CreateLoad(type, soFar);
    Value* sum = builder_.CreateSelect(isFirst(), own, combine(builder_, combination, before, own));
    builder_.CreateStore(sum, soFar);
    builder_.CreateStore(sum, all);
    barrier();
    return builder_.CreateLoad(type, all);
  }

  Value* scan(Value* value, Combination combination, Operation which) {
    llvm::Type* type = value->getType();
    llvm::GlobalVariable* memory = slot(type);
    barrier();
    Value* before =
        builder_.CreateSelect(isFirst(), neutralElement(combination, type), builder_.CreateLoad(type, memory));
    Value* all = combine(builder_, combination, before, ofSubGroup(value, combination));
    builder_.CreateStore(all, memory);
    return combine(builder_, combination, before, operation(which, {value}, combination));
  }

  /// The predicate as 0 or 1.
  Value* truth() {
    Value* value = call_.getArgOperand(0);
    Value* isTrue = builder_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
    return builder_.CreateZExt(isTrue, builder_.getInt32Ty());
  }

  Value* vote(Combination combination) { return combineAll(truth(), combination, Operation::Reduce); }

  /// Each warp stores the combination of its work-items' values, its part. The first warp combines the parts: all of
  /// them, or for a scan those before each. No barrier is needed at the end: the first warp has read `parts` before
  /// this call's second barrier, and a later call writes `results` only after its own first barrier.
  Value* combineAtOnce(Value* value, Combination combination, Operation which) {
    constexpr unsigned kMostParts = 32;
    llvm::Type* type = value->getType();
    auto* array = llvm::ArrayType::get(type, kMostParts);
    llvm::GlobalVariable *parts = slot(array), *results = result(array);
    const auto element = [&](llvm::GlobalVariable* variable, Value* index) {
      return builder_.CreateInBoundsGEP(array, variable, {builder_.getInt64(0), index});
    };
    Value* lane = createIntrinsic(builder_, Intrinsic::LaneId);
    Value* width = createIntrinsic(builder_, Intrinsic::LaneCount);
    Value* number = builder_.CreateUDiv(createLinearLocalId(builder_), width);
    Value* own = ofSubGroup(value, combination);
    Value* scanned = which == Operation::Reduce ? nullptr : operation(which, {value}, combination);
    const auto inBlock = [&](Value* condition, auto&& emit) {
      llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(condition, &call_, /*Unreachable=*/false);
      builder_.SetInsertPoint(end);
      emit();
      builder_.SetInsertPoint(&call_);
    };
    inBlock(builder_.CreateICmpEQ(lane, builder_.getInt64(0)),
            [&] { builder_.CreateStore(own, element(parts, number)); });
    barrier();
    inBlock(builder_.CreateICmpEQ(number, builder_.getInt64(0)), [&] {
      Value* items = createIntrinsic(builder_, Intrinsic::LocalSize, 0);
      for (unsigned i = 1; i < 3; ++i)
        items = builder_.CreateMul(items, createIntrinsic(builder_, Intrinsic::LocalSize, i), "", true, true);
      Value* lastItem = builder_.CreateSub(items, builder_.getInt64(1));
      Value* exists = builder_.CreateICmpULE(lane, builder_.CreateUDiv(lastItem, width));
      Value* part = builder_.CreateSelect(exists, builder_.CreateLoad(type, element(parts, lane)),
                                          neutralElement(combination, type));
      Value* combined = which == Operation::Reduce ? ofSubGroup(part, combination)
                                                   : operation(Operation::ExclusiveScan, {part}, combination);
      builder_.CreateStore(combined, element(results, lane));
    });
    barrier();
    if (which == Operation::Reduce) return builder_.CreateLoad(type, element(results, builder_.getInt64(0)));
    return combine(builder_, combination, builder_.CreateLoad(type, element(results, number)), scanned);
  }

  /// Broadcasts the value of one work-item, given by as many local ids as the launch has dimensions.
  Value* broadcast() {
    Value* value = call_.getArgOperand(0);
    llvm::Type* type = value->getType();
    Value* linear = builder_.getInt64(0);
    for (unsigned i = call_.arg_size() - 1; i > 0; --i) {
      linear = builder_.CreateMul(linear, createIntrinsic(builder_, Intrinsic::LocalSize, i - 1));
      linear = builder_.CreateAdd(linear, call_.getArgOperand(i));
    }
    llvm::GlobalVariable* memory = result(type);
    barrier(); // others may still read what an earlier call has left
    Value* lane = builder_.CreateSub(linear, base());
    Value* isHere = builder_.CreateICmpULT(lane, createIntrinsic(builder_, Intrinsic::SubGroupWidth));
    llvm::Instruction* ownersEnd = llvm::SplitBlockAndInsertIfThen(isHere, &call_, /*Unreachable=*/false);
    builder_.SetInsertPoint(ownersEnd);
    Value* found = operation(Operation::Broadcast, {value, builder_.CreateTrunc(lane, builder_.getInt32Ty())});
    builder_.CreateStore(found, memory);
    builder_.SetInsertPoint(&call_);
    barrier();
    return builder_.CreateLoad(type, memory);
  }

  llvm::CallInst& call_;
  SubGroupOrder order_;
  llvm::IRBuilder<> builder_;
};

} // namespace

llvm::PreservedAnalyses LowerWorkGroupFunctionsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  bool changed = false;
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    StringRef name = builtinBaseName(function.getName());
    // Builtins have mangled names and are declared only; functions of the program are defined.
    if (!function.isDeclaration() || name.size() == function.getName().size()) continue;
    const char element = elementCode(function.getName().drop_front(name.end() - function.getName().begin()));
    if (!name.consume_front("work_group_")) continue;
    changed |= replaceCalls(function, [&](llvm::CallInst& call) {
      Value* result = Lowering(call, order_).lower(name, element);
      if (result != nullptr) call.replaceAllUsesWith(result);
      return result != nullptr; // Others are barriers, or reported as undefined.
    });
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
