// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/loops/unroll_kept_rows.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/LoopPass.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

namespace clotho::compiler {
namespace {

constexpr unsigned kFewestMoves = 8; // below, they cost less than a longer loop
constexpr unsigned kRounds = 4;
constexpr std::size_t kMostInstructions = 100;

/// Vectors that become another one in the next round, as they are.
unsigned movesOf(const llvm::Loop& loop) {
  unsigned moves = 0;
  for (const llvm::PHINode& phi : loop.getHeader()->phis()) {
    const auto* next = llvm::dyn_cast<llvm::PHINode>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
    if (phi.getType()->isVectorTy() && next != nullptr && next->getParent() == loop.getHeader()) ++moves;
  }
  return moves;
}

std::size_t sizeOf(const llvm::Loop& loop) {
  std::size_t size = 0;
  for (const llvm::BasicBlock* block : loop.blocks())
    size += block->size();
  return size;
}

} // namespace

llvm::PreservedAnalyses UnrollKeptRowsPass::run(llvm::Loop& loop, llvm::LoopAnalysisManager&,
                                                llvm::LoopStandardAnalysisResults& results, llvm::LPMUpdater& updater) {
  if (!loop.isInnermost() || loop.getLoopLatch() == nullptr || loop.getLoopLatch() != loop.getExitingBlock() ||
      movesOf(loop) < kFewestMoves || sizeOf(loop) > kMostInstructions)
    return llvm::PreservedAnalyses::all();
  llvm::UnrollLoopOptions options{};
  options.Count = kRounds;
  options.Force = true;
  llvm::OptimizationRemarkEmitter remarks(loop.getHeader()->getParent());
  const std::string name = loop.getName().str();
  const llvm::LoopUnrollResult result =
      llvm::UnrollLoop(&loop, options, &results.LI, &results.SE, &results.DT, &results.AC, &results.TTI, &remarks,
                       /*PreserveLCSSA=*/true, nullptr, &results.AA);
  // No loop is left of one that has at most four rounds.
  if (result == llvm::LoopUnrollResult::FullyUnrolled) updater.markLoopAsDeleted(loop, name);
  return result == llvm::LoopUnrollResult::Unmodified ? llvm::PreservedAnalyses::all()
                                                      : llvm::getLoopPassPreservedAnalyses();
}

} // namespace clotho::compiler
