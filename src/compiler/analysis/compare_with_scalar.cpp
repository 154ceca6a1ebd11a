// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/compare_with_scalar.hpp"

#include "compiler/analysis/exchange_loops.hpp"
#include "compiler/analysis/instruction_cost.hpp"
#include "compiler/ir/intrinsics.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/ProfDataUtils.h>
#include <llvm/Target/TargetMachine.h>

#include <cmath>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr unsigned kLocalSpace = 3;

// Costs that LLVM's tables lack, in their unit: the time in which a processor begins a load or an addition.

/// An atomic operation, which the tables count as a load.
constexpr double kAtomic = 20;
/// An atomic on local memory, which is lowered to a load, an addition and a store.
constexpr double kCounted = 3;
/// Overhead of a lane compared with a scalar work-item for an atomic exchange: extracting its operands from vectors and
/// inserting its result.
constexpr double kAlone = 40;
/// Cache miss of an exchange whose address was not accessed before. If lanes prefetch their addresses, they wait once.
constexpr double kMissed = 15;
/// Cost of a branch misprediction times its probability, for branches on loaded data.
constexpr double kGuess = 6;
/// Latency of a load whose address depends on a load of the previous iteration: ten cycles, between first- and
/// second-level cache, in each of which three loads could begin.
constexpr double kChase = 30;
/// A cache line that each lane writes in a row of its own. Hardware prefetchers follow a few streams, but not one for
/// each lane.
constexpr double kLineOfRow = 40;
/// Delay of each lane of a gather until an earlier scatter in the same iteration has reached the cache (no store
/// forwarding).
constexpr double kForward = 8;
/// Ratio of the longest to the average number of iterations, if lanes leave a loop in different iterations.
constexpr double kWaiting = 2;
/// Assumed trip count of loops with an unknown or larger one. Beyond kDeepest nested loops the depth no longer counts.
constexpr double kAssumedTrips = 8;
constexpr unsigned kDeepest = 6;
/// Most values visited to find what a value depends on. More distant ones hardly delay it.
constexpr unsigned kMostSeen = 1000;
/// Assumed number of work-items in a work-group.
constexpr double kGroupSize = 256;
/// Ratio of times from which the vectorised code is clearly slower: the estimate is rough.
constexpr double kClearLoss = 1.2;
/// Estimated gain from which vectorised code is hardly ever slower than scalar code.
constexpr double kClearGain = 1.5;

/// Whether the value depends on a load in the loop whose address varies there; `acrossIterations`: on a load of an
/// earlier iteration.
bool dependsOnLoad(const Value* value, const llvm::Loop& loop, bool acrossIterations) {
  llvm::SmallPtrSet<const Value*, 16> seen;
  // The second element: whether the path passes through the previous iteration.
  llvm::SmallVector<std::pair<const Value*, bool>, 16> work = {{value, false}};
  while (!work.empty() && seen.size() < kMostSeen) {
    const auto [next, before] = work.pop_back_val();
    const auto* instruction = llvm::dyn_cast<Instruction>(next);
    if (instruction == nullptr || !loop.contains(instruction) || !seen.insert(next).second) continue;
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction);
        load != nullptr && (before || !acrossIterations) && !loop.isLoopInvariant(load->getPointerOperand()))
      return true;
    const bool isHeaderPhi = llvm::isa<llvm::PHINode>(instruction) && instruction->getParent() == loop.getHeader();
    for (const Value* operand : instruction->operands())
      work.emplace_back(operand, before || isHeaderPhi);
  }
  return false;
}

bool isMask(const Value& value) { return value.getType()->isVectorTy() && value.getType()->isIntOrIntVectorTy(1); }

/// Whether lanes differ for another reason than their position: by loaded data, or by values accumulated over
/// iterations.
bool differsByData(const Value* lanes) {
  llvm::SmallPtrSet<const Value*, 16> seen;
  llvm::SmallVector<const Value*, 16> work = {lanes};
  while (!work.empty()) {
    const auto* instruction = llvm::dyn_cast<Instruction>(work.pop_back_val());
    if (instruction == nullptr || !instruction->getType()->isVectorTy() || !seen.insert(instruction).second) continue;
    if (llvm::isa<llvm::LoadInst, llvm::CallInst>(instruction)) return true;
    if (llvm::isa<llvm::PHINode>(instruction) && !isMask(*instruction)) return true;
    work.append(instruction->op_begin(), instruction->op_end());
  }
  return false;
}

/// Whether lanes leave a widened loop in quite different iterations. Its header has a phi of the active lanes.
bool isLeftDivergently(const llvm::Loop& loop) {
  return llvm::any_of(loop.getHeader()->phis(),
                      [](const llvm::PHINode& phi) { return isMask(phi) && differsByData(&phi); });
}

/// Whether branch weights mark the block as unlikely: it handles addresses that were expected to be contiguous but are
/// not.
bool isUnlikely(const llvm::BasicBlock& block) {
  const llvm::BasicBlock* before = block.getSinglePredecessor();
  const auto* branch = before == nullptr ? nullptr : llvm::dyn_cast<llvm::BranchInst>(before->getTerminator());
  std::uint64_t taken = 0, other = 0;
  if (branch == nullptr || !branch->isConditional() || !llvm::extractBranchWeights(*branch, taken, other)) return false;
  if (branch->getSuccessor(0) != &block) std::swap(taken, other);
  return taken < other;
}

bool isBarrier(const Instruction& instruction) {
  return isIntrinsic(&instruction, Intrinsic::Barrier) || isIntrinsic(&instruction, Intrinsic::Yield);
}

bool hasBarriers(const llvm::Loop& loop) {
  return llvm::any_of(loop.blocks(), [](const llvm::BasicBlock* block) { return llvm::any_of(*block, isBarrier); });
}

/// The scalar from which lanes' values are computed, without added constants.
const Value* baseOf(const Value* value) {
  while (const auto* instruction = llvm::dyn_cast<Instruction>(value)) {
    if (llvm::isa<llvm::CastInst, llvm::ShuffleVectorInst>(instruction) ||
        (instruction->getOpcode() == Instruction::Add && llvm::isa<llvm::Constant>(instruction->getOperand(1))))
      value = instruction->getOperand(0);
    else if (llvm::isa<llvm::InsertElementInst>(instruction))
      value = instruction->getOperand(1);
    else
      break;
  }
  return value;
}

/// The step of a loop variable, if it is a constant or the size of the work-group; else 0.
double stepOf(const llvm::PHINode& variable, const llvm::Loop& loop) {
  const auto* next = llvm::dyn_cast<llvm::BinaryOperator>(variable.getIncomingValueForBlock(loop.getLoopLatch()));
  if (next == nullptr || next->getOpcode() != Instruction::Add || next->getOperand(0) != &variable) return 0;
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(next->getOperand(1)))
    return number->getValue().signedRoundToDouble();
  return isIntrinsic(baseOf(next->getOperand(1)), Intrinsic::LocalSize) ? kGroupSize : 0;
}

/// The comparisons in the exit conditions of a loop; in a widened loop, for each lane.
llvm::SmallVector<const llvm::ICmpInst*, 4> questionsOf(const llvm::Loop& loop) {
  llvm::SmallVector<const llvm::ICmpInst*, 4> questions;
  llvm::SmallPtrSet<const Value*, 16> seen;
  llvm::SmallVector<const Value*, 16> work;
  llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
  loop.getExitingBlocks(exiting);
  for (const llvm::BasicBlock* block : exiting)
    work.push_back(block->getTerminator());
  while (!work.empty()) {
    const auto* instruction = llvm::dyn_cast<Instruction>(work.pop_back_val());
    if (instruction == nullptr || !loop.contains(instruction) || !seen.insert(instruction).second) continue;
    if (const auto* question = llvm::dyn_cast<llvm::ICmpInst>(instruction)) questions.push_back(question);
    if (!llvm::isa<llvm::PHINode>(instruction)) work.append(instruction->op_begin(), instruction->op_end());
  }
  return questions;
}

/// Trip count of a loop that counts to a constant; otherwise the assumed one.
double tripsOfLoop(const llvm::Loop& loop) {
  const llvm::BasicBlock* before = loop.getLoopPredecessor();
  if (before == nullptr || loop.getLoopLatch() == nullptr) return kAssumedTrips;
  for (const llvm::ICmpInst* question : questionsOf(loop)) {
    const auto* bound = llvm::dyn_cast<llvm::Constant>(question->getOperand(1));
    if (bound != nullptr && bound->getType()->isVectorTy()) bound = bound->getSplatValue();
    const auto* last = llvm::dyn_cast_or_null<llvm::ConstantInt>(bound);
    if (last == nullptr) continue;
    for (const llvm::PHINode& variable : loop.getHeader()->phis()) {
      const Value* counted = baseOf(question->getOperand(0));
      if (counted != &variable && counted != variable.getIncomingValueForBlock(loop.getLoopLatch())) continue;
      const double step = stepOf(variable, loop);
      if (step == 0) continue;
      // A start that is not constant is a work-item's id when counting up, which is small; when counting down it is
      // unknown.
      const auto* first = llvm::dyn_cast<llvm::ConstantInt>(variable.getIncomingValueForBlock(before));
      if (first == nullptr && step < 0) continue;
      const double distance =
          last->getValue().signedRoundToDouble() - (first == nullptr ? 0 : first->getValue().signedRoundToDouble());
      return std::clamp(std::ceil(std::abs(distance / step)), 1.0, kAssumedTrips);
    }
  }
  return kAssumedTrips;
}

/// Part of a function for which costs are added.
enum class Part { All, LoopsWithoutBarriers };

class Estimate {
 public:
  /// `lanes`: 1 for a scalar function.
  Estimate(const LoopedFunction& given, unsigned lanes, const llvm::TargetTransformInfo& costs,
           const ProcessorModel& cpu)
      : function_(given.function), loops_(given.loops), lanes_(lanes), isScalar_(lanes == 1), costs_(costs), cpu_(cpu) {
    // Computed once for each loop, since a loop has many blocks.
    for (const llvm::Loop* loop : loops_.getLoopsInPreorder())
      ofLoops_[loop] = {tripsOfLoop(*loop), isLeftDivergently(*loop), hasBarriers(*loop)};
  }

  /// Cost of the cache lines that a work-item writes while others write theirs.
  double costOfLines(const RowStores& rows) const {
    constexpr double kLine = 64;
    double sum = 0;
    for (const auto& [store, step] : rows)
      sum += tripsOf(*store->getParent()) * step / kLine * kLineOfRow;
    return sum;
  }

  double costOf(Part part) const {
    double sum = 0;
    for (const llvm::BasicBlock& block : function_) {
      if (part == Part::LoopsWithoutBarriers && !isInLoopWithoutBarriers(block)) continue;
      double once = 0;
      for (const Instruction& instruction : block)
        once += costOf(instruction) + (isScalar_ ? waitingFor(instruction) : 0);
      sum += tripsOf(block) * once;
    }
    return sum;
  }

 private:
  struct OfLoop {
    double trips;
    bool isLeftDivergently, hasBarriers;
  };

  bool isInLoopWithoutBarriers(const llvm::BasicBlock& block) const {
    const llvm::Loop* loop = loops_.getLoopFor(&block);
    return loop != nullptr && !ofLoops_.find(loop)->second.hasBarriers;
  }

  double tripsOf(const llvm::BasicBlock& block) const {
    if (isUnlikely(block)) return 0;
    double trips = 1;
    unsigned depth = 0;
    bool waits = false;
    for (const llvm::Loop* loop = loops_.getLoopFor(&block); loop != nullptr; loop = loop->getParentLoop()) {
      const OfLoop& known = ofLoops_.find(loop)->second;
      if (++depth <= kDeepest) trips *= known.trips;
      waits = waits || known.isLeftDivergently;
    }
    return waits ? kWaiting * trips : trips;
  }

  double waitingFor(const Instruction& instruction) const {
    const llvm::Loop* loop = loops_.getLoopFor(instruction.getParent());
    if (loop == nullptr) return 0;
    if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&instruction))
      return branch->isConditional() && dependsOnLoad(branch->getCondition(), *loop, false) ? kGuess : 0;
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
      return dependsOnLoad(load->getPointerOperand(), *loop, true) ? kChase : 0;
    return 0;
  }

  double costOf(const Instruction& instruction) const {
    if (matchIntrinsic(&instruction)) return 0;
    if (const auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
      return atomic->getPointerAddressSpace() != kLocalSpace ? kAtomic : kCounted;
    if (llvm::isa<llvm::AtomicCmpXchgInst>(instruction)) return kAtomic;
    if (isExchangeLoop(instruction)) return costOfExchanges(llvm::cast<llvm::CallInst>(instruction));
    const double byTables = costByTables(instruction, costs_, llvm::TargetTransformInfo::TCK_RecipThroughput);
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (call == nullptr) return byTables;
    if (call->getIntrinsicID() == llvm::Intrinsic::masked_gather) {
      const unsigned lanes = llvm::cast<llvm::FixedVectorType>(call->getType())->getNumElements();
      return std::max(byTables, lanes * cpu_.gatheredLane) + (waitsForScatter(*call) ? lanes * kForward : 0);
    }
    if (call->getIntrinsicID() == llvm::Intrinsic::masked_scatter) {
      const auto* type = llvm::cast<llvm::FixedVectorType>(call->getArgOperand(0)->getType());
      return std::max(byTables, type->getNumElements() * cpu_.gatheredLane);
    }
    return byTables;
  }

  /// Cost of a compare-exchange loop, which most work-items run once. Lanes call it in a loop that counts like any
  /// other.
  double costOfExchanges(const llvm::CallInst& call) const {
    double cost = 0;
    for (const Instruction& instruction : llvm::instructions(*call.getCalledFunction()))
      if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction))
        cost += pointerSpace(instruction) == kLocalSpace ? kCounted : kAtomic;
      else
        ++cost;
    if (!isScalar_) return (cost + kAlone) * lanes_ / kAssumedTrips;
    const auto* before = llvm::dyn_cast_or_null<llvm::IntrinsicInst>(call.getPrevNode());
    const bool isPrefetched = before != nullptr && before->getIntrinsicID() == llvm::Intrinsic::prefetch;
    return isPrefetched ? cost + kMissed : cost;
  }

  static unsigned pointerSpace(const Instruction& access) {
    const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&access);
    return exchange != nullptr ? exchange->getPointerAddressSpace()
                               : llvm::cast<llvm::AtomicRMWInst>(access).getPointerAddressSpace();
  }

  /// Whether the loop also scatters to the same private array.
  bool waitsForScatter(const llvm::IntrinsicInst& gather) const {
    const llvm::Loop* loop = loops_.getLoopFor(gather.getParent());
    const Value* array = llvm::getUnderlyingObject(gather.getArgOperand(0));
    if (loop == nullptr || !llvm::isa<llvm::AllocaInst>(array)) return false;
    return llvm::any_of(array->users(), [&](const llvm::User* user) {
      return llvm::any_of(user->users(), [&](const llvm::User* access) {
        const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(access);
        return call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::masked_scatter && loop->contains(call);
      });
    });
  }

  const llvm::Function& function_;
  const llvm::LoopInfo& loops_;
  const double lanes_;
  const bool isScalar_; ///< The code runs one work-item: branches are predicted, and each load has its own latency.
  const llvm::TargetTransformInfo& costs_;
  const ProcessorModel& cpu_;
  llvm::DenseMap<const llvm::Loop*, OfLoop> ofLoops_;
};

} // namespace

namespace {

struct Gains {
  double all, clear; ///< `clear` leaves out what cannot be estimated well
};

Gains gainsOf(const LoopedFunction& widened, const LoopedFunction& scalar, const RowStores& rows, unsigned width,
              const llvm::TargetTransformInfo& costs, const ProcessorModel& cpu) {
  const Estimate together(widened, width, costs, cpu), alone(scalar, 1, costs, cpu);
  const auto gain = [&](Part part) {
    const double most = width, cost = together.costOf(part) + width * alone.costOfLines(rows);
    return cost == 0 ? most : width * alone.costOf(part) / cost;
  };
  const bool waits = waitsForOthers(scalar.function);
  const double all = gain(Part::All);
  return {all, waits ? std::max(all, gain(Part::LoopsWithoutBarriers)) : all};
}

} // namespace

double estimatedGain(const LoopedFunction& widened, const LoopedFunction& scalar, unsigned width,
                     const llvm::TargetTransformInfo& costs, const ProcessorModel& cpu) {
  return gainsOf(widened, scalar, RowStores(), width, costs, cpu).clear;
}

ScalarSpeed scalarSpeed(llvm::Function& widened, const LoopedFunction& scalar, const RowStores& rows, unsigned width,
                        const llvm::TargetMachine* machine, const ProcessorModel& cpu) {
  const llvm::DominatorTree dominators(widened);
  const llvm::LoopInfo loops(dominators);
  const llvm::TargetTransformInfo costs = machine != nullptr ? machine->getTargetTransformInfo(widened)
                                                             : llvm::TargetTransformInfo(widened.getDataLayout());
  const Gains gains = gainsOf({widened, loops}, scalar, rows, width, costs, cpu);
  if (kClearLoss * gains.clear < 1) return ScalarSpeed::ClearlyFaster;
  return gains.all < kClearGain ? ScalarSpeed::PerhapsFaster : ScalarSpeed::Slower;
}

} // namespace clotho::compiler
