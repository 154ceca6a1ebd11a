// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/check/pointer_extents.hpp"

#include "abi/checks.h"
#include "compiler/ir/group_facts.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/sub_group_operations.hpp"
#include "compiler/transform/check/kept_functions.hpp"
#include "compiler/transform/check/known_pointers.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/Utils/Local.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Operator.h>

namespace clotho::compiler {
namespace {

using llvm::IRBuilder;
using llvm::Value;

constexpr unsigned kLocalSpace = 3;

/// Whether the pointer is that of `__to_global` or the like: a generic one, or null if it is to memory of another
/// space.
bool isNamedSpace(const Value& pointer) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&pointer);
  if (call == nullptr || call->getCalledFunction() == nullptr || call->arg_size() != 1 ||
      !call->getType()->isPointerTy() || !call->getArgOperand(0)->getType()->isPointerTy())
    return false;
  const llvm::StringRef name = call->getCalledFunction()->getName();
  return name == "__to_global" || name == "__to_local" || name == "__to_private";
}

/// The pointer that this one is computed from; null if it is an object, or computed in another way.
Value* sourceOf(const Value& pointer) {
  if (const auto* address = llvm::dyn_cast<llvm::GEPOperator>(&pointer))
    return const_cast<Value*>(address->getPointerOperand());
  if (const auto* cast = llvm::dyn_cast<llvm::Operator>(&pointer);
      cast != nullptr &&
      (cast->getOpcode() == llvm::Instruction::AddrSpaceCast || cast->getOpcode() == llvm::Instruction::BitCast))
    return cast->getOperand(0)->getType()->isPointerTy() ? cast->getOperand(0) : nullptr;
  if (const auto* frozen = llvm::dyn_cast<llvm::FreezeInst>(&pointer)) return frozen->getOperand(0);
  if (isNamedSpace(pointer) || isOfFirstLane(pointer)) return llvm::cast<llvm::CallInst>(pointer).getArgOperand(0);
  return nullptr;
}

/// Bytes of a variable; nothing if they are not known.
std::optional<std::uint64_t> bytesOf(const Value& object, const llvm::DataLayout& layout) {
  if (const auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&object)) {
    const auto size = memory->getAllocationSize(layout);
    return size ? std::optional(size->getFixedValue()) : std::nullopt;
  }
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&object))
    return layout.getTypeAllocSize(variable->getValueType()).getFixedValue();
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(&object); argument != nullptr && argument->hasByValAttr())
    return layout.getTypeAllocSize(argument->getParamByValType()).getFixedValue();
  if (llvm::isa<llvm::ConstantPointerNull>(object)) return 0;
  return std::nullopt;
}

/// The address space of a pointer's memory; the generic one if it may be one of several.
unsigned spaceOf(const Value& pointer, const llvm::SmallPtrSetImpl<Value*>& objects) {
  constexpr unsigned kGenericSpace = 4;
  const unsigned space = pointer.getType()->getPointerAddressSpace();
  if (space != kGenericSpace) return space;
  std::optional<unsigned> common;
  for (const Value* object : objects) {
    if (llvm::isa<llvm::ConstantPointerNull>(object)) continue;
    const unsigned its = object->getType()->getPointerAddressSpace();
    if (common && *common != its) return kGenericSpace;
    common = its;
  }
  return common.value_or(kGenericSpace);
}

/// The place behind an instruction that computes a value.
llvm::BasicBlock::iterator placeBehind(llvm::Instruction& instruction) {
  return llvm::isa<llvm::PHINode>(instruction) ? instruction.getParent()->getFirstInsertionPt()
                                               : std::next(instruction.getIterator());
}

} // namespace

bool isOfFirstLane(const Value& pointer) {
  const auto operation = matchSubGroupCall(&pointer);
  return operation && operation->operation == SubGroupOperation::First;
}

PointerExtents::PointerExtents(llvm::Function& kernel)
    : kernel_(kernel), isKernel_(isKernel(kernel)),
      entry_(&kernel.getEntryBlock(), kernel.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()) {}

/// Whether it is a parameter of which a function that is kept knows the extent.
bool PointerExtents::isKeptPointer(const Value& pointer) const {
  return llvm::any_of(keptPointers(kernel_),
                      [&](const KeptPointer& its) { return kernel_.getArg(its.parameter) == &pointer; });
}

/// Finds the objects that a pointer may be to; false if some are not known.
bool PointerExtents::findObjects(Value* pointer, llvm::SmallPtrSetImpl<Value*>& objects) const {
  llvm::SmallPtrSet<Value*, 8> seen;
  llvm::SmallVector<Value*, 8> open = {pointer};
  while (!open.empty()) {
    Value* next = open.pop_back_val();
    if (!seen.insert(next).second) continue;
    if (Value* source = sourceOf(*next)) {
      open.push_back(source);
    } else if (auto* phi = llvm::dyn_cast<llvm::PHINode>(next)) {
      open.append(phi->value_op_begin(), phi->value_op_end());
    } else if (auto* select = llvm::dyn_cast<llvm::SelectInst>(next)) {
      open.append({select->getTrueValue(), select->getFalseValue()});
    } else if (bytesOf(*next, kernel_.getDataLayout()) ||
               (llvm::isa<llvm::Argument>(next) && (isKernel_ || isKeptPointer(*next)))) {
      objects.insert(next);
    } else {
      return false;
    }
  }
  return true;
}

llvm::SmallPtrSet<Value*, 4> PointerExtents::objectsOf(Value* pointer) const {
  llvm::SmallPtrSet<Value*, 4> objects;
  if (!pointer->getType()->isPointerTy() || !findObjects(pointer, objects)) objects.clear();
  return objects;
}

std::optional<PointerExtent> PointerExtents::of(Value* pointer) {
  const llvm::SmallPtrSet<Value*, 4> objects = objectsOf(pointer);
  if (objects.empty()) return std::nullopt;
  PointerExtent extent = make(pointer);
  extent.object = objects.size() == 1 ? *objects.begin() : nullptr;
  extent.space = spaceOf(*pointer, objects);
  return extent;
}

/// Loads of what the launch passes for an argument. A launch does not change it.
PointerExtent PointerExtents::ofArgument(llvm::Argument& argument) {
  if (!isKernel_) {
    if (const auto noted = notedExtent(argument))
      return {entry_.getInt64(static_cast<std::uint64_t>(noted->offset)), entry_.getInt64(noted->size),
              entry_.getInt64(0), &argument, 0};
    for (const auto& [parameter, at] : keptPointers(kernel_))
      if (parameter == argument.getArgNo())
        return {kernel_.getArg(at), kernel_.getArg(at + 1), entry_.getInt64(0), &argument, 0};
  }
  Value* launch = createIntrinsic(entry_, Intrinsic::Checks);
  const std::uint64_t first = offsetof(CheckedLaunch, arguments) + sizeof(CheckedArgument) * argument.getArgNo();
  const auto field = [&](std::uint64_t offset) {
    return loadConstant(entry_, entry_.getInt64Ty(), launch, first + offset);
  };
  const bool isLocal = argument.getType()->getPointerAddressSpace() == kLocalSpace;
  return {field(offsetof(CheckedArgument, before)), field(offsetof(CheckedArgument, size)),
          isLocal ? distanceInLocal(argument) : field(offsetof(CheckedArgument, cells)), &argument, 0};
}

Value* PointerExtents::distanceInLocal(Value& object) {
  auto* address = new llvm::PtrToIntInst(&object, entry_.getInt64Ty());
  own_.insert(entry_.Insert(address));
  return entry_.CreateSub(address, createIntrinsic(entry_, Intrinsic::LocalBegin));
}

PointerExtent PointerExtents::ofObject(Value* object) {
  Value* zero = entry_.getInt64(0);
  if (const auto bytes = bytesOf(*object, kernel_.getDataLayout()))
    return {zero, entry_.getInt64(*bytes),
            object->getType()->getPointerAddressSpace() == kLocalSpace ? distanceInLocal(*object) : zero, object, 0};
  return ofArgument(*llvm::cast<llvm::Argument>(object));
}

PointerExtent PointerExtents::ofPhi(llvm::PHINode& phi) {
  IRBuilder<> builder(&phi);
  llvm::PHINode* parts[3];
  for (llvm::PHINode*& part : parts)
    part = builder.CreatePHI(builder.getInt64Ty(), phi.getNumIncomingValues());
  const PointerExtent extent{parts[0], parts[1], parts[2], nullptr, 0};
  extents_[&phi] = extent;
  for (const auto& [block, value] : llvm::zip(phi.blocks(), phi.incoming_values())) {
    const PointerExtent incoming = make(value);
    parts[0]->addIncoming(incoming.offset, block);
    parts[1]->addIncoming(incoming.size, block);
    parts[2]->addIncoming(incoming.cells, block);
  }
  return extent;
}

PointerExtent PointerExtents::make(Value* pointer) {
  if (const auto found = extents_.find(pointer); found != extents_.end()) return found->second;
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(pointer)) return ofPhi(*phi);
  PointerExtent extent;
  Value* source = sourceOf(*pointer);
  if (auto* select = llvm::dyn_cast<llvm::SelectInst>(pointer)) {
    const PointerExtent yes = make(select->getTrueValue()), no = make(select->getFalseValue());
    IRBuilder<> builder(select->getParent(), std::next(select->getIterator()));
    const auto choose = [&](Value* a, Value* b) { return builder.CreateSelect(select->getCondition(), a, b); };
    extent = {choose(yes.offset, no.offset), choose(yes.size, no.size), choose(yes.cells, no.cells), nullptr, 0};
  } else if (source == nullptr) {
    extent = ofObject(pointer);
  } else {
    extent = make(source);
    if (auto* address = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
      IRBuilder<> builder(kernel_.getContext());
      if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(pointer))
        builder.SetInsertPoint(instruction->getParent(), placeBehind(*instruction));
      else
        builder.SetInsertPoint(entry_.GetInsertBlock(), entry_.GetInsertPoint());
      Value* distance = llvm::emitGEPOffset(&builder, kernel_.getDataLayout(), address, /*NoAssumptions=*/true);
      distance = builder.CreateSExtOrTrunc(distance, builder.getInt64Ty());
      extent.offset = builder.CreateAdd(extent.offset, distance);
    } else if (isNamedSpace(*pointer)) {
      auto& call = llvm::cast<llvm::CallInst>(*pointer);
      IRBuilder<> builder(call.getParent(), placeBehind(call));
      extent.size = builder.CreateSelect(builder.CreateIsNull(&call), builder.getInt64(0), extent.size);
    } else if (isOfFirstLane(*pointer)) {
      auto& call = llvm::cast<llvm::CallInst>(*pointer);
      IRBuilder<> builder(call.getParent(), placeBehind(call));
      const auto ofFirst = [&](Value* value) -> Value* {
        return createSubGroupCall(builder, {SubGroupOperation::First, Combination::None}, {value});
      };
      extent.offset = ofFirst(extent.offset);
      if (objectsOf(source).size() > 1) {
        extent.size = ofFirst(extent.size);
        extent.cells = ofFirst(extent.cells);
      }
    }
  }
  return extents_[pointer] = extent;
}

} // namespace clotho::compiler
