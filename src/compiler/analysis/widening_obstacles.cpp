// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/widening_obstacles.hpp"

#include "compiler/ir/kernels.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>

namespace clotho::compiler {
namespace {

/// Most private memory of a work-item in bytes; a worker's stack holds it for all lanes.
constexpr std::uint64_t kPrivateLimit = 64 << 10;

} // namespace

std::string obstacleToWidening(const llvm::Function& kernel) {
  for (const llvm::BasicBlock& block : kernel) {
    if (!llvm::isa<llvm::BranchInst, llvm::SwitchInst, llvm::ReturnInst, llvm::UnreachableInst>(block.getTerminator()))
      return "it jumps to computed places";
    for (const llvm::Instruction& instruction : block)
      if (const auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction); memory && !memory->isStaticAlloca())
        return "it has private variables of unknown size";
    // Optimised code has none of them left.
    if (llvm::any_of(block, [](const llvm::Instruction& instruction) {
          const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
          return (store != nullptr && store->getValueOperand()->getType()->isTargetExtTy()) ||
                 (llvm::isa<llvm::LoadInst, llvm::PHINode, llvm::SelectInst>(instruction) &&
                  instruction.getType()->isTargetExtTy());
        }))
      return "it has variables that are events";
  }
  if (const std::uint64_t bytes = privateBytes(kernel); bytes > kPrivateLimit)
    return "its private variables take " + std::to_string(bytes) + " bytes";
  return {};
}

bool hasEndlessLoop(const llvm::Function& kernel, const llvm::LoopInfo& loops) {
  for (const llvm::Loop* loop : loops.getLoopsInPreorder())
    if (!loop->isLoopSimplifyForm() || loop->hasNoExitBlocks()) return true;
  return llvm::none_of(
      kernel, [](const llvm::BasicBlock& block) { return llvm::isa<llvm::ReturnInst>(block.getTerminator()); });
}

} // namespace clotho::compiler
