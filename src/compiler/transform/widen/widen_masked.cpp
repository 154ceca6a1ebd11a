// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores of consecutive memory, masked or not, and their metadata for later passes.
#include "compiler/ir/local_memory.hpp"
#include "compiler/ir/marks.hpp"
#include "compiler/transform/widen/widen_access.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>

namespace clotho::compiler {

using llvm::BasicBlock;
using llvm::Value;

namespace {

/// Whether a value depends only on ids and uniform values. A wrong answer affects only speed.
bool isOfIds(const LaneShapes& shapes, const Value* value, llvm::SmallPtrSetImpl<const Value*>& seen) {
  constexpr unsigned kMost = 24; // most values that are visited
  if (shapes.of(value).isAffine() || !seen.insert(value).second) return true;
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr || seen.size() > kMost) return false;
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(instruction);
  const bool isComputed =
      llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::CmpInst, llvm::SelectInst, llvm::FreezeInst, llvm::PHINode>(
          instruction) ||
      (call != nullptr && llvm::isTriviallyVectorizable(call->getIntrinsicID()));
  if (!isComputed) return false;
  const auto operands =
      call != nullptr ? llvm::make_range(call->arg_begin(), call->arg_end()) : instruction->operands();
  return llvm::all_of(operands, [&](const llvm::Use& operand) { return isOfIds(shapes, operand, seen); });
}

/// Whether branches on ids, such as `if (g < n)`, decide which lanes run the block.
bool isBehindGuardOfIds(const SubGroupFlow& flow, const LaneShapes& shapes, const BasicBlock& block,
                        unsigned depth = 0) {
  constexpr unsigned kDepthLimit = 4;
  const BasicBlock* first = &block;
  while (const BasicBlock* same = flow.sameLanesAs(*first))
    first = same;
  const auto isDecided = [&](const BasicBlock* before) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(before->getTerminator());
    if (branch == nullptr) return false;
    if (branch->isUnconditional()) return isBehindGuardOfIds(flow, shapes, *before, depth + 1);
    llvm::SmallPtrSet<const Value*, 24> seen;
    return isOfIds(shapes, branch->getCondition(), seen);
  };
  return depth < kDepthLimit && llvm::all_of(llvm::predecessors(first), isDecided);
}

} // namespace

/// Marks a masked access to global memory that may have no active lane in a whole work-group.
void Widener::markIfFar(llvm::Instruction& masked, const llvm::Instruction& access) const {
  const BasicBlock& block = *access.getParent();
  if (!perhapsEmpty_.contains(&block) || isLocalAccess(access) || !isBehindGuardOfIds(plan_.flow, plan_.shapes, block))
    return;
  masked.setMetadata(kFarName, llvm::MDNode::get(masked.getContext(), {}));
}

/// `mask`: null for all elements.
Value* Widener::loadFrom(const llvm::Instruction& access, llvm::Type* type, Value* first, llvm::Align align,
                         Value* mask) {
  if (mask == nullptr) {
    auto* load = builder_.CreateAlignedLoad(type, first, align);
    load->copyMetadata(access, {llvm::LLVMContext::MD_tbaa, llvm::LLVMContext::MD_invariant_load,
                                llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias,
                                llvm::LLVMContext::MD_nontemporal});
    return load;
  }
  auto* load = builder_.CreateMaskedLoad(type, first, align, mask);
  markIfFar(*load, access);
  return load;
}

/// `mask`: null for all elements.
void Widener::storeTo(const llvm::Instruction& access, Value* value, Value* first, llvm::Align align, Value* mask) {
  if (mask == nullptr) {
    auto* store = builder_.CreateAlignedStore(value, first, align);
    store->copyMetadata(access,
                        {llvm::LLVMContext::MD_tbaa, llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias,
                         llvm::LLVMContext::MD_nontemporal, store->getContext().getMDKindID(kNonTemporalName)});
    return;
  }
  auto* store = builder_.CreateMaskedStore(value, first, align, mask);
  if (isLocalAccess(access)) store->setMetadata(kLocalMemoryName, llvm::MDNode::get(store->getContext(), {}));
  markIfFar(*store, access);
}

} // namespace clotho::compiler
