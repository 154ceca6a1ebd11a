// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/lower/lower_work_item.hpp"

#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/replace_calls.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

using llvm::IRBuilder;
using llvm::Value;

using Query = Value* (*)(IRBuilder<>&, unsigned dimension);

template <Intrinsic P> Value* plain(IRBuilder<>& builder, unsigned dimension) {
  return createIntrinsic(builder, P, dimension);
}

/// Queries the dimension, or returns `outOfRange` if it does not exist (OpenCL C, section 6.15.1).
Value* query(IRBuilder<>& builder, Value* dimension, Query ask, std::uint64_t outOfRange) {
  Value* otherwise = builder.getInt64(outOfRange);
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(dimension)) {
    const std::uint64_t index = constant->getZExtValue();
    return index < 3 ? ask(builder, static_cast<unsigned>(index)) : otherwise;
  }
  Value* result = otherwise;
  for (unsigned i = 0; i < 3; ++i)
    result = builder.CreateSelect(builder.CreateICmpEQ(dimension, builder.getInt32(i)), ask(builder, i), result);
  return result;
}

/// Emits x + size(0) * (y + size(1) * z).
Value* linearId(IRBuilder<>& builder, Query id, Query size) {
  Value* result = id(builder, 2);
  for (int i = 1; i >= 0; --i)
    result = builder.CreateAdd(builder.CreateMul(result, size(builder, i)), id(builder, i));
  return result;
}

Value* globalIdWithoutOffset(IRBuilder<>& builder, unsigned dimension) {
  return builder.CreateSub(createIntrinsic(builder, Intrinsic::GlobalId, dimension),
                           createIntrinsic(builder, Intrinsic::GlobalOffset, dimension));
}

/// Whether a barrier orders memory beyond its work-group.
bool isWide(const llvm::CallInst& barrier) {
  if (barrier.arg_size() < 2) return false;
  constexpr std::uint64_t kScopeWorkItem = 0, kScopeWorkGroup = 1;
  const auto* scope = llvm::dyn_cast<llvm::ConstantInt>(barrier.getArgOperand(1));
  return scope == nullptr || (scope->getZExtValue() != kScopeWorkItem && scope->getZExtValue() != kScopeWorkGroup);
}

/// One thread runs all work-items of a work-group, so the barrier itself orders them; a wider scope needs a fence.
Value* lowerBarrier(IRBuilder<>& builder, const llvm::CallInst& call) {
  createIntrinsic(builder, Intrinsic::Barrier);
  if (isWide(call)) builder.CreateFence(llvm::AtomicOrdering::AcquireRelease);
  return nullptr;
}

/// Lowers the arrive half of a split barrier. Work-items wait in the other half, which orders the work-group's memory
/// for both. A wider scope needs a fence here too (cl_intel_split_work_group_barrier, issue 4).
Value* lowerArrival(IRBuilder<>& builder, const llvm::CallInst& call) {
  if (isWide(call)) builder.CreateFence(llvm::AtomicOrdering::Release);
  return nullptr;
}

Value* distance(IRBuilder<>& builder, Value* address, Intrinsic begin) {
  return builder.CreateSub(address, createIntrinsic(builder, begin));
}

/// Whether the address is of the work-group's local memory. One past the end is still a pointer to the memory. One
/// comparison is for both sides: below the beginning is far above.
Value* isLocal(IRBuilder<>& builder, const llvm::CallInst& call) {
  Value* bytes = distance(builder, createIntrinsic(builder, Intrinsic::LocalEnd), Intrinsic::LocalBegin);
  return builder.CreateICmpULE(distance(builder, call.getArgOperand(0), Intrinsic::LocalBegin), bytes);
}

/// Whether the address is of private memory. What lives across barriers is in the frame; all else is on the stack, and
/// nothing of a kernel's ends where its stack does.
Value* isPrivate(IRBuilder<>& builder, const llvm::CallInst& call) {
  Value* address = call.getArgOperand(0);
  Value* stack = distance(builder, createIntrinsic(builder, Intrinsic::StackEnd), Intrinsic::StackBegin);
  Value* inStack = builder.CreateICmpULT(distance(builder, address, Intrinsic::StackBegin), stack);
  Value* frame = distance(builder, createIntrinsic(builder, Intrinsic::FrameEnd), Intrinsic::FrameBegin);
  return builder.CreateOr(inStack, builder.CreateICmpULE(distance(builder, address, Intrinsic::FrameBegin), frame));
}

using Lower = Value* (*)(IRBuilder<>&, const llvm::CallInst&);

/// Lowers a query of a dimension, which is the call's argument.
template <Intrinsic P, std::uint64_t outOfRange> Value* ask(IRBuilder<>& builder, const llvm::CallInst& call) {
  return query(builder, call.getArgOperand(0), plain<P>, outOfRange);
}

Value* globalLinearId(IRBuilder<>& builder, const llvm::CallInst&) {
  return linearId(builder, globalIdWithoutOffset, plain<Intrinsic::GlobalSize>);
}

Value* localLinearId(IRBuilder<>& builder, const llvm::CallInst&) {
  return linearId(builder, plain<Intrinsic::LocalId>, plain<Intrinsic::LocalSize>);
}

template <Intrinsic P> Value* askForAll(IRBuilder<>& builder, const llvm::CallInst&) {
  return createIntrinsic(builder, P);
}

/// Null for other functions.
Lower loweringOf(llvm::StringRef name) {
  return llvm::StringSwitch<Lower>(name)
      .Case("_Z12get_work_dimv", askForAll<Intrinsic::WorkDim>)
      .Case("_Z15get_global_sizej", ask<Intrinsic::GlobalSize, 1>)
      .Case("_Z13get_global_idj", ask<Intrinsic::GlobalId, 0>)
      .Case("_Z14get_local_sizej", ask<Intrinsic::LocalSize, 1>)
      .Case("_Z23get_enqueued_local_sizej", ask<Intrinsic::EnqueuedSize, 1>)
      .Case("_Z12get_local_idj", ask<Intrinsic::LocalId, 0>)
      .Case("_Z14get_num_groupsj", ask<Intrinsic::NumGroups, 1>)
      .Case("_Z12get_group_idj", ask<Intrinsic::GroupId, 0>)
      .Case("_Z17get_global_offsetj", ask<Intrinsic::GlobalOffset, 0>)
      .Case("_Z20get_global_linear_idv", globalLinearId)
      .Case("_Z19get_local_linear_idv", localLinearId)
      // Functions that only the library calls (src/builtins/generic_pointers.cl, device_queue.cl): no program can spell
      // the names.
      .Case("clotho.get_is_local", isLocal)
      .Case("clotho.get_is_private", isPrivate)
      .Case("clotho.get_enqueuing", askForAll<Intrinsic::Enqueuing>)
      // The library calls it while a named barrier waits (src/builtins/named_barrier.cl).
      .Case("clotho.let_others_run", askForAll<Intrinsic::Yield>)
      .Cases({"_Z7barrierj", "_Z18work_group_barrierj", "_Z18work_group_barrierj12memory_scope",
              "_Z29intel_work_group_barrier_waitj", "_Z29intel_work_group_barrier_waitj12memory_scope"},
             lowerBarrier)
      .Cases({"_Z31intel_work_group_barrier_arrivej", "_Z31intel_work_group_barrier_arrivej12memory_scope"},
             lowerArrival)
      .Default(nullptr);
}

} // namespace

llvm::PreservedAnalyses LowerWorkItemPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  bool changed = false;
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (!function.isDeclaration()) continue;
    const Lower lower = loweringOf(function.getName());
    if (lower == nullptr) continue;
    changed |= replaceCalls(function, [&](llvm::CallInst& call) {
      IRBuilder<> builder(&call);
      Value* result = lower(builder, call);
      if (!call.getType()->isVoidTy()) call.replaceAllUsesWith(result);
      return true;
    });
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
