// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/full_vectors.hpp"

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

/// Approximate number of instructions in flight, and the number below which several iterations are in flight.
constexpr double kLookAhead = 256, kLongBlock = 64;
/// Least number of full vectors for each other operation. They gain nothing by more work-items, unless they wait, but
/// scalars beside them do.
constexpr double kLeastShare = 2;
constexpr double kTimesRegisters = 2;
constexpr unsigned kDeepest = 6;

double tripsOf(const llvm::BasicBlock& block, const llvm::LoopInfo& loops) {
  return std::exp2(3 * std::min(loops.getLoopDepth(&block), kDeepest));
}

/// Tells blocks that run in each iteration of the innermost loop around them, or for each work-item if there is none.
class RegularBlocks {
 public:
  explicit RegularBlocks(const LoopedKernel& kernel) : kernel_(kernel) {
    for (const llvm::BasicBlock& block : kernel.function)
      if (llvm::isa<llvm::ReturnInst>(block.getTerminator())) ends_.push_back(&block);
  }
  bool contains(const llvm::BasicBlock& block) const {
    if (const llvm::Loop* loop = kernel_.loops.getLoopFor(&block))
      return loop->getLoopLatch() != nullptr && kernel_.dominators.dominates(&block, loop->getLoopLatch());
    return llvm::all_of(ends_, [&](const llvm::BasicBlock* end) { return kernel_.dominators.dominates(&block, end); });
  }

 private:
  const LoopedKernel& kernel_;
  llvm::SmallVector<const llvm::BasicBlock*, 4> ends_;
};

/// Cost of a block of instructions.
struct BlockCost {
  double count = 0;  ///< operations of whole vectors
  double length = 0; ///< cycles of the longest chain of them, each of which waits for the one before
  double reals = 0;  ///< number of those that compute with floating point
};

/// Whether each work-item has a vector in this value that fills the processor's.
bool isOwnVector(const Instruction& instruction, const LaneShapes& shapes, const ProcessorModel& cpu) {
  return isFullVector(instruction, cpu, 1) && shapes.of(&instruction).isVarying();
}

/// Latency of one register's operation; the tables have the sum over all registers of a vector.
double latencyOf(const Instruction& instruction, const TargetTransformInfo& costs, const ProcessorModel& cpu) {
  if (addsToProduct(instruction)) return cpu.latency;
  if (multipliesIntegers(instruction)) return cpu.productLatency;
  const auto bits = static_cast<double>(instruction.getType()->getPrimitiveSizeInBits().getFixedValue());
  return costByTables(instruction, costs, TargetTransformInfo::TCK_Latency) / std::max(bits / cpu.vectorBits, 1.0);
}

BlockCost costOf(const llvm::BasicBlock& block, const LaneShapes& shapes, const TargetTransformInfo& costs,
                 const ProcessorModel& cpu) {
  BlockCost row;
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

/// Most registers that a work-item's vectors need at once in the block.
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

/// Whether the next iteration of the block depends on vectors of this one.
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
  const RegularBlocks regular(kernel);
  for (const llvm::BasicBlock& block : kernel.function) {
    if (!regular.contains(block)) continue;
    const double trips = tripsOf(block, kernel.loops);
    for (const Instruction& instruction : block)
      if (shapes.of(&instruction).isVarying() && !instruction.getType()->isPointerTy())
        (isFullVector(instruction, cpu, 1) ? full : others) += trips;
  }
  return full > kLeastShare * others;
}

namespace {

struct Filling {
  double least;  ///< vectors that would be enough if every pipe took every instruction
  double wanted; ///< vectors that are worth having
};

/// Number of vectors of each value that keep the pipes busy, for kernels that compute full vectors in long blocks, such
/// as ciphers and hashes. It is below one if more operations are independent than there are pipes, or registers do not
/// suffice for two. It is above one if they are dependent, since the next iteration or work-item is too far ahead for
/// out-of-order execution. Clearly dependent integer operations get more, since few pipes take rotations and the like
/// (ProcessorModel::unevenness), and then a power of two.
std::optional<Filling> vectorsToFill(const LoopedKernel& kernel, const LaneShapes& shapes,
                                     const TargetTransformInfo& costs, const ProcessorModel& cpu) {
  if (!computesFullVectors(kernel, shapes, cpu)) return std::nullopt;
  BlockCost longest;
  const llvm::BasicBlock* where = nullptr;
  const RegularBlocks regular(kernel);
  double most = 0;
  for (const llvm::BasicBlock& block : kernel.function) {
    const BlockCost row = costOf(block, shapes, costs, cpu);
    const double all = row.count * tripsOf(block, kernel.loops);
    if (row.count < kLongBlock || all <= most || !regular.contains(block)) continue;
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
  // Some spilled vectors can be loaded while others wait, but no more than there are registers.
  const double fit = kTimesRegisters * cpu.registers / std::max(mostRegisters(*where, shapes, cpu), 1U);
  if (fit < 2) return Filling{0, 0};
  return Filling{std::min(least, fit), std::min(wanted, fit)};
}

} // namespace

std::optional<OwnWidth> widthByOwnVectors(const LoopedKernel& kernel, const LaneShapes& shapes,
                                          const TargetTransformInfo& costs, const ProcessorModel& cpu) {
  const std::optional<Filling> vectors = vectorsToFill(kernel, shapes, costs, cpu);
  if (!vectors) return std::nullopt;
  // Hashes take long to build, so that trying a second width would take longer than many of their launches.
  constexpr double kClearlyOne = 2.0 / 3, kClearlySeveral = 2, kMostVectors = 8;
  return OwnWidth{1U << static_cast<unsigned>(std::lround(std::log2(std::clamp(vectors->wanted, 1.0, kMostVectors)))),
                  vectors->least < kClearlyOne || vectors->least > kClearlySeveral};
}

} // namespace clotho::compiler
