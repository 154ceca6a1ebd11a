// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/lower/keep_in_loops.hpp"

#include "compiler/ir/demote_values.hpp"
#include "compiler/ir/sub_group_operations.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using Functions = llvm::SmallSetVector<const llvm::Function*, 16>;

/// Whether it is a sub-group function of OpenCL C, which stands for operations until builtins are linked.
bool isBuiltin(const llvm::Function& function) {
  const llvm::StringRef name = function.getName();
  return function.isDeclaration() && name.contains("sub_group_") && !name.contains("get_");
}

/// Functions that, directly or through calls, use sub-group operations whose results depend on the active lanes.
Functions usersOfOperations(const llvm::Module& module) {
  Functions users;
  const auto addCallers = [&](const llvm::Function& function) {
    for (const llvm::User* user : function.users())
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user)) users.insert(call->getFunction());
  };
  for (const llvm::Function& function : module)
    if (const auto call = matchSubGroupFunction(function); call ? tellsSubGroups(call->operation) : isBuiltin(function))
      addCallers(function);
  for (unsigned i = 0; i < users.size(); ++i)
    addCallers(*users[i]);
  return users;
}

class LoopKeeper {
 public:
  LoopKeeper(llvm::Function& function, const Functions& users)
      : users_(users), dominators_(function), loops_(dominators_) {
    for (BasicBlock& block : function) {
      order_[&block] = order_.size();
      if (usesOperations(block)) blocks_.push_back(&block);
    }
  }

  bool run() {
    // Visits innermost loops first: blocks that are added to one are then in the outer loops, too.
    const auto loops = loops_.getLoopsInPreorder();
    for (llvm::Loop* loop : llvm::reverse(loops)) {
      BasicBlock* last = nullptr;
      llvm::SmallVector<BasicBlock*, 4> latches;
      loop->getLoopLatches(latches);
      for (BasicBlock* latch : latches)
        if (last == nullptr || order_[latch] > order_[last]) last = latch;
      if (last != nullptr) keep(*loop, *last, latches);
    }
    if (ways_.empty()) return false;
    // The edge goes to the beginning of the latch: an edge to the loop header would be a second latch, and LLVM would
    // split the loop in two.
    // Front-end code has few values outside memory, and all are promoted again after inlining.
    demoteValues(*ways_.front().first->getFunction());
    for (const auto& [branch, latch] : ways_) {
      llvm::IRBuilder<> builder(branch);
      llvm::Value* leaves = createSubGroupCall(builder, {SubGroupOperation::Leaves}, {builder.getTrue()});
      builder.CreateCondBr(leaves, branch->getSuccessor(0), latch);
      branch->eraseFromParent();
    }
    return true;
  }

 private:
  bool usesOperations(const BasicBlock& block) const {
    return llvm::any_of(block, [&](const llvm::Instruction& instruction) {
      if (const auto match = matchSubGroupCall(&instruction)) return tellsSubGroups(match->operation);
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
      return callee != nullptr && (users_.contains(callee) || isBuiltin(*callee));
    });
  }

  bool isWithin(const llvm::Loop& loop, const BasicBlock& last, const BasicBlock& block) const {
    const unsigned position = order_.lookup(&block);
    return position > order_.lookup(loop.getHeader()) && position < order_.lookup(&last);
  }

  /// Whether the CFG's loop has the block and keeps it, whichever conditions turn out to be constant: iterations
  /// without it would not end the loop.
  bool stays(const llvm::Loop& loop, llvm::ArrayRef<BasicBlock*> latches, const BasicBlock& block) const {
    return loop.contains(&block) &&
           llvm::all_of(latches, [&](const BasicBlock* latch) { return dominators_.dominates(&block, latch); });
  }

  /// Adds edges from blocks that are in the loop in the source but not in the CFG, or not once LLVM knows conditions,
  /// following their paths out of the loop.
  void keep(const llvm::Loop& loop, BasicBlock& last, llvm::ArrayRef<BasicBlock*> latches) {
    llvm::SmallPtrSet<BasicBlock*, 8> seen;
    llvm::SmallVector<BasicBlock*, 8> work;
    for (BasicBlock* block : blocks_)
      if (isWithin(loop, last, *block) && !stays(loop, latches, *block)) work.push_back(block);
    while (!work.empty()) {
      BasicBlock* block = work.pop_back_val();
      if (!seen.insert(block).second) continue;
      for (BasicBlock* next : llvm::successors(block)) {
        if (isWithin(loop, last, *next)) {
          work.push_back(next);
          continue;
        }
        if (loop.contains(next)) continue;
        auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
        if (branch != nullptr && branch->isUnconditional()) ways_.try_emplace(branch, &last);
      }
    }
  }

  const Functions& users_;
  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
  llvm::DenseMap<const BasicBlock*, unsigned> order_;
  llvm::SmallVector<BasicBlock*, 8> blocks_; ///< blocks that use sub-group operations
  llvm::MapVector<llvm::BranchInst*, BasicBlock*> ways_;
};

} // namespace

llvm::PreservedAnalyses KeepInLoopsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  const Functions users = usersOfOperations(module);
  bool changed = false;
  for (llvm::Function& function : module)
    if (users.contains(&function) && !function.hasFnAttribute(kKeptInLoops))
      changed |= LoopKeeper(function, users).run();
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
