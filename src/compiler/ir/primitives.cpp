// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/primitives.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

struct Row {
  Primitive primitive;
  llvm::StringLiteral name;
  bool hasDimension;
};

constexpr Row kRows[] = {
    {Primitive::LocalId, "clotho.local_id", true},
    {Primitive::GlobalId, "clotho.global_id", true},
    {Primitive::GroupId, "clotho.group_id", true},
    {Primitive::GroupBase, "clotho.group_base", true},
    {Primitive::LocalSize, "clotho.local_size", true},
    {Primitive::EnqueuedSize, "clotho.enqueued_size", true},
    {Primitive::NumGroups, "clotho.num_groups", true},
    {Primitive::GlobalSize, "clotho.global_size", true},
    {Primitive::GlobalOffset, "clotho.global_offset", true},
    {Primitive::RowEnd, "clotho.row_end", false},
    {Primitive::FirstLane, "clotho.first_lane", false},
    {Primitive::LaneId, "clotho.lane_id", false},
    {Primitive::LaneCount, "clotho.lane_count", false},
    {Primitive::SubGroupLane, "clotho.sub_group_lane", false},
    {Primitive::SubGroupWidth, "clotho.sub_group_width", false},
    {Primitive::SubGroupBase, "clotho.sub_group_base", false},
    {Primitive::WorkDim, "clotho.work_dim", false},
    {Primitive::PrintfBuffer, "clotho.printf_buffer", false},
    {Primitive::LocalBegin, "clotho.local_begin", false},
    {Primitive::LocalEnd, "clotho.local_end", false},
    {Primitive::FrameBegin, "clotho.frame_begin", false},
    {Primitive::FrameEnd, "clotho.frame_end", false},
    {Primitive::StackBegin, "clotho.stack_begin", false},
    {Primitive::StackEnd, "clotho.stack_end", false},
    {Primitive::Barrier, "clotho.barrier", false},
    {Primitive::Yield, "clotho.yield", false},
};

const Row* rowOf(llvm::StringRef name) {
  if (!name.starts_with("clotho.")) return nullptr;
  for (const Row& row : kRows)
    if (row.name == name) return &row;
  return nullptr;
}

llvm::Type* resultType(llvm::IRBuilderBase& builder, Primitive primitive) {
  switch (primitive) {
  case Primitive::WorkDim: return builder.getInt32Ty();
  case Primitive::PrintfBuffer: return builder.getPtrTy();
  case Primitive::Barrier:
  case Primitive::Yield: return builder.getVoidTy();
  default: return builder.getInt64Ty();
  }
}

const llvm::MDNode* requiredSize(const llvm::Function& function) {
  return function.getMetadata("reqd_work_group_size");
}

/// Clang puts a kernel's body into a function of its own, which other kernels may call, too: those run with their size.
bool runsWith(const llvm::Function& body, const llvm::MDNode* size) {
  return llvm::all_of(body.users(), [&](const llvm::User* user) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    return call != nullptr && requiredSize(*call->getFunction()) == size;
  });
}

/// Local ids and sizes fit into 31 bits, and into the size that the kernel requires, also in work-groups that are
/// smaller: so conversions of them to int and back go away, before they can turn into masks.
void addRange(llvm::CallInst& call, Primitive primitive, unsigned dimension) {
  const bool isSize = primitive == Primitive::LocalSize || primitive == Primitive::EnqueuedSize;
  if (primitive != Primitive::LocalId && !isSize) return;
  const std::uint64_t begin = isSize ? 1 : 0;
  std::uint64_t end = std::uint64_t(1) << 31;
  const llvm::Function& function = *call.getFunction();
  if (const llvm::MDNode* size = requiredSize(function); size != nullptr && runsWith(function, size))
    end = llvm::mdconst::extract<llvm::ConstantInt>(size->getOperand(dimension))->getZExtValue() + begin;
  if (begin < end) call.addRangeRetAttr(llvm::ConstantRange(llvm::APInt(64, begin), llvm::APInt(64, end)));
}

} // namespace

llvm::Value* createLinearLocalId(llvm::IRBuilderBase& builder) {
  llvm::Value* result = createPrimitive(builder, Primitive::LocalId, 2);
  for (const unsigned i : {1U, 0U}) {
    llvm::Value* rows = builder.CreateMul(result, createPrimitive(builder, Primitive::LocalSize, i), "", true, true);
    result = builder.CreateAdd(rows, createPrimitive(builder, Primitive::LocalId, i), "", true, true);
  }
  return result;
}

bool isPrimitiveName(llvm::StringRef name) { return rowOf(name) != nullptr; }

std::optional<PrimitiveCall> matchPrimitive(const llvm::Value* value) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(value);
  if (call == nullptr || call->getCalledFunction() == nullptr) return std::nullopt;
  const Row* row = rowOf(call->getCalledFunction()->getName());
  if (row == nullptr) return std::nullopt;
  const auto* dimension = row->hasDimension ? llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0)) : nullptr;
  return PrimitiveCall{row->primitive, dimension ? static_cast<unsigned>(dimension->getZExtValue()) : 0};
}

bool isPrimitive(const llvm::Value* value, Primitive primitive, unsigned dimension) {
  const auto call = matchPrimitive(value);
  return call && call->primitive == primitive && call->dimension == dimension;
}

bool callsPrimitive(const llvm::Function& function, Primitive primitive) {
  return llvm::any_of(llvm::instructions(function), [&](const llvm::Instruction& instruction) {
    const auto call = matchPrimitive(&instruction);
    return call && call->primitive == primitive;
  });
}

llvm::CallInst* createPrimitive(llvm::IRBuilderBase& builder, Primitive primitive, unsigned dimension) {
  const Row& row = kRows[static_cast<unsigned>(primitive)];
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::SmallVector<llvm::Type*, 1> parameters;
  llvm::SmallVector<llvm::Value*, 1> arguments;
  if (row.hasDimension) {
    parameters.push_back(builder.getInt32Ty());
    arguments.push_back(builder.getInt32(dimension));
  }
  auto* type = llvm::FunctionType::get(resultType(builder, primitive), parameters, false);
  auto* function = llvm::cast<llvm::Function>(module.getOrInsertFunction(row.name, type).getCallee());
  function->setDoesNotThrow();
  const bool isSwitch = primitive == Primitive::Barrier || primitive == Primitive::Yield;
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
  addRange(*call, primitive, dimension);
  return call;
}

} // namespace clotho::compiler
