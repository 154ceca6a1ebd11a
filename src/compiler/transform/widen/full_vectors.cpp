// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/widen/full_vectors.hpp"

#include "compiler/analysis/instruction_cost.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <cmath>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::TargetTransformInfo;

/// Instructions that processors have under way at once, about, and so few that they are at several rounds then.
constexpr double kLookAhead = 256, kLongRow = 64;
/// Full vectors gain nothing by more work-items, as long as nothing waits, but scalars beside them do.
constexpr double kLeastShare = 2;
constexpr double kTimesRegisters = 2;
constexpr unsigned kDeepest = 6;

double roundsOf(const llvm::BasicBlock& block, const llvm::LoopInfo& loops) {
  return std::exp2(3 * std::min(loops.getLoopDepth(&block), kDeepest));
}

/// Whether each round of the innermost loop around the block comes to it, or each work-item where there is none: what
/// is found once in a while is behind a condition.
bool runsInEachRound(const llvm::BasicBlock& block, const LoopedKernel& kernel) {
  if (const llvm::Loop* loop = kernel.loops.getLoopFor(&block))
    return loop->getLoopLatch() != nullptr && kernel.dominators.dominates(&block, loop->getLoopLatch());
  return llvm::all_of(kernel.function, [&](const llvm::BasicBlock& last) {
    return !llvm::isa<llvm::ReturnInst>(last.getTerminator()) || kernel.dominators.dominates(&block, &last);
  });
}

/// A row of instructions without a branch.
struct Row {
  double count = 0;  ///< operations of whole vectors
  double length = 0; ///< cycles of the longest chain of them, each of which waits for the one before
  double reals = 0;  ///< of `count`, those of floating point
};

/// A full vector of its own in each work-item.
bool isOwnVector(const Instruction& instruction, const LaneShapes& shapes, const ProcessorModel& cpu) {
  return isFullVector(instruction, cpu, 1) && shapes.of(&instruction).isVarying();
}

/// Each register of a vector of several waits for its own result; the tables have the sum of all.
double latencyOf(const Instruction& instruction, const TargetTransformInfo& costs, const ProcessorModel& cpu) {
  if (addsToProduct(instruction)) return cpu.latency;
  if (multipliesIntegers(instruction)) return cpu.productLatency;
  const auto bits = static_cast<double>(instruction.getType()->getPrimitiveSizeInBits().getFixedValue());
  return costByTables(instruction, costs, TargetTransformInfo::TCK_Latency) / std::max(bits / cpu.vectorBits, 1.0);
}

Row rowOf(const llvm::BasicBlock& block, const LaneShapes& shapes, const TargetTransformInfo& costs,
          const ProcessorModel& cpu) {
  Row row;
  llvm::DenseMap<const llvm::Value*, double> ready;
  for (const Instruction& instruction : block) {
    double begin = 0;
    if (!llvm::isa<llvm::PHINode>(instruction))
      for (const llvm::Value* operand : instruction.operands())
        if (const auto known = ready.find(operand); known != ready.end()) begin = std::max(begin, known->second);
    const bool counts = isOwnVector(instruction, shapes, cpu) && !llvm::isa<llvm::PHINode>(instruction);
    if (counts) {
      const double operations = costByTables(instruction, costs, TargetTransformInfo::TCK_RecipThroughput);
      row.count += operations;
      if (instruction.getType()->isFPOrFPVectorTy()) row.reals += operations;
      begin += latencyOf(instruction, costs, cpu);
    }
    ready[&instruction] = begin;
    row.length = std::max(row.length, begin);
  }
  return row;
}

bool isUsedBehind(const Instruction& value) {
  return llvm::any_of(value.users(), [&](const llvm::User* user) {
    return llvm::isa<llvm::PHINode>(user) || llvm::cast<Instruction>(user)->getParent() != value.getParent();
  });
}

/// How many registers the vectors of a work-item take that the block has at once, at most.
unsigned mostRegisters(const llvm::BasicBlock& block, const LaneShapes& shapes, const ProcessorModel& cpu) {
  llvm::SmallPtrSet<const Instruction*, 32> live;
  unsigned now = 0, most = 0;
  const auto sizeOf = [&](const Instruction& value) {
    return static_cast<unsigned>(value.getType()->getPrimitiveSizeInBits().getFixedValue() / cpu.vectorBits);
  };
  const auto add = [&](const Instruction& value) {
    if (isOwnVector(value, shapes, cpu) && live.insert(&value).second) now += sizeOf(value);
  };
  for (const Instruction& instruction : llvm::reverse(block)) {
    if (isUsedBehind(instruction)) add(instruction);
    most = std::max(most, now);
    if (live.erase(&instruction)) now -= sizeOf(instruction);
    if (llvm::isa<llvm::PHINode>(instruction)) continue;
    for (const llvm::Value* operand : instruction.operands())
      if (const auto* value = llvm::dyn_cast<Instruction>(operand)) add(*value);
  }
  return most;
}

/// Whether the block's next round waits for vectors of this one.
bool carriesVectors(const llvm::BasicBlock& block, const LoopedKernel& kernel, const LaneShapes& shapes,
                    const ProcessorModel& cpu) {
  const llvm::Loop* loop = kernel.loops.getLoopFor(&block);
  return loop != nullptr && llvm::any_of(loop->getHeader()->phis(),
                                         [&](const llvm::PHINode& phi) { return isOwnVector(phi, shapes, cpu); });
}

} // namespace

bool isFullVector(const Instruction& instruction, const ProcessorModel& cpu, unsigned lanes) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
  return vector != nullptr && llvm::isPowerOf2_32(vector->getNumElements()) &&
         vector->getPrimitiveSizeInBits().getFixedValue() * lanes >= cpu.vectorBits &&
         llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::IntrinsicInst, llvm::PHINode>(instruction);
}

bool computesFullVectors(const LoopedKernel& kernel, const LaneShapes& shapes, const ProcessorModel& cpu) {
  double full = 0, others = 0;
  for (const llvm::BasicBlock& block : kernel.function) {
    if (!runsInEachRound(block, kernel)) continue;
    const double rounds = roundsOf(block, kernel.loops);
    for (const Instruction& instruction : block)
      if (shapes.of(&instruction).isVarying() && !instruction.getType()->isPointerTy())
        (isFullVector(instruction, cpu, 1) ? full : others) += rounds;
  }
  return full > kLeastShare * others;
}

namespace {

struct Filling {
  double least;  ///< vectors that would be enough if every pipe took every instruction
  double wanted; ///< vectors that are worth having
};

/// How many vectors for each value would keep the processor's pipes busy, if a kernel computes full ones in long rows
/// of instructions, as ciphers and hashes do. Less than one, where more of its instructions do not wait for each other
/// than there are pipes, or registers are too few for two; more, where they wait, since no processor looks so far ahead
/// that it could begin the next round or work-item. Integers that clearly wait have more, since few pipes take
/// rotations and the like (ProcessorModel::unevenness), and then a power of two.
std::optional<Filling> vectorsToFill(const LoopedKernel& kernel, const LaneShapes& shapes,
                                     const TargetTransformInfo& costs, const ProcessorModel& cpu) {
  if (!computesFullVectors(kernel, shapes, cpu)) return std::nullopt;
  Row longest;
  const llvm::BasicBlock* where = nullptr;
  double most = 0;
  for (const llvm::BasicBlock& block : kernel.function) {
    const Row row = rowOf(block, shapes, costs, cpu);
    const double all = row.count * roundsOf(block, kernel.loops);
    if (row.count < kLongRow || all <= most || !runsInEachRound(block, kernel)) continue;
    longest = row;
    where = &block;
    most = all;
  }
  if (where == nullptr) return std::nullopt;
  const bool overlap = !carriesVectors(*where, kernel, shapes, cpu);
  const double together = longest.count / longest.length * (overlap ? std::max(kLookAhead / longest.count, 1.0) : 1);
  const bool areReals = 2 * longest.reals > longest.count;
  const double least = (areReals ? cpu.pipes : cpu.integerPipes) / together;
  const bool needsMore = !areReals && least >= cpu.unevenness;
  const double wanted = needsMore ? std::exp2(std::ceil(std::log2(cpu.unevenness * least))) : least;
  // While some wait there is time for others that are kept in memory, but not for as many again as there are registers.
  const double fit = kTimesRegisters * cpu.registers / std::max(mostRegisters(*where, shapes, cpu), 1U);
  if (fit < 2) return Filling{0, 0};
  return Filling{std::min(least, fit), std::min(wanted, fit)};
}

} // namespace

std::optional<OwnWidth> widthByOwnVectors(const LoopedKernel& kernel, const LaneShapes& shapes,
                                          const TargetTransformInfo& costs, const ProcessorModel& cpu) {
  const std::optional<Filling> vectors = vectorsToFill(kernel, shapes, costs, cpu);
  if (!vectors) return std::nullopt;
  // Hashes take long to build, so that a trial takes longer than many of their launches.
  constexpr double kClearlyOne = 2.0 / 3, kClearlySeveral = 2, kMostVectors = 8;
  return OwnWidth{1U << static_cast<unsigned>(std::lround(std::log2(std::clamp(vectors->wanted, 1.0, kMostVectors)))),
                  vectors->least < kClearlyOne || vectors->least > kClearlySeveral};
}

} // namespace clotho::compiler
