// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/layout/expand_global_ids.hpp"

#include "compiler/analysis/mergeable_groups.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/replace_calls.hpp"
#include "compiler/ir/sub_group_operations.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

constexpr unsigned kLocalSpace = 3;

// Wanted lengths of rows of merged work-groups, in work-items. In kernels with loops, work-items of a group may share
// data in a cache, so rows must not be too long. Kernels without loops access memory sequentially.
constexpr std::uint32_t kMergedRowWithLoops = 256, kMergedRowWithoutLoops = 16384;

using Functions = llvm::SmallPtrSet<const llvm::Function*, 8>;

/// Functions that use a local variable.
Functions usersOfLocalVariables(const llvm::Module& module) {
  Functions functions;
  llvm::SmallVector<const llvm::User*, 16> work;
  for (const llvm::GlobalVariable& variable : module.globals())
    if (variable.getAddressSpace() == kLocalSpace) work.append(variable.user_begin(), variable.user_end());
  while (!work.empty()) {
    const llvm::User* user = work.pop_back_val();
    if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user))
      functions.insert(instruction->getFunction());
    else
      work.append(user->user_begin(), user->user_end());
  }
  return functions;
}

/// Whether the kernel may use local variables: any function that is called may be called by the kernel.
bool mayUse(const Functions& users, const llvm::Function& kernel) {
  return llvm::any_of(
      users, [&](const llvm::Function* user) { return user == &kernel || !isKernel(*user) || !user->use_empty(); });
}

/// Whether the function has a loop of more than a few iterations, unlike those over neighbouring elements.
bool hasLongLoop(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  constexpr unsigned kFewTrips = 16;
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  if (loops.empty()) return false;
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  return llvm::any_of(loops.getLoopsInPreorder(), [&](const llvm::Loop* loop) {
    const unsigned trips = evolution.getSmallConstantTripCount(loop);
    return trips == 0 || trips > kFewTrips;
  });
}

bool hasRows(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    return isIntrinsic(&instruction, Intrinsic::GlobalId, 1);
  });
}

void expand(llvm::Function& function, bool isMerged) {
  replaceIntrinsics(function, [&](llvm::CallInst& call, const IntrinsicCall& what) -> llvm::Value* {
    if (what.intrinsic != Intrinsic::GlobalId) return nullptr;
    llvm::IRBuilder<> builder(&call);
    llvm::Value* base = createIntrinsic(builder, Intrinsic::GroupBase, what.dimension);
    llvm::CallInst* id = createIntrinsic(builder, Intrinsic::LocalId, what.dimension);
    // Ids are contiguous over all groups that run as one.
    if (isMerged && what.dimension == 0) {
      id->removeRetAttr(llvm::Attribute::Range);
      id->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(64, 0), llvm::APInt(64, std::uint64_t(1) << 31)));
    }
    // No overflow: clEnqueueNDRangeKernel rejects an offset and a size whose sum exceeds size_t.
    return builder.CreateAdd(base, id, "global_id", /*HasNUW=*/true);
  });
}

} // namespace

llvm::PreservedAnalyses ExpandGlobalIdsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager& moduleAnalyses) {
  auto& analyses = moduleAnalyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  const Functions localUsers = usersOfLocalVariables(module);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    if (isKernel(function) && !mayUse(localUsers, function) && isMergeable(function))
      changeFacts(function, [&](KernelFacts& facts) {
        facts.mergedRow = hasLongLoop(function, analyses) ? kMergedRowWithLoops : kMergedRowWithoutLoops;
        facts.isStackable = hasRows(function) && isStackable(function);
      });
    expand(function, factsOf(function).mergedRow != 0);
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
