// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores of sub-groups that span several rows: each block of lanes is in one row.
#include "compiler/ir/copy_instruction.hpp"
#include "compiler/transform/widen/widen_access.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Instructions.h>

namespace clotho::compiler {

using llvm::Value;

namespace {

/// Whether the block's first lane, if inactive, may have a value from which those of the others do not follow.
bool isToldByLastLane(const LaneShapes& shapes, const Value* value, unsigned depth = 0) {
  constexpr unsigned kDepthLimit = 10;
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr || shapes.of(value).isUniform()) return false;
  if (depth > kDepthLimit) return true;
  if (const auto* extension = llvm::dyn_cast<llvm::CastInst>(instruction);
      extension != nullptr && shapes.isToldByLastLane(*extension))
    return true;
  return llvm::any_of(instruction->operands(),
                      [&](const llvm::Use& operand) { return isToldByLastLane(shapes, operand, depth + 1); });
}

/// Whether one lane's value can be computed as a scalar wherever its operands are available.
bool isPure(const llvm::Instruction& instruction) {
  if (llvm::isa<llvm::GetElementPtrInst, llvm::TruncInst, llvm::SExtInst, llvm::ZExtInst>(instruction)) return true;
  const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
  return operation != nullptr && (!operation->isIntDivRem() || llvm::isa<llvm::ConstantInt>(operation->getOperand(1)));
}

} // namespace

/// Whether the lanes of each block access consecutive scalars, or all the same one, while lanes of different blocks do
/// not.
bool Widener::areBlocks(const Access& access, const Value* pointer) const {
  // The block's first lane may be inactive.
  if (plan_.blocks == nullptr || mask_ != nullptr || access.parts != 1 || access.shape() != AccessShape::Gathered)
    return false;
  const LaneShape shape = plan_.blocks->of(pointer);
  if (shape.isUniform()) return llvm::isa<llvm::LoadInst>(access.instruction);
  return shape.isAffine() && shape.stride() == access.size && !isToldByLastLane(*plan_.blocks, pointer);
}

/// One lane's value, computed as a scalar if possible.
Value* Widener::ofLane(Value* value, unsigned lane) {
  if (plan_.shapes.of(value).isAffine()) return affineLane(value, lane);
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr || value->getType()->isVectorTy() || !isPure(*instruction))
    return builder_.CreateExtractElement(vector(value), lane);
  auto* copy = copyInstruction(builder_, *instruction, [&](Value* operand) { return ofLane(operand, lane); });
  copy->dropPoisonGeneratingFlags();
  return copy;
}

/// Loads one scalar for each block.
Value* Widener::loadSharedByBlocks(const Access& access, Value* pointer) {
  const unsigned count = plan_.width / plan_.blockLanes;
  Value* scalars = llvm::PoisonValue::get(llvm::FixedVectorType::get(access.scalar, count));
  for (unsigned i = 0; i < count; ++i) {
    Value* scalar = loadFrom(access.instruction, access.scalar, ofLane(pointer, i * plan_.blockLanes), access.align);
    scalars = builder_.CreateInsertElement(scalars, scalar, i);
  }
  return builder_.CreateShuffleVector(scalars, llvm::createReplicatedMask(plan_.blockLanes, count));
}

/// Returns false, and emits nothing, if the access does not have this form.
bool Widener::loadBlocks(const Access& access, llvm::LoadInst& load) {
  Value* pointer = load.getPointerOperand();
  if (!areBlocks(access, pointer)) return false;
  note(load, AccessShape::InRows);
  if (plan_.blocks->of(pointer).isUniform()) {
    defineParts(&load, {loadSharedByBlocks(access, pointer)});
    return true;
  }
  auto* type = llvm::FixedVectorType::get(access.scalar, plan_.blockLanes);
  llvm::SmallVector<Value*, 8> blocks;
  for (unsigned first = 0; first < plan_.width; first += plan_.blockLanes) {
    blocks.push_back(loadFrom(load, type, ofLane(pointer, first), access.align));
  }
  defineParts(&load, {llvm::concatenateVectors(builder_, blocks)});
  return true;
}

/// Stores the lanes of each block consecutively. Returns false, and emits nothing, if the access does not have this
/// form.
bool Widener::storeBlocks(const Access& access, llvm::StoreInst& store) {
  Value* pointer = store.getPointerOperand();
  if (!areBlocks(access, pointer)) return false;
  note(store, AccessShape::InRows);
  Value* value = vector(store.getValueOperand());
  for (unsigned first = 0; first < plan_.width; first += plan_.blockLanes)
    storeRow(access, slice(value, first, plan_.blockLanes), ofLane(pointer, first), nullptr);
  return true;
}

} // namespace clotho::compiler
