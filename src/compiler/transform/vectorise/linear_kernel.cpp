// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/vectorise/linear_kernel.hpp"

#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace clotho::compiler {

llvm::Function* cloneLinear(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  llvm::ValueToValueMapTy map;
  llvm::Function* linear = llvm::CloneFunction(&kernel, map);
  linear->setName(kernel.getName() + ".linear");
  linear->setSubprogram(nullptr);
  llvm::stripDebugInfo(*linear);
  changeFacts(*linear, [](KernelFacts& facts) { facts.isLinear = true; });
  linear->setMetadata("reqd_work_group_size", nullptr); // which bounds ids that there are no more
  llvm::IRBuilder<> entry(&linear->getEntryBlock(), linear->getEntryBlock().getFirstInsertionPt());
  llvm::CallInst* own = createIntrinsic(entry, Intrinsic::LocalId, 0);
  llvm::Value* rest = entry.CreateTrunc(own, entry.getInt32Ty(), "", /*IsNUW=*/true, /*IsNSW=*/true);
  llvm::Value* ids[3];
  for (unsigned i = 0; i < 2; ++i) {
    llvm::Value* size = entry.CreateTrunc(createIntrinsic(entry, Intrinsic::LocalSize, i), entry.getInt32Ty(), "",
                                          /*IsNUW=*/true, /*IsNSW=*/true);
    ids[i] = entry.CreateZExt(entry.CreateURem(rest, size), entry.getInt64Ty(), "", /*IsNonNeg=*/true);
    rest = entry.CreateUDiv(rest, size);
  }
  ids[2] = entry.CreateZExt(rest, entry.getInt64Ty(), "", /*IsNonNeg=*/true);
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(*linear))) {
    const auto call = matchIntrinsic(&instruction);
    if (!call || call->intrinsic != Intrinsic::LocalId || &instruction == own) continue;
    instruction.replaceAllUsesWith(ids[call->dimension]);
    instruction.eraseFromParent();
  }
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::ADCEPass());
  passes.run(*linear, analyses);
  return linear;
}

} // namespace clotho::compiler
