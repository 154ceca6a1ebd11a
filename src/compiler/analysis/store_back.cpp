// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/store_back.hpp"

#include "compiler/ir/intrinsics.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace clotho::compiler {
namespace {

using llvm::Instruction;

constexpr unsigned kPrivateSpace = 0, kConstantSpace = 2, kLocalSpace = 3;

/// Whether it is computed from something that was in memory.
bool dependsOnMemory(const llvm::Value* value) {
  llvm::SmallSetVector<const llvm::Value*, 16> sources;
  sources.insert(value);
  for (unsigned i = 0; i < sources.size(); ++i) {
    const auto* instruction = llvm::dyn_cast<Instruction>(sources[i]);
    if (instruction == nullptr) continue;
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction);
    const bool isConstant = load != nullptr && load->getPointerAddressSpace() == kConstantSpace;
    if (instruction->mayReadFromMemory() && !isConstant && !matchIntrinsic(instruction)) return true;
    sources.insert(instruction->value_op_begin(), instruction->value_op_end());
  }
  return false;
}

bool isUnnoticed(const Instruction& instruction) {
  if (instruction.isAtomic() || instruction.isVolatile() || isIntrinsic(&instruction, Intrinsic::Barrier) ||
      isIntrinsic(&instruction, Intrinsic::Yield))
    return false;
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    const unsigned space = store->getPointerAddressSpace();
    return space == kPrivateSpace || space == kLocalSpace || !dependsOnMemory(store->getPointerOperand());
  }
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    if (intrinsic->isLifetimeStartOrEnd() || intrinsic->isAssumeLikeIntrinsic()) return true;
  return !instruction.mayWriteToMemory();
}

} // namespace

bool mayStoreBackWhatItLoads(const llvm::Function& kernel) {
  return llvm::all_of(llvm::instructions(kernel), isUnnoticed);
}

} // namespace clotho::compiler
