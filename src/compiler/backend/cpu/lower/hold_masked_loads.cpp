// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/lower/hold_masked_loads.hpp"

#include "compiler/ir/marks.hpp"
#include "compiler/ir/run_pass.hpp"

#include <llvm/IR/AttributeMask.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace clotho::compiler {
namespace {

using llvm::Instruction;

constexpr unsigned kMask = 1, kOtherwise = 2; // operands of a masked load

llvm::FreezeInst* holdOf(llvm::IntrinsicInst& load) {
  for (llvm::User* user : load.users())
    if (auto* freeze = llvm::dyn_cast<llvm::FreezeInst>(user); freeze != nullptr && freeze->hasMetadata(kHeldName))
      return freeze;
  return nullptr;
}

/// Whether the load may move to directly before `later`, in the same block, and still load the same value.
bool mayMoveTo(const Instruction& load, const Instruction& later) {
  return load.getParent() == later.getParent() &&
         llvm::none_of(llvm::make_range(load.getIterator(), later.getIterator()),
                       [](const Instruction& between) { return between.mayWriteToMemory(); });
}

/// Merges `choice`, a select between the load's result and another value by the load's mask, into the load's
/// pass-through. `result` is the load itself or its freeze.
bool merge(llvm::IntrinsicInst& load, Instruction& result, llvm::SelectInst& choice, const llvm::DominatorTree& tree) {
  const bool isFree = llvm::isa<llvm::UndefValue>(load.getArgOperand(kOtherwise));
  if (!isFree && !result.hasOneUse()) return false;
  if (&result != &load && !load.hasOneUse()) return false; // It is held for some users only.
  llvm::Value* otherwise = choice.getFalseValue();
  if (otherwise == &result) return false;
  if (!tree.dominates(otherwise, &load)) {
    if (!result.hasOneUse() || !mayMoveTo(load, choice)) return false;
    load.moveBefore(choice.getIterator());
    if (&result != &load) result.moveBefore(choice.getIterator());
  }
  load.setArgOperand(kOtherwise, otherwise);
  choice.replaceAllUsesWith(&result);
  choice.eraseFromParent();
  return true;
}

bool mergeChoices(llvm::IntrinsicInst& load, const llvm::DominatorTree& tree) {
  llvm::FreezeInst* hold = holdOf(load);
  Instruction& result = hold != nullptr ? static_cast<Instruction&>(*hold) : load;
  const llvm::SmallVector<llvm::User*, 4> users(result.users());
  bool changed = false;
  for (llvm::User* user : users)
    if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(user);
        choice != nullptr && choice->getTrueValue() == &result && choice->getCondition() == load.getArgOperand(kMask))
      changed |= merge(load, result, *choice, tree);
  return changed;
}

bool hold(llvm::IntrinsicInst& load) {
  if (load.use_empty() || holdOf(load) != nullptr) return false;
  load.removeRetAttrs(llvm::AttributeMask().addAttribute(llvm::Attribute::NoUndef)); // it would need no freeze
  auto* freeze = new llvm::FreezeInst(&load, load.getName() + ".held");
  freeze->insertAfter(load.getIterator());
  freeze->setDebugLoc(load.getDebugLoc());
  freeze->setMetadata(kHeldName, llvm::MDNode::get(load.getContext(), {}));
  load.replaceUsesWithIf(freeze, [&](const llvm::Use& use) { return use.getUser() != freeze; });
  return true;
}

/// Freezes that are removed.
enum class Release { OfOrdinaryLoads, All };

/// Removes freezes and merges selects into masked loads. Returns the masked loads.
llvm::SmallVector<llvm::IntrinsicInst*, 16> simplify(llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
                                                     Release release, bool& changed) {
  llvm::SmallVector<llvm::IntrinsicInst*, 16> loads;
  llvm::SmallVector<llvm::FreezeInst*, 16> needless;
  for (Instruction& instruction : llvm::instructions(function)) {
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::masked_load)
      loads.push_back(call);
    else if (auto* freeze = llvm::dyn_cast<llvm::FreezeInst>(&instruction);
             freeze != nullptr && freeze->hasMetadata(kHeldName) &&
             (release == Release::All || llvm::isa<llvm::LoadInst>(freeze->getOperand(0))))
      needless.push_back(freeze);
  }
  changed = !needless.empty();
  for (llvm::FreezeInst* freeze : needless) {
    freeze->replaceAllUsesWith(freeze->getOperand(0));
    freeze->eraseFromParent();
  }
  if (loads.empty()) return loads;
  const auto& tree = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  for (llvm::IntrinsicInst* load : loads)
    changed |= mergeChoices(*load, tree);
  return loads;
}

} // namespace

llvm::PreservedAnalyses HoldMaskedLoadsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  bool changed = false;
  for (llvm::IntrinsicInst* load : simplify(function, analyses, Release::OfOrdinaryLoads, changed))
    changed |= hold(*load);
  return preservedWithEdges(changed);
}

llvm::PreservedAnalyses ReleaseMaskedLoadsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  bool changed = false;
  simplify(function, analyses, Release::All, changed);
  return preservedWithEdges(changed);
}

} // namespace clotho::compiler
