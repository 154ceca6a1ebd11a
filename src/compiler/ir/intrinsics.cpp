// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/intrinsics.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

struct Row {
  Intrinsic intrinsic;
  llvm::StringLiteral name;
  bool hasDimension;
};

constexpr Row kRows[] = {
    {Intrinsic::LocalId, "clotho.local_id", true},
    {Intrinsic::GlobalId, "clotho.global_id", true},
    {Intrinsic::GroupId, "clotho.group_id", true},
    {Intrinsic::GroupBase, "clotho.group_base", true},
    {Intrinsic::LocalSize, "clotho.local_size", true},
    {Intrinsic::EnqueuedSize, "clotho.enqueued_size", true},
    {Intrinsic::NumGroups, "clotho.num_groups", true},
    {Intrinsic::GlobalSize, "clotho.global_size", true},
    {Intrinsic::GlobalOffset, "clotho.global_offset", true},
    {Intrinsic::RowEnd, "clotho.row_end", false},
    {Intrinsic::FirstLane, "clotho.first_lane", false},
    {Intrinsic::LaneId, "clotho.lane_id", false},
    {Intrinsic::LaneCount, "clotho.lane_count", false},
    {Intrinsic::SubGroupLane, "clotho.sub_group_lane", false},
    {Intrinsic::SubGroupWidth, "clotho.sub_group_width", false},
    {Intrinsic::SubGroupBase, "clotho.sub_group_base", false},
    {Intrinsic::WorkDim, "clotho.work_dim", false},
    {Intrinsic::PrintfBuffer, "clotho.printf_buffer", false},
    {Intrinsic::LocalBegin, "clotho.local_begin", false},
    {Intrinsic::LocalEnd, "clotho.local_end", false},
    {Intrinsic::FrameBegin, "clotho.frame_begin", false},
    {Intrinsic::FrameEnd, "clotho.frame_end", false},
    {Intrinsic::StackBegin, "clotho.stack_begin", false},
    {Intrinsic::StackEnd, "clotho.stack_end", false},
    {Intrinsic::Enqueuing, "clotho.enqueuing", false},
    {Intrinsic::Checks, "clotho.checks", false},
    {Intrinsic::GroupChecks, "clotho.group_checks", false},
    {Intrinsic::Barrier, "clotho.barrier", false},
    {Intrinsic::Yield, "clotho.yield", false},
};

const Row* rowOf(llvm::StringRef name) {
  if (!name.starts_with("clotho.")) return nullptr;
  for (const Row& row : kRows)
    if (row.name == name) return &row;
  return nullptr;
}

llvm::Type* resultType(llvm::IRBuilderBase& builder, Intrinsic intrinsic) {
  switch (intrinsic) {
  case Intrinsic::WorkDim: return builder.getInt32Ty();
  case Intrinsic::PrintfBuffer:
  case Intrinsic::Checks: return builder.getPtrTy();
  case Intrinsic::Barrier:
  case Intrinsic::Yield: return builder.getVoidTy();
  default: return builder.getInt64Ty();
  }
}

const llvm::MDNode* requiredSize(const llvm::Function& function) {
  return function.getMetadata("reqd_work_group_size");
}

/// The required local size of all kernels that run the function; null if they differ, there is none, or the callers are
/// unknown. Clang and SPIR-V put a kernel's body into a function of its own. Other kernels may call it too, and then it
/// runs with their size.
const llvm::MDNode* sizeOfKernels(const llvm::Function& function, unsigned depth = 0) {
  constexpr unsigned kDepthLimit = 4;
  const llvm::MDNode* size = requiredSize(function);
  if (depth == kDepthLimit) return nullptr;
  for (const llvm::User* user : function.users()) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    const llvm::MDNode* ofCaller = call == nullptr ? nullptr : sizeOfKernels(*call->getFunction(), depth + 1);
    if (ofCaller == nullptr || (size != nullptr && size != ofCaller)) return nullptr;
    size = ofCaller;
  }
  return size;
}

/// Local ids and sizes fit into 31 bits, and below the required size, also in smaller work-groups. The range lets LLVM
/// remove conversions to int and back before they turn into masks.
void addRange(llvm::CallInst& call, Intrinsic intrinsic, unsigned dimension) {
  const bool isSize = intrinsic == Intrinsic::LocalSize || intrinsic == Intrinsic::EnqueuedSize;
  if (intrinsic != Intrinsic::LocalId && !isSize) return;
  const std::uint64_t begin = isSize ? 1 : 0;
  std::uint64_t end = std::uint64_t(1) << 31;
  const llvm::Function& function = *call.getFunction();
  if (const llvm::MDNode* size = sizeOfKernels(function))
    end = llvm::mdconst::extract<llvm::ConstantInt>(size->getOperand(dimension))->getZExtValue() + begin;
  if (begin < end) call.addRangeRetAttr(llvm::ConstantRange(llvm::APInt(64, begin), llvm::APInt(64, end)));
}

} // namespace

llvm::Value* createLinearLocalId(llvm::IRBuilderBase& builder) {
  llvm::Value* result = createIntrinsic(builder, Intrinsic::LocalId, 2);
  for (const unsigned i : {1U, 0U}) {
    llvm::Value* rows = builder.CreateMul(result, createIntrinsic(builder, Intrinsic::LocalSize, i), "", true, true);
    result = builder.CreateAdd(rows, createIntrinsic(builder, Intrinsic::LocalId, i), "", true, true);
  }
  return result;
}

bool isIntrinsicName(llvm::StringRef name) { return rowOf(name) != nullptr; }

std::optional<IntrinsicCall> matchIntrinsic(const llvm::Value* value) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(value);
  if (call == nullptr || call->getCalledFunction() == nullptr) return std::nullopt;
  const Row* row = rowOf(call->getCalledFunction()->getName());
  if (row == nullptr) return std::nullopt;
  const auto* dimension = row->hasDimension ? llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0)) : nullptr;
  return IntrinsicCall{row->intrinsic, dimension ? static_cast<unsigned>(dimension->getZExtValue()) : 0};
}

std::optional<IntrinsicCall> matchLowerBits(const llvm::Value* value) {
  const auto* trunc = llvm::dyn_cast<llvm::TruncInst>(value);
  return matchIntrinsic(trunc != nullptr ? trunc->getOperand(0) : value);
}

bool isIdOrSize(Intrinsic intrinsic) {
  switch (intrinsic) {
  case Intrinsic::LocalId:
  case Intrinsic::GlobalId:
  case Intrinsic::GroupId:
  case Intrinsic::GroupBase:
  case Intrinsic::LocalSize:
  case Intrinsic::EnqueuedSize:
  case Intrinsic::NumGroups:
  case Intrinsic::GlobalSize:
  case Intrinsic::GlobalOffset:
  case Intrinsic::WorkDim: return true;
  default: return false;
  }
}

bool isIntrinsic(const llvm::Value* value, Intrinsic intrinsic, unsigned dimension) {
  const auto call = matchIntrinsic(value);
  return call && call->intrinsic == intrinsic && call->dimension == dimension;
}

bool callsIntrinsic(const llvm::Function& function, Intrinsic intrinsic) {
  return llvm::any_of(llvm::instructions(function), [&](const llvm::Instruction& instruction) {
    const auto call = matchIntrinsic(&instruction);
    return call && call->intrinsic == intrinsic;
  });
}

bool waitsForOthers(const llvm::Function& function) {
  return callsIntrinsic(function, Intrinsic::Barrier) || callsIntrinsic(function, Intrinsic::Yield);
}

llvm::CallInst* createIntrinsic(llvm::IRBuilderBase& builder, Intrinsic intrinsic, unsigned dimension) {
  const Row& row = kRows[static_cast<unsigned>(intrinsic)];
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::SmallVector<llvm::Type*, 1> parameters;
  llvm::SmallVector<llvm::Value*, 1> arguments;
  if (row.hasDimension) {
    parameters.push_back(builder.getInt32Ty());
    arguments.push_back(builder.getInt32(dimension));
  }
  auto* type = llvm::FunctionType::get(resultType(builder, intrinsic), parameters, false);
  auto* function = llvm::cast<llvm::Function>(module.getOrInsertFunction(row.name, type).getCallee());
  function->setDoesNotThrow();
  const bool isSwitch = intrinsic == Intrinsic::Barrier || intrinsic == Intrinsic::Yield;
  if (isSwitch) {
    function->setConvergent();
  } else {
    function->setDoesNotAccessMemory();
    function->setWillReturn();
    function->addFnAttr(llvm::Attribute::Speculatable);
    function->addFnAttr(llvm::Attribute::NoSync);
    function->addFnAttr(llvm::Attribute::NoFree);
  }
  llvm::CallInst* call = builder.CreateCall(function, arguments);
  if (isSwitch) call->setConvergent();
  addRange(*call, intrinsic, dimension);
  return call;
}

} // namespace clotho::compiler
