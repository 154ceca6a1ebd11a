// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/check/group_phases.hpp"

#include "abi/checks.h"
#include "compiler/ir/group_facts.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/transform/check/checked_accesses.hpp"

#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace clotho::compiler {
namespace {

using llvm::IRBuilder;
using llvm::Value;

/// Phases of kernels that meet calls in loops.
constexpr std::uint64_t kLoopPhases = 1 << 14;

bool isGroupCall(const llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr || !callee->isDeclaration()) return false;
  const llvm::StringRef name = builtinName(callee->getName());
  return name == "barrier" || name.starts_with("work_group_") || name.starts_with("async_work_group_") ||
         name == "wait_group_events" || name == "intel_work_group_barrier_wait";
}

/// Whether no work-item of the group goes on behind the call before all have come to it.
bool isBarrier(const llvm::CallInst& call) {
  const llvm::StringRef name = builtinName(call.getCalledFunction()->getName());
  return name == "barrier" || name == "work_group_barrier";
}

} // namespace

std::vector<llvm::CallInst*> groupCallsOf(llvm::Function& kernel) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(kernel))
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction); call != nullptr && isGroupCall(*call))
      calls.push_back(call);
  return calls;
}

GroupPhases::GroupPhases(llvm::Function& kernel, llvm::ArrayRef<llvm::CallInst*> calls) : kernel_(kernel) {
  llvm::CycleInfo cycles; // programs may jump into loops
  cycles.compute(kernel);
  const bool isLoop =
      llvm::any_of(calls, [&](const llvm::CallInst* call) { return cycles.getCycle(call->getParent()) != nullptr; });
  count_ = isLoop ? kLoopPhases : calls.size() + 2;
  llvm::BasicBlock& entry = kernel.getEntryBlock();
  IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  counter_ = builder.CreateAlloca(builder.getInt64Ty(), nullptr, "phase");
  builder.CreateStore(builder.getInt64(0), counter_);
  begun_ = builder.CreateAlloca(builder.getInt64Ty(), nullptr, "begun");
  builder.CreateStore(builder.getInt64(0), begun_);
  Value* group = createIntrinsic(builder, Intrinsic::GroupId, 2);
  for (const unsigned dimension : {1U, 0U})
    group = builder.CreateAdd(builder.CreateMul(group, createIntrinsic(builder, Intrinsic::NumGroups, dimension)),
                              createIntrinsic(builder, Intrinsic::GroupId, dimension));
  Value* begin = loadConstant(builder, builder.getInt64Ty(), createIntrinsic(builder, Intrinsic::Checks),
                              offsetof(CheckedLaunch, firstPhase));
  first_ = builder.CreateAdd(begin, builder.CreateMul(group, builder.getInt64(count_)), "first_phase");
  for (llvm::CallInst* call : calls) {
    builder.SetInsertPoint(call->getParent(), std::next(call->getIterator()));
    Value* next = builder.CreateAdd(builder.CreateLoad(builder.getInt64Ty(), counter_), builder.getInt64(1));
    if (isLoop) next = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, next, builder.getInt64(count_ - 1));
    builder.CreateStore(next, counter_);
    if (isBarrier(*call)) builder.CreateStore(next, begun_);
  }
}

Value* GroupPhases::current(IRBuilder<>& builder) const {
  return builder.CreateAdd(first_, builder.CreateLoad(builder.getInt64Ty(), counter_));
}

Value* GroupPhases::begun(IRBuilder<>& builder) const {
  return builder.CreateAdd(first_, builder.CreateLoad(builder.getInt64Ty(), begun_));
}

Value* GroupPhases::isCounted(IRBuilder<>& builder) const {
  return builder.CreateICmpNE(builder.CreateLoad(builder.getInt64Ty(), counter_), builder.getInt64(count_ - 1));
}

void GroupPhases::promote() {
  llvm::DominatorTree dominators(kernel_);
  llvm::PromoteMemToReg({counter_, begun_}, dominators);
}

} // namespace clotho::compiler
