// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/layout/exchange_dimensions.hpp"

#include "compiler/analysis/lane_dimension.hpp"
#include "compiler/analysis/work_item_order.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/run_pass.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>

#include <utility>

namespace clotho::compiler {
namespace {

void exchangeSize(llvm::Function& kernel, const char* name, unsigned dimension) {
  const llvm::MDNode* size = kernel.getMetadata(name);
  if (size == nullptr || size->getNumOperands() <= dimension) return;
  llvm::SmallVector<llvm::Metadata*, 3> sizes(size->op_begin(), size->op_end());
  std::swap(sizes[0], sizes[dimension]);
  kernel.setMetadata(name, llvm::MDNode::get(kernel.getContext(), sizes));
}

} // namespace

llvm::PreservedAnalyses ExchangeDimensionsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (!isKernel(function) || knowsOrder(function)) return llvm::PreservedAnalyses::all();
  const unsigned dimension = chooseLaneDimension(function, analyses);
  if (dimension == 0) return llvm::PreservedAnalyses::all();
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto intrinsic = matchIntrinsic(&instruction);
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!intrinsic || call->arg_empty()) continue;
    const unsigned renamed = intrinsic->dimension == 0           ? dimension
                             : intrinsic->dimension == dimension ? 0
                                                                 : intrinsic->dimension;
    call->setArgOperand(0, llvm::ConstantInt::get(call->getArgOperand(0)->getType(), renamed));
  }
  for (const char* name : {"reqd_work_group_size", "work_group_size_hint"})
    exchangeSize(function, name, dimension);
  changeFacts(function, [&](KernelFacts& facts) { facts.laneDimension = dimension; });
  return preservedWithEdges(true);
}

} // namespace clotho::compiler
