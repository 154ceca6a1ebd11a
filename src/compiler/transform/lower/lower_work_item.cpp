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
Value* isLocal(IRBuilder<>& builder, Value* address) {
  Value* bytes = distance(builder, createIntrinsic(builder, Intrinsic::LocalEnd), Intrinsic::LocalBegin);
  return builder.CreateICmpULE(distance(builder, address, Intrinsic::LocalBegin), bytes);
}

/// Whether the address is of private memory. What lives across barriers is in the frame; all else is on the stack, and
/// nothing of a kernel's ends where its stack does.
Value* isPrivate(IRBuilder<>& builder, Value* address) {
  Value* stack = distance(builder, createIntrinsic(builder, Intrinsic::StackEnd), Intrinsic::StackBegin);
  Value* inStack = builder.CreateICmpULT(distance(builder, address, Intrinsic::StackBegin), stack);
  Value* frame = distance(builder, createIntrinsic(builder, Intrinsic::FrameEnd), Intrinsic::FrameBegin);
  return builder.CreateOr(inStack, builder.CreateICmpULE(distance(builder, address, Intrinsic::FrameBegin), frame));
}

enum class Builtin {
  None,
  WorkDim,
  GlobalSize,
  GlobalId,
  LocalSize,
  EnqueuedLocalSize,
  LocalId,
  NumGroups,
  GroupId,
  GlobalOffset,
  GlobalLinearId,
  LocalLinearId,
  IsLocal,
  IsPrivate,
  Enqueuing,
  Barrier,
  Arrival,
  Yield,
};

Builtin builtinOf(llvm::StringRef name) {
  return llvm::StringSwitch<Builtin>(name)
      .Case("_Z12get_work_dimv", Builtin::WorkDim)
      .Case("_Z15get_global_sizej", Builtin::GlobalSize)
      .Case("_Z13get_global_idj", Builtin::GlobalId)
      .Case("_Z14get_local_sizej", Builtin::LocalSize)
      .Case("_Z23get_enqueued_local_sizej", Builtin::EnqueuedLocalSize)
      .Case("_Z12get_local_idj", Builtin::LocalId)
      .Case("_Z14get_num_groupsj", Builtin::NumGroups)
      .Case("_Z12get_group_idj", Builtin::GroupId)
      .Case("_Z17get_global_offsetj", Builtin::GlobalOffset)
      .Case("_Z20get_global_linear_idv", Builtin::GlobalLinearId)
      .Case("_Z19get_local_linear_idv", Builtin::LocalLinearId)
      // Functions that only the library calls (src/builtins/generic_pointers.cl, device_queue.cl): no program can spell
      // the names.
      .Case("clotho.get_is_local", Builtin::IsLocal)
      .Case("clotho.get_is_private", Builtin::IsPrivate)
      .Case("clotho.get_enqueuing", Builtin::Enqueuing)
      // The library calls it while a named barrier waits (src/builtins/named_barrier.cl).
      .Case("clotho.let_others_run", Builtin::Yield)
      .Cases({"_Z7barrierj", "_Z18work_group_barrierj", "_Z18work_group_barrierj12memory_scope",
              "_Z29intel_work_group_barrier_waitj", "_Z29intel_work_group_barrier_waitj12memory_scope"},
             Builtin::Barrier)
      .Cases({"_Z31intel_work_group_barrier_arrivej", "_Z31intel_work_group_barrier_arrivej12memory_scope"},
             Builtin::Arrival)
      .Default(Builtin::None);
}

Value* lower(Builtin builtin, llvm::CallInst& call) {
  IRBuilder<> builder(&call);
  switch (builtin) {
  case Builtin::None: return nullptr;
  case Builtin::WorkDim: return createIntrinsic(builder, Intrinsic::WorkDim);
  case Builtin::GlobalSize: return query(builder, call.getArgOperand(0), plain<Intrinsic::GlobalSize>, 1);
  case Builtin::GlobalId: return query(builder, call.getArgOperand(0), plain<Intrinsic::GlobalId>, 0);
  case Builtin::LocalSize: return query(builder, call.getArgOperand(0), plain<Intrinsic::LocalSize>, 1);
  case Builtin::EnqueuedLocalSize: return query(builder, call.getArgOperand(0), plain<Intrinsic::EnqueuedSize>, 1);
  case Builtin::LocalId: return query(builder, call.getArgOperand(0), plain<Intrinsic::LocalId>, 0);
  case Builtin::NumGroups: return query(builder, call.getArgOperand(0), plain<Intrinsic::NumGroups>, 1);
  case Builtin::GroupId: return query(builder, call.getArgOperand(0), plain<Intrinsic::GroupId>, 0);
  case Builtin::GlobalOffset: return query(builder, call.getArgOperand(0), plain<Intrinsic::GlobalOffset>, 0);
  case Builtin::GlobalLinearId: return linearId(builder, globalIdWithoutOffset, plain<Intrinsic::GlobalSize>);
  case Builtin::LocalLinearId: return linearId(builder, plain<Intrinsic::LocalId>, plain<Intrinsic::LocalSize>);
  case Builtin::IsLocal: return isLocal(builder, call.getArgOperand(0));
  case Builtin::IsPrivate: return isPrivate(builder, call.getArgOperand(0));
  case Builtin::Enqueuing: return createIntrinsic(builder, Intrinsic::Enqueuing);
  case Builtin::Barrier: return lowerBarrier(builder, call);
  case Builtin::Arrival: return lowerArrival(builder, call);
  case Builtin::Yield: createIntrinsic(builder, Intrinsic::Yield); return nullptr;
  }
  return nullptr;
}

} // namespace

llvm::PreservedAnalyses LowerWorkItemPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  bool changed = false;
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (!function.isDeclaration()) continue;
    const Builtin builtin = builtinOf(function.getName());
    if (builtin == Builtin::None) continue;
    changed |= replaceCalls(function, [&](llvm::CallInst& call) {
      if (Value* result = lower(builtin, call)) call.replaceAllUsesWith(result);
      return true;
    });
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
