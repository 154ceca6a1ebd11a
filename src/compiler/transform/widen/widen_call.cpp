// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls, and instructions that run lane by lane.
#include "compiler/analysis/exchange_loops.hpp"
#include "compiler/builtins/limit_inlining.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/pipe_functions.hpp"
#include "compiler/transform/widen/specialise.hpp"
#include "compiler/transform/widen/widener.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

namespace clotho::compiler {

using llvm::BasicBlock;
using llvm::Value;

void Widener::widenCall(llvm::CallInst& call) {
  if (llvm::isa<llvm::LifetimeIntrinsic, llvm::AssumeInst, llvm::DbgInfoIntrinsic>(call)) return;
  if (const auto intrinsic = matchIntrinsic(&call)) {
    if (intrinsic->intrinsic == Intrinsic::Barrier && report_ != nullptr) ++report_->barriers;
    if (intrinsic->intrinsic == Intrinsic::FirstLane)
      return defineUniform(&call, createIntrinsic(builder_, Intrinsic::LocalId, 0));
    if (intrinsic->intrinsic == Intrinsic::LaneId || intrinsic->intrinsic == Intrinsic::SubGroupLane)
      return define(&call, {LaneShape::affine(1), llvm::ConstantInt::get(call.getType(), 0), {}});
    if (intrinsic->intrinsic == Intrinsic::SubGroupBase)
      return defineUniform(&call, plan_.linear ? createIntrinsic(builder_, Intrinsic::LocalId, 0)
                                               : createLinearLocalId(builder_));
    if (intrinsic->intrinsic == Intrinsic::LaneCount || intrinsic->intrinsic == Intrinsic::SubGroupWidth)
      return defineUniform(&call, llvm::ConstantInt::get(call.getType(), plan_.width));
    return copyScalar(call, plan_.shapes.of(&call));
  }
  if (const auto subGroup = matchSubGroupCall(&call)) return widenSubGroupCall(call, *subGroup);
  if (isCallOfFallback(call) || runsOnce(call)) return copyScalar(call, LaneShape::uniform());
  if (call.getIntrinsicID() == llvm::Intrinsic::prefetch)
    return isExchangeLoop(*call.getNextNode()) ? prefetchLanes(call) : widenPrefetch(call);
  const bool hasResult = !call.getType()->isVoidTy();
  if (hasResult && plan_.shapes.of(&call).isUniform()) return copyScalar(call, LaneShape::uniform());
  if (!widenIntrinsic(call) && !widenReduction(call) && !widenByVariant(call)) widenLaneByLane(call);
}

/// Prefetches the addresses of all lanes before they make exchanges one by one, so that they wait for memory together.
/// Addresses of inactive lanes do no harm.
void Widener::prefetchLanes(const llvm::CallInst& call) {
  const auto addresses = vectors(call.getArgOperand(0));
  for (unsigned lane = 0; lane < plan_.width; ++lane) {
    Value* address = packLane(addresses, call.getArgOperand(0)->getType(), builder_.getInt32(lane));
    builder_.CreateIntrinsic(llvm::Intrinsic::prefetch, {address->getType()},
                             {address, call.getArgOperand(1), call.getArgOperand(2), call.getArgOperand(3)});
  }
}

/// Widens a builtin that was not inlined (builtins/limit_inlining.hpp) by its vector variants, with as many lanes at
/// once as a variant has.
bool Widener::widenByVariant(llvm::CallInst& call) {
  llvm::Function* variant = nullptr;
  unsigned lanes = std::min(plan_.width, 16u);
  for (; lanes >= 4 && variant == nullptr; lanes /= 2)
    variant = vectorVariant(call, lanes);
  if (variant == nullptr) return false;
  lanes = llvm::cast<llvm::FixedVectorType>(variant->getFunctionType()->getParamType(0))->getNumElements();
  llvm::SmallVector<llvm::SmallVector<Value*, 4>, 2> operands;
  for (Value* operand : call.args()) {
    operands.push_back(vectors(operand));
    // Inactive lanes may have any value, even one for which the function is slow.
    if (mask_ != nullptr)
      for (Value*& part : operands.back())
        part = builder_.CreateSelect(mask_, part, llvm::Constant::getNullValue(part->getType()));
  }
  // Elements of the first result, then those of the second.
  const unsigned elements = operands.front().size(), count = call.getType()->isStructTy() ? 2 : 1;
  llvm::SmallVector<llvm::SmallVector<Value*, 4>, 8> chunks(elements * count);
  for (unsigned element = 0; element < elements; ++element)
    for (unsigned first = 0; first < plan_.width; first += lanes) {
      llvm::SmallVector<Value*, 2> arguments;
      for (const auto& operand : operands)
        arguments.push_back(slice(operand[element], first, lanes));
      llvm::CallInst* made = builder_.CreateCall(variant, arguments, call.getName());
      made->setCallingConv(variant->getCallingConv());
      if (llvm::isa<llvm::FPMathOperator>(made)) made->copyFastMathFlags(&call);
      for (unsigned i = 0; i < count; ++i)
        chunks[i * elements + element].push_back(count == 1 ? made : builder_.CreateExtractValue(made, i));
    }
  llvm::SmallVector<Value*, 4> results;
  for (const auto& lanesOfOne : chunks)
    results.push_back(lanesOfOne.size() == 1 ? lanesOfOne.front() : llvm::concatenateVectors(builder_, lanesOfOne));
  defineParts(&call, results);
  return true;
}

namespace {} // namespace

/// Widens an integer reduction over the elements of each lane's short vector, as in any() and all(). Floating-point
/// reductions, whose order would matter, do not occur.
bool Widener::widenReduction(llvm::CallInst& call) {
  using namespace llvm::Intrinsic;
  if (!llvm::is_contained(
          {vector_reduce_add, vector_reduce_mul, vector_reduce_and, vector_reduce_or, vector_reduce_xor},
          call.getIntrinsicID()))
    return false;
  const auto opcode =
      static_cast<llvm::Instruction::BinaryOps>(llvm::getArithmeticReductionInstruction(call.getIntrinsicID()));
  llvm::SmallVector<Value*, 4> parts = vectors(call.getArgOperand(0));
  // Combines in pairs, as a tree, to shorten the dependent chain.
  for (std::size_t count = parts.size(); count > 1; count = (count + 1) / 2)
    for (std::size_t i = 0; i < count / 2; ++i)
      parts[i] = builder_.CreateBinOp(opcode, parts[i], parts[count - 1 - i]);
  defineParts(&call, parts.front());
  return true;
}

/// Widens an LLVM intrinsic that works element by element.
bool Widener::widenIntrinsic(llvm::CallInst& call) {
  const llvm::Intrinsic::ID id = call.getIntrinsicID();
  if (!llvm::isTriviallyVectorizable(id)) return false;
  if (call.getType()->isStructTy()) return false;
  const bool isPacked = plan_.packed.contains(&call);
  const auto types = widenedTypes(call.getType(), isPacked);
  llvm::SmallVector<llvm::SmallVector<Value*, 4>, 4> operands;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    Value* operand = call.getArgOperand(i);
    if (llvm::isVectorIntrinsicWithScalarOpAtArg(id, i, nullptr)) {
      if (!plan_.shapes.of(operand).isUniform()) return false;
      operands.push_back(llvm::SmallVector<Value*, 4>(types.size(), uniform(operand)));
    } else {
      operands.push_back(widened(operand, isPacked));
    }
  }
  llvm::SmallVector<Value*, 4> parts;
  for (unsigned part = 0; part < types.size(); ++part) {
    if (id == llvm::Intrinsic::fptosi_sat || id == llvm::Intrinsic::fptoui_sat) {
      parts.push_back(convertSaturated(operands[0][part], types[part], id == llvm::Intrinsic::fptosi_sat));
      continue;
    }
    llvm::SmallVector<Value*, 4> arguments;
    llvm::SmallVector<llvm::Type*, 2> overloads;
    if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, -1, nullptr)) overloads.push_back(types[part]);
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
  defineWidened(&call, parts);
  return true;
}

/// Runs short code for each lane: unrolled if all lanes are active, so that values are extracted from vectors without
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

/// Emits a loop over the active lanes, of which there is at least one.
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

namespace {

/// Whether memory still holds what the load read, at `user`, which follows in the same block.
bool isStillInMemory(const llvm::LoadInst& load, const llvm::Instruction& user) {
  if (!load.isSimple() || load.getParent() != user.getParent()) return false;
  // Lanes before the current one have already changed memory, but in another address space.
  const auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&user);
  constexpr unsigned kLocalSpace = 3, kGenericSpace = 4;
  const unsigned space = load.getPointerAddressSpace();
  if (change == nullptr || change->getPointerAddressSpace() != kLocalSpace || space == kLocalSpace || space == 0 ||
      space == kGenericSpace)
    return false;
  for (const llvm::Instruction* at = load.getNextNode(); at != &user; at = at->getNextNode())
    if (at == nullptr || at->mayWriteToMemory()) return false;
  return true;
}

} // namespace

/// A lane's value for `user`, which all lanes run, by the cheapest way: extracting elements is expensive, so addresses
/// are recomputed and bytes loaded again.
Value* Widener::laneOf(Value* value, unsigned lane, const llvm::Instruction& user) {
  if (plan_.shapes.of(value).isAffine()) return affineLane(value, lane);
  if (llvm::isa<llvm::ZExtInst, llvm::SExtInst>(value) && value->getType()->isIntegerTy()) {
    auto* cast = llvm::cast<llvm::CastInst>(value);
    return builder_.CreateCast(cast->getOpcode(), laneOf(cast->getOperand(0), lane, user), cast->getType());
  }
  if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(value); address && !address->getType()->isVectorTy()) {
    llvm::SmallVector<Value*, 4> indices;
    for (Value* index : address->indices())
      indices.push_back(laneOf(index, lane, user));
    return builder_.CreateGEP(address->getSourceElementType(), laneOf(address->getPointerOperand(), lane, user),
                              indices);
  }
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
      load != nullptr && !load->getType()->isVectorTy() && plan_.arrays.accessOf(load) == nullptr &&
      plan_.shapes.of(load->getPointerOperand()).isAffine() && isStillInMemory(*load, user))
    return builder_.CreateAlignedLoad(load->getType(), laneOf(load->getPointerOperand(), lane, user), load->getAlign());
  return packLane(vectors(value), value->getType(), builder_.getInt32(lane));
}

void Widener::widenLaneByLane(llvm::Instruction& instruction) {
  if (auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction); change != nullptr && changeOnce(*change))
    return;
  if (report_ != nullptr && instruction.getDebugLoc())
    report_->laneByLane.push_back(instruction.getDebugLoc().getLine());
  // Vectors of affine operands are built once, before the loop.
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
      else if (number != nullptr)
        copy->setOperand(i, laneOf(operand, number->getZExtValue(), instruction));
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
