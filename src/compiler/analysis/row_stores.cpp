// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/row_stores.hpp"

#include "base/arithmetic.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/InstIterator.h>

namespace clotho::compiler {
namespace {

constexpr std::int64_t kLine = 64;

/// Step of the value in each iteration of the loop; 0 if unknown.
std::int64_t stepOf(llvm::Value& value, const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  const auto* sum = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(&value));
  if (sum == nullptr || sum->getLoop() != &loop || !sum->isAffine()) return 0;
  const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(sum->getStepRecurrence(evolution));
  return step == nullptr ? 0 : step->getAPInt().getSExtValue();
}

/// Step of the address in bytes. Overflow of the index is ignored, since it hardly ever occurs.
std::int64_t stepOfAddress(llvm::Value& pointer, const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  if (const std::int64_t step = stepOf(pointer, loop, evolution); step != 0) return step;
  const auto* element = llvm::dyn_cast<llvm::GetElementPtrInst>(&pointer);
  if (element == nullptr || element->getNumIndices() != 1) return 0;
  llvm::Value* index = element->getOperand(1);
  while (const auto* extension = llvm::dyn_cast<llvm::CastInst>(index))
    index = extension->getOperand(0);
  const auto size = static_cast<std::int64_t>(
      element->getDataLayout().getTypeAllocSize(element->getSourceElementType()).getFixedValue());
  return stepOf(*index, loop, evolution) * size;
}

} // namespace

RowStores findRowStores(llvm::Function& kernel, const llvm::LoopInfo& loops, const LaneShapes& shapes,
                        llvm::ScalarEvolution& evolution) {
  constexpr unsigned kGlobalSpace = 1;
  RowStores result;
  for (llvm::Instruction& instruction : llvm::instructions(kernel)) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    const llvm::Loop* loop = loops.getLoopFor(instruction.getParent());
    if (store == nullptr || loop == nullptr || store->getPointerAddressSpace() != kGlobalSpace) continue;
    llvm::Value& pointer = *store->getPointerOperand();
    const LaneShape shape = shapes.of(&pointer);
    if (shape.isAffine() && magnitude(shape.stride()) < kLine) continue;
    const std::int64_t step = magnitude(stepOfAddress(pointer, *loop, evolution));
    if (step != 0 && step < kLine) result[store] = static_cast<unsigned>(step);
  }
  return result;
}

} // namespace clotho::compiler
