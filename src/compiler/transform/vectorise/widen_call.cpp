// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls, and what can only be run for one lane after the other.
#include "compiler/transform/vectorise/widener.hpp"

#include "compiler/transform/primitives.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

namespace clotho::compiler {

using llvm::BasicBlock;
using llvm::Value;

void Widener::widenCall(llvm::CallInst& call) {
  if (llvm::isa<llvm::LifetimeIntrinsic, llvm::AssumeInst, llvm::DbgInfoIntrinsic>(call)) return;
  if (const auto primitive = matchPrimitive(&call)) {
    if (primitive->primitive == Primitive::Barrier && report_ != nullptr) ++report_->barriers;
    return copyScalar(call, plan_.shapes.of(&call));
  }
  const bool hasResult = !call.getType()->isVoidTy();
  if (hasResult && plan_.shapes.of(&call).isUniform()) return copyScalar(call, LaneShape::uniform());
  if (!widenIntrinsic(call)) widenLaneByLane(call);
}

/// An intrinsic of LLVM that works on vectors element by element.
bool Widener::widenIntrinsic(llvm::CallInst& call) {
  const llvm::Intrinsic::ID id = call.getIntrinsicID();
  if (!llvm::isTriviallyVectorizable(id)) return false;
  const auto scalars = scalarsOf(call.getType());
  if (call.getType()->isStructTy()) return false;
  llvm::SmallVector<llvm::SmallVector<Value*, 4>, 4> operands;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    Value* operand = call.getArgOperand(i);
    if (llvm::isVectorIntrinsicWithScalarOpAtArg(id, i, nullptr)) {
      if (!plan_.shapes.of(operand).isUniform()) return false;
      operands.push_back(llvm::SmallVector<Value*, 4>(scalars.size(), uniform(operand)));
    } else {
      operands.push_back(vectors(operand));
    }
  }
  llvm::SmallVector<Value*, 4> parts;
  for (unsigned part = 0; part < scalars.size(); ++part) {
    llvm::SmallVector<Value*, 4> arguments;
    llvm::SmallVector<llvm::Type*, 2> overloads;
    if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, -1, nullptr)) overloads.push_back(wide(scalars[part]));
    for (unsigned i = 0; i < operands.size(); ++i) {
      arguments.push_back(operands[i][part]);
      if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, static_cast<int>(i), nullptr))
        overloads.push_back(arguments.back()->getType());
    }
    llvm::Function* callee = llvm::Intrinsic::getOrInsertDeclaration(target_.getParent(), id, overloads);
    llvm::CallInst* made = builder_.CreateCall(callee, arguments, call.getName());
    if (llvm::isa<llvm::FPMathOperator>(made)) made->copyFastMathFlags(&call);
    parts.push_back(made);
  }
  defineParts(&call, parts);
  return true;
}

/// One after the other, for little work: when all lanes are live, their values are taken from where they are without
/// going through memory.
void Widener::forFewInstructions(llvm::function_ref<void(Value* lane)> body) {
  BasicBlock* after = newBlock("lanes.all.done");
  if (mask_ != nullptr) {
    BasicBlock *all = newBlock("lanes.all"), *some = newBlock("lanes.some");
    builder_.CreateCondBr(any(builder_.CreateNot(mask_)), some, all);
    builder_.SetInsertPoint(some);
    forEachLane(body);
    builder_.CreateBr(after);
    builder_.SetInsertPoint(all);
  }
  for (unsigned lane = 0; lane < plan_.width; ++lane)
    body(builder_.getInt32(lane));
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

/// A loop over the live lanes, of which there is at least one.
void Widener::forEachLane(llvm::function_ref<void(Value* lane)> body) {
  llvm::Type* type = builder_.getIntNTy(std::max(plan_.width, 32u));
  Value* all = builder_.CreateZExt(builder_.CreateBitCast(liveMask(), builder_.getIntNTy(plan_.width)), type);
  BasicBlock* before = builder_.GetInsertBlock();
  BasicBlock *loop = newBlock("lane"), *after = newBlock("lanes.done");
  builder_.CreateBr(loop);
  builder_.SetInsertPoint(loop);
  llvm::PHINode* left = builder_.CreatePHI(type, 2, "left");
  left->addIncoming(all, before);
  body(builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, builder_.getTrue()));
  Value* rest = builder_.CreateAnd(left, builder_.CreateSub(left, llvm::ConstantInt::get(type, 1)));
  left->addIncoming(rest, builder_.GetInsertBlock());
  builder_.CreateCondBr(builder_.CreateIsNotNull(rest), loop, after);
  builder_.SetInsertPoint(after);
}

/// A work-group runs on one thread, so what only it can see needs no lock: the same change by a load and a store.
/// Volatile or not, for OpenCL 1.x has all atomics take volatile pointers.
Value* Widener::changeLocalMemory(llvm::AtomicRMWInst& change) {
  constexpr unsigned kLocalSpace = 3;
  if (change.getPointerAddressSpace() != kLocalSpace) return nullptr;
  builder_.SetInsertPoint(&change);
  Value* before = builder_.CreateAlignedLoad(change.getType(), change.getPointerOperand(), change.getAlign());
  Value* after = llvm::buildAtomicRMWValue(change.getOperation(), builder_, before, change.getValOperand());
  builder_.CreateAlignedStore(after, change.getPointerOperand(), change.getAlign());
  change.eraseFromParent();
  builder_.SetInsertPoint(llvm::cast<llvm::Instruction>(before)->getParent());
  return before;
}

namespace {

/// An element of the vector, taken from what the vector was made of while that is as cheap: an address becomes scalar
/// arithmetic instead of a vector of addresses of which each is moved over.
Value* elementOf(llvm::IRBuilder<>& builder, Value* vector, unsigned lane) {
  if (Value* scalar = llvm::getSplatValue(vector)) return scalar;
  if (auto* cast = llvm::dyn_cast<llvm::CastInst>(vector);
      cast != nullptr && (llvm::isa<llvm::ZExtInst, llvm::SExtInst>(cast)) && cast->getSrcTy()->isVectorTy())
    return builder.CreateCast(cast->getOpcode(), elementOf(builder, cast->getOperand(0), lane),
                              cast->getType()->getScalarType());
  if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(vector)) {
    const auto scalar = [&](Value* operand) {
      return operand->getType()->isVectorTy() ? elementOf(builder, operand, lane) : operand;
    };
    llvm::SmallVector<Value*, 4> indices;
    for (Value* index : address->indices())
      indices.push_back(scalar(index));
    return builder.CreateGEP(address->getSourceElementType(), scalar(address->getPointerOperand()), indices);
  }
  return builder.CreateExtractElement(vector, lane);
}

} // namespace

void Widener::widenLaneByLane(llvm::Instruction& instruction) {
  if (report_ != nullptr && instruction.getDebugLoc())
    report_->laneByLane.push_back(instruction.getDebugLoc().getLine());
  // Vectors of affine operands are made once, before the loop.
  llvm::SmallVector<llvm::SmallVector<Value*, 4>, 4> operands;
  for (Value* operand : instruction.operands()) {
    const bool varies =
        !llvm::isa<llvm::Function, llvm::MetadataAsValue>(operand) && !plan_.shapes.of(operand).isUniform();
    operands.push_back(varies ? vectors(operand) : llvm::SmallVector<Value*, 4>());
  }
  llvm::SmallVector<llvm::AllocaInst*, 4> results;
  for (llvm::Type* scalar : scalarsOf(instruction.getType())) {
    results.push_back(newVariable(wide(scalar), instruction.getName()));
    builder_.CreateStore(llvm::PoisonValue::get(wide(scalar)), results.back());
  }
  const auto runLane = [&](Value* lane) {
    llvm::Instruction* copy = instruction.clone();
    for (unsigned i = 0; i < operands.size(); ++i) {
      Value* operand = instruction.getOperand(i);
      if (llvm::isa<llvm::Function, llvm::MetadataAsValue>(operand)) continue;
      const auto* number = llvm::dyn_cast<llvm::ConstantInt>(lane);
      if (operands[i].empty())
        copy->setOperand(i, uniform(operand));
      else if (number != nullptr && operands[i].size() == 1 && !operand->getType()->isVectorTy())
        copy->setOperand(i, elementOf(builder_, operands[i].front(), number->getZExtValue()));
      else
        copy->setOperand(i, packLane(operands[i], operand->getType(), lane));
    }
    builder_.Insert(copy, instruction.getName());
    Value* value = copy;
    if (auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(copy))
      if (Value* before = changeLocalMemory(*change)) value = before;
    if (instruction.use_empty()) return;
    llvm::SmallVector<Value*, 4> parts;
    for (llvm::AllocaInst* result : results)
      parts.push_back(builder_.CreateLoad(result->getAllocatedType(), result));
    unpackLane(value, parts, lane);
    for (const auto& [part, result] : llvm::zip(parts, results))
      builder_.CreateStore(part, result);
  };
  if (llvm::isa<llvm::AtomicRMWInst>(instruction))
    forFewInstructions(runLane);
  else
    forEachLane(runLane);
  llvm::SmallVector<Value*, 4> parts;
  for (llvm::AllocaInst* result : results)
    parts.push_back(builder_.CreateLoad(result->getAllocatedType(), result));
  if (!results.empty()) defineParts(&instruction, parts);
}

} // namespace clotho::compiler
