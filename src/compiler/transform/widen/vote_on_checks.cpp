// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/widen/vote_on_checks.hpp"

#include "compiler/analysis/work_item_uniformity.hpp"
#include "compiler/ir/checks.hpp"
#include "compiler/ir/sub_group_operations.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace clotho::compiler {
namespace {

/// Whether lanes whose check has not failed may run the instruction, too.
bool isHarmless(const llvm::Instruction& instruction) {
  return !instruction.mayReadFromMemory() || instruction.hasMetadata(llvm::LLVMContext::MD_invariant_load);
}

/// Passes copy code behind a check into its block, and simplify it there by the condition. Lanes whose check has not
/// failed take what the other way has computed.
void chooseValues(llvm::BasicBlock& block, const llvm::BasicBlock& otherwise, llvm::Value* failed) {
  llvm::IRBuilder<> builder(block.getTerminator());
  for (llvm::PHINode& phi : block.getSingleSuccessor()->phis()) {
    llvm::Value *here = phi.getIncomingValueForBlock(&block), *there = phi.getIncomingValueForBlock(&otherwise);
    if (here != there) phi.setIncomingValueForBlock(&block, builder.CreateSelect(failed, here, there));
  }
}

/// The call in a block that reports a failed check; null if the block has other effects, or other ways to it. Lanes
/// whose check has not failed may come to a report only if they then go on where they would have gone: at `otherwise`.
llvm::CallInst* failedCheckOf(llvm::BasicBlock& block, const llvm::BasicBlock* otherwise) {
  if (block.getSinglePredecessor() == nullptr || block.getSingleSuccessor() == nullptr) return nullptr;
  llvm::CallInst* found = nullptr;
  for (llvm::Instruction& instruction : block) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const bool isCheck = call != nullptr && isFailedCheck(*call);
    if (isCheck && found == nullptr)
      found = call;
    else if (isCheck || instruction.mayWriteToMemory() || !isHarmless(instruction))
      return nullptr;
  }
  const bool isReport = found != nullptr && found->getCalledFunction()->getName() == kReportFunction;
  return isReport && block.getSingleSuccessor() != otherwise ? nullptr : found;
}

} // namespace

llvm::PreservedAnalyses VoteOnChecksPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  struct Check {
    llvm::BranchInst* branch;
    llvm::CallInst* call;
    bool isInverted;
  };
  llvm::SmallVector<Check, 32> checks;
  for (llvm::BasicBlock& block : function) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (branch == nullptr || !branch->isConditional()) continue;
    for (const unsigned way : {0U, 1U})
      if (llvm::CallInst* call = failedCheckOf(*branch->getSuccessor(way), branch->getSuccessor(1 - way)))
        checks.push_back({branch, call, way == 1});
  }
  if (checks.empty()) return llvm::PreservedAnalyses::all();
  auto& uniformity = analyses.getResult<SubGroupUniformityAnalysis>(function);
  llvm::erase_if(checks,
                 [&](const Check& check) { return !uniformity.hasDivergentBranch(*check.branch->getParent()); });
  for (const auto& [branch, call, isInverted] : checks) {
    llvm::IRBuilder<> builder(branch);
    llvm::Value* failed = branch->getCondition();
    if (isInverted) failed = builder.CreateNot(failed);
    // Passes have concluded that the condition is true there.
    call->setArgOperand(0, failed);
    if (call->getCalledFunction()->getName() == kReportFunction)
      chooseValues(*call->getParent(), *branch->getParent(), failed);
    llvm::Value* any =
        createSubGroupCall(builder, {SubGroupOperation::Reduce, Combination::Or}, {failed, builder.getInt32(0)});
    branch->setCondition(isInverted ? builder.CreateNot(any) : any);
  }
  return checks.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
