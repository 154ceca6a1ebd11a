// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/lower/store_single_lanes.hpp"

#include "compiler/ir/run_pass.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <optional>

namespace clotho::compiler {
namespace {

/// The only lane that is set in a mask, where undefined lanes are not; nothing if there is none, or several.
std::optional<unsigned> singleLane(const llvm::Value* mask) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(mask);
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType());
  if (constant == nullptr || type == nullptr) return std::nullopt;
  std::optional<unsigned> found;
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    const llvm::Constant* lane = constant->getAggregateElement(i);
    if (lane == nullptr) return std::nullopt;
    if (lane->isNullValue() || llvm::isa<llvm::UndefValue>(lane)) continue;
    if (found || !lane->isOneValue()) return std::nullopt;
    found = i;
  }
  return found;
}

} // namespace

llvm::PreservedAnalyses StoreSingleLanesPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* store = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (store == nullptr || store->getIntrinsicID() != llvm::Intrinsic::masked_store) continue;
    llvm::Type* type = store->getArgOperand(0)->getType()->getScalarType();
    const auto lane = singleLane(store->getArgOperand(2));
    if (!lane || type->isIntegerTy(1)) continue; // Single bits have no address.
    llvm::IRBuilder<> builder(store);
    llvm::Value* value = builder.CreateExtractElement(store->getArgOperand(0), *lane);
    llvm::Value* address = builder.CreateConstGEP1_64(type, store->getArgOperand(1), *lane);
    const llvm::Align alignment = llvm::commonAlignment(store->getParamAlign(1).valueOrOne(),
                                                        *lane * function.getDataLayout().getTypeStoreSize(type));
    builder.CreateAlignedStore(value, address, alignment)->copyMetadata(*store);
    store->eraseFromParent();
    changed = true;
  }
  return preservedWithEdges(changed);
}

} // namespace clotho::compiler
