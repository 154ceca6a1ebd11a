// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/gathering_loops.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instructions.h>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

/// In cycles, as measured on Zen 4. Lanes wait for the one with most rounds.
constexpr double kGather = 2.5, kLoad = 0.5, kWork = 0.35, kWaiting = 2.0;

/// Whether the value comes from a load in the loop; `acrossRounds`: from one of an earlier round.
bool dependsOnLoad(const Value* value, const llvm::Loop& loop, bool acrossRounds) {
  llvm::SmallPtrSet<const Value*, 16> seen;
  // With whether the way led through the round before.
  llvm::SmallVector<std::pair<const Value*, bool>, 16> work = {{value, false}};
  while (!work.empty()) {
    const auto [next, before] = work.pop_back_val();
    const auto* instruction = llvm::dyn_cast<Instruction>(next);
    if (instruction == nullptr || !loop.contains(instruction) || !seen.insert(next).second) continue;
    if (llvm::isa<llvm::LoadInst>(instruction) && (before || !acrossRounds)) return true;
    const bool turns = llvm::isa<llvm::PHINode>(instruction) && instruction->getParent() == loop.getHeader();
    for (const Value* operand : instruction->operands())
      work.emplace_back(operand, before || turns);
  }
  return false;
}

bool isGatheringLoop(const llvm::Loop& loop, const LaneShapes& shapes, const SubGroupFlow& flow, unsigned width) {
  const llvm::BasicBlock* exiting = loop.getExitingBlock();
  if (!loop.isInnermost() || !flow.isDivergent(loop) || exiting == nullptr) return false;
  const auto* leave = llvm::dyn_cast<llvm::BranchInst>(exiting->getTerminator());
  if (leave == nullptr || !leave->isConditional() || dependsOnLoad(leave->getCondition(), loop, false)) return false;
  unsigned gathers = 0, others = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    if (block != exiting && flow.parts(*block)) return false;
    for (const Instruction& instruction : *block) {
      if (instruction.mayWriteToMemory()) return false;
      if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        if (!shapes.of(load->getPointerOperand()).isVarying()) continue;
        if (load->getType()->isVectorTy() || dependsOnLoad(load->getPointerOperand(), loop, true)) return false;
        ++gathers;
      } else if (!llvm::isa<llvm::PHINode, llvm::GetElementPtrInst, llvm::SExtInst, llvm::ZExtInst>(instruction) &&
                 !instruction.getType()->isVoidTy() && shapes.of(&instruction).isVarying()) {
        ++others;
      }
    }
  }
  return gathers > 1 && kWaiting * (kGather * gathers * width + others) > width * (kLoad * gathers + kWork * others);
}

} // namespace

bool gathersMoreThanItComputes(const LaneShapes& shapes, const SubGroupFlow& flow, unsigned width) {
  return llvm::any_of(flow.loops().getLoopsInPreorder(),
                      [&](const llvm::Loop* loop) { return isGatheringLoop(*loop, shapes, flow, width); });
}

} // namespace clotho::compiler
