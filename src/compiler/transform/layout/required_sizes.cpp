// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/layout/required_sizes.hpp"

#include "compiler/analysis/linear_id.hpp"
#include "compiler/analysis/mergeable_groups.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/marks.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/Local.h>

namespace clotho::compiler {
namespace {

using llvm::Value;

/// The dimension of a sum that is `group_id * size + local_id` with the required size.
std::optional<unsigned> dimensionOfGlobalId(const llvm::Instruction& sum, const llvm::Function& kernel) {
  const auto id = matchLinearId(sum);
  const bool isGlobal = id && id->high.intrinsic == Intrinsic::GroupId && id->low.intrinsic == Intrinsic::LocalId &&
                        id->high.dimension == id->low.dimension && id->size == requiredSize(kernel, id->low.dimension);
  return isGlobal ? std::optional(id->low.dimension) : std::nullopt;
}

/// Whether the kernel depends on the size of its groups, or on positions in them.
bool dependsOnGroups(const llvm::Function& kernel) {
  if (!isMergeable(kernel)) return true;
  return llvm::any_of(llvm::instructions(kernel), [](const llvm::Instruction& instruction) {
    const auto call = instruction.use_empty() ? std::nullopt : matchIntrinsic(&instruction);
    return call && llvm::is_contained({Intrinsic::LocalId, Intrinsic::GroupId, Intrinsic::GroupBase,
                                       Intrinsic::LocalSize, Intrinsic::EnqueuedSize, Intrinsic::NumGroups},
                                      call->intrinsic);
  });
}

/// Replaces sums, or their low bits, by the global id.
bool nameGlobalIds(llvm::Function& kernel) {
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel))) {
    if (!instruction.getType()->isIntegerTy() || instruction.getType()->getIntegerBitWidth() > 64) continue;
    const auto dimension = dimensionOfGlobalId(instruction, kernel);
    if (!dimension) continue;
    llvm::IRBuilder<> builder(&instruction);
    Value* id = createIntrinsic(builder, Intrinsic::GlobalId, *dimension);
    instruction.replaceAllUsesWith(builder.CreateTrunc(id, instruction.getType()));
    changed = true;
  }
  return changed;
}

/// Removes ids without uses, and the instructions that only they used.
void removeUnusedIds(llvm::Function& kernel) {
  llvm::SmallVector<llvm::WeakTrackingVH, 16> unused;
  for (llvm::Instruction& instruction : llvm::instructions(kernel))
    if (llvm::isInstructionTriviallyDead(&instruction)) unused.push_back(&instruction);
  llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(unused);
}

} // namespace

llvm::PreservedAnalyses NameGlobalIdsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  if (!isKernel(function) || !function.hasMetadata(kNoOffsetName) || !requiredSize(function, 0) ||
      !nameGlobalIds(function))
    return llvm::PreservedAnalyses::all();
  removeUnusedIds(function);
  // The kernel is correct for any local size, and longer rows may be faster.
  if (!dependsOnGroups(function)) function.setMetadata("reqd_work_group_size", nullptr);
  return llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses RequiredSizesPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  if (!isKernel(function) || !requiredSize(function, 0)) return llvm::PreservedAnalyses::all();
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    const auto call = matchIntrinsic(&instruction);
    if (!call) continue;
    const bool isSize = call->intrinsic == Intrinsic::LocalSize || call->intrinsic == Intrinsic::EnqueuedSize;
    const bool isId = call->intrinsic == Intrinsic::LocalId;
    if (!isSize && !isId) continue;
    const std::uint64_t size = *requiredSize(function, call->dimension);
    changed = true;
    if (isId && size > 1) {
      const llvm::ConstantRange range(llvm::APInt(64, 0), llvm::APInt(64, size));
      llvm::cast<llvm::CallInst>(instruction).removeRetAttr(llvm::Attribute::Range);
      llvm::cast<llvm::CallInst>(instruction).addRangeRetAttr(range);
    } else {
      instruction.replaceAllUsesWith(llvm::ConstantInt::get(instruction.getType(), isId ? 0 : size));
      instruction.eraseFromParent();
    }
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
