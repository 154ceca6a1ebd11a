// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/groups/interchange_streaming_loops.hpp"

#include "compiler/analysis/affine_address.hpp"
#include "compiler/analysis/work_item_uniformity.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/marks.hpp"
#include "compiler/ir/sub_group_operations.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>

#include <optional>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kGlobalSpace = 1, kConstantSpace = 2;
constexpr unsigned kBodyLimit = 60; // instructions
/// Rows of at most this many work-items are one sub-group in most kernels, whose iterations are in order anyway.
constexpr unsigned kOneSubGroup = 16;
/// Most loop-carried values of a work-item for each streaming access: they are loaded from and stored to the context
/// array.
constexpr unsigned kOwnPhiLimit = 2;

bool isSize(const Value& value) {
  const Value* size = withoutCasts(const_cast<Value*>(&value));
  return isIntrinsic(size, Intrinsic::LocalSize) || isIntrinsic(size, Intrinsic::EnqueuedSize) ||
         isIntrinsic(size, Intrinsic::GlobalSize);
}

const AffineOptions kOptions{.wrapping = AffineOptions::Wrapping::None, .isFactor = isSize};

/// Stride of an address between neighbouring work-items, between iterations, and between iterations in multiples of the
/// number of work-items. Overflow is ignored: the result affects only speed.
struct Stride {
  std::uint64_t byItem = 0, byIteration = 0, bySizePerIteration = 0; // negative ones modulo 2^64
};

class Strides {
 public:
  Strides(const llvm::Loop& loop, const WorkItemUniformity& uniformity) : loop_(loop), uniformity_(uniformity) {}

  std::optional<Stride> of(const AffineAddress& address) const {
    Stride stride;
    return isFixed(address.object) && add(address.offset, stride) ? std::optional(stride) : std::nullopt;
  }

 private:
  /// Whether the value is loop-invariant and uniform.
  bool isFixed(const Value* value) const { return loop_.isLoopInvariant(value) && uniformity_.isUniform(value); }

  /// Adds a multiple of the form, with the number of work-items as an additional factor if `timesSize`. False if its
  /// stride is unknown.
  bool add(const AffineForm& form, Stride& stride, std::uint64_t times = 1, bool timesSize = false) const {
    return llvm::all_of(form.terms, [&](const AffineForm::Term& term) {
      const std::uint64_t scale = static_cast<std::uint64_t>(term.scale) * times;
      if (isFixed(term.value)) return true;
      const bool hasFactor = timesSize || term.factor != nullptr;
      if (isIntrinsic(term.value, Intrinsic::LocalId) || isIntrinsic(term.value, Intrinsic::GlobalId)) {
        stride.byItem += scale;
        return !hasFactor;
      }
      const auto* counter = llvm::dyn_cast<llvm::PHINode>(term.value);
      llvm::BinaryOperator* next = nullptr;
      Value *start = nullptr, *step = nullptr;
      if (counter == nullptr || counter->getParent() != loop_.getHeader() || (timesSize && term.factor != nullptr) ||
          !llvm::matchSimpleRecurrence(counter, next, start, step) || next->getOpcode() != Instruction::Add)
        return false;
      const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(step);
      if (constant == nullptr || constant->getValue().getSignificantBits() > 32) return false;
      (hasFactor ? stride.bySizePerIteration : stride.byIteration) +=
          static_cast<std::uint64_t>(constant->getSExtValue()) * scale;
      return add(affineFormOf(*start, kOptions), stride, scale, hasFactor);
    });
  }

  const llvm::Loop& loop_;
  const WorkItemUniformity& uniformity_;
};

/// Reorders a block without stores so that the loads are in the given order, each followed by the instructions that it
/// makes ready.
void orderLoads(BasicBlock& block, llvm::ArrayRef<Instruction*> loads) {
  llvm::SetVector<Instruction*> order;
  llvm::SmallPtrSet<const Instruction*, 32> ofLoads;
  const auto isThere = [&](const Value* operand) {
    const auto* instruction = llvm::dyn_cast<Instruction>(operand);
    return instruction == nullptr || instruction->getParent() != &block || llvm::isa<llvm::PHINode>(instruction) ||
           order.contains(instruction);
  };
  const auto addWithOperands = [&](Instruction& last) {
    llvm::SmallVector<Instruction*, 16> work = {&last};
    while (!work.empty()) {
      Instruction* next = work.back();
      const auto* missing = llvm::find_if_not(next->operands(), isThere);
      if (missing != next->op_end()) {
        work.push_back(llvm::cast<Instruction>(*missing));
        continue;
      }
      order.insert(work.pop_back_val());
    }
  };
  const auto rest = llvm::make_range(block.getFirstNonPHIIt(), block.getTerminator()->getIterator());
  for (Instruction* load : loads) {
    addWithOperands(*load);
    ofLoads.insert(load);
    for (Instruction& instruction : rest) {
      const bool isOfLoads = llvm::any_of(instruction.operands(), [&](const Value* operand) {
        const auto* of = llvm::dyn_cast<Instruction>(operand);
        return of != nullptr && ofLoads.contains(of);
      });
      if (isOfLoads && !order.contains(&instruction) && llvm::all_of(instruction.operands(), isThere)) {
        order.insert(&instruction);
        ofLoads.insert(&instruction);
      }
    }
  }
  for (Instruction& instruction : rest)
    order.insert(&instruction);
  for (Instruction* instruction : order)
    instruction->moveBefore(block.getTerminator()->getIterator());
}

class Interchange {
 public:
  Interchange(llvm::Function& kernel, const llvm::LoopInfo& loops, const llvm::PostDominatorTree& ends,
              const WorkItemUniformity& uniformity, llvm::ScalarEvolution& evolution)
      : kernel_(kernel), loops_(loops), ends_(ends), uniformity_(uniformity), evolution_(evolution) {}

  bool run() {
    llvm::SmallVector<Instruction*, 8> points;
    for (const llvm::Loop* loop : loops_) // the outermost
      if (isUniform(*loop)) findBarrierPoints(*loop, points);
    for (Instruction* point : points) {
      // The address is computed after the barrier; before it, it would be stored for each sub-group.
      if (auto* address = addressOnlyOf(*point)) {
        address->moveBefore(point->getIterator());
        point = address;
      }
      llvm::IRBuilder<> builder(point);
      createIntrinsic(builder, Intrinsic::Barrier)
          ->setMetadata(kAscendingRowsName, llvm::MDNode::get(kernel_.getContext(), {}));
    }
    return !points.empty();
  }

 private:
  bool isUniform(const llvm::Loop& loop) const {
    return loop.isInnermost() && loop.getLoopPredecessor() != nullptr && loop.getLoopLatch() != nullptr &&
           loop.getExitingBlock() != nullptr && ends_.dominates(loop.getHeader(), &kernel_.getEntryBlock()) &&
           llvm::none_of(loop.blocks(),
                         [&](const BasicBlock* block) { return uniformity_.hasDivergentBranch(*block); });
  }

  static llvm::GetElementPtrInst* addressOnlyOf(Instruction& point) {
    Value* pointer = llvm::getLoadStorePointerOperand(&point);
    auto* address = llvm::dyn_cast_or_null<llvm::GetElementPtrInst>(pointer);
    return address != nullptr && address->hasOneUse() && address->getParent() == point.getParent() ? address : nullptr;
  }

  struct StreamingAccess {
    Instruction* instruction;
    const Value* memory;
    std::uint64_t lines; ///< Number of lines that the work-group accesses in an iteration, including this one
  };

  /// Finds where barriers go: at the end of an iteration, and in an unrolled one before each further access to the same
  /// array.
  void findBarrierPoints(const llvm::Loop& loop, llvm::SmallVectorImpl<Instruction*>& points) const {
    auto accesses = streamingAccessesOf(loop);
    llvm::DenseMap<const Value*, std::uint64_t> parts;
    for (const StreamingAccess& access : accesses)
      ++parts[access.memory];
    if (accesses.empty() ||
        llvm::any_of(accesses, [&](const StreamingAccess& access) { return parts[access.memory] != access.lines; }))
      return;
    if (orderByMemory(accesses)) accesses = streamingAccessesOf(loop);
    llvm::SmallPtrSet<const Value*, 4> seen;
    for (const StreamingAccess& access : accesses)
      if (!seen.insert(access.memory).second) {
        points.push_back(access.instruction);
        seen.clear();
        seen.insert(access.memory);
      }
    points.push_back(loop.getLoopLatch()->getTerminator());
  }

  /// Sorts unrolled loads of one array by address, if they are in another order, as compilers leave them when they put
  /// two sums into a vector. Returns whether they were reordered.
  bool orderByMemory(llvm::ArrayRef<StreamingAccess> accesses) const {
    BasicBlock* block = accesses.front().instruction->getParent();
    const auto isPart = [&](const StreamingAccess& access) {
      return llvm::isa<llvm::LoadInst>(access.instruction) && access.instruction->getParent() == block &&
             access.memory == accesses.front().memory;
    };
    const auto onlyLoads = [](const Instruction& instruction) {
      return !instruction.mayWriteToMemory() && !instruction.mayHaveSideEffects();
    };
    if (!llvm::all_of(accesses, isPart) || !llvm::all_of(*block, onlyLoads)) return false;
    const auto isBehind = [&](Instruction* one, Instruction* other) {
      const llvm::SCEV* distance = evolution_.getMinusSCEV(evolution_.getSCEV(llvm::getLoadStorePointerOperand(one)),
                                                           evolution_.getSCEV(llvm::getLoadStorePointerOperand(other)));
      return !llvm::isa<llvm::SCEVCouldNotCompute>(distance) && evolution_.isKnownPositive(distance);
    };
    llvm::SmallVector<Instruction*, 4> ordered;
    for (const StreamingAccess& access : accesses)
      ordered.insert(llvm::find_if(ordered, [&](Instruction* there) { return isBehind(there, access.instruction); }),
                     access.instruction);
    if (llvm::equal(ordered, accesses,
                    [](Instruction* one, const StreamingAccess& access) { return one == access.instruction; }))
      return false;
    orderLoads(*block, ordered);
    return true;
  }

  /// The streaming accesses of a loop, in order; none if the loop is not suitable.
  llvm::SmallVector<StreamingAccess, 4> streamingAccessesOf(const llvm::Loop& loop) const {
    const Strides strides(loop, uniformity_);
    unsigned instructions = 0, ownPhis = 0;
    llvm::SmallVector<StreamingAccess, 4> accesses;
    for (BasicBlock* block : loop.blocks())
      for (Instruction& instruction : *block) {
        ++instructions;
        if (llvm::isa<llvm::PHINode>(instruction) && block == loop.getHeader() && !uniformity_.isUniform(instruction))
          ++ownPhis;
        if (matchIntrinsic(&instruction)) {
          if (instruction.mayHaveSideEffects()) return {};
          continue;
        }
        if (!instruction.mayReadOrWriteMemory()) continue;
        const Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
        if (pointer == nullptr || instruction.isAtomic() || instruction.isVolatile()) return {};
        const unsigned space = pointer->getType()->getPointerAddressSpace();
        if (space == kConstantSpace) continue;
        if (space != kGlobalSpace) return {}; // private memory would move to the frame
        const AffineAddress address = affineAddressOf(*pointer, kernel_.getDataLayout(), kOptions);
        const auto stride = strides.of(address);
        if (!stride) return {};
        if (stride->byItem == 0) continue; // the same for all
        const std::uint64_t size =
            kernel_.getDataLayout().getTypeStoreSize(llvm::getLoadStoreType(&instruction)).getFixedValue();
        if (stride->byItem != size || stride->byIteration != 0 || stride->bySizePerIteration % size != 0) return {};
        accesses.push_back({&instruction, address.object, stride->bySizePerIteration / size});
      }
    const bool isSmall = ownPhis <= kOwnPhiLimit * accesses.size() && instructions <= kBodyLimit;
    return isSmall ? accesses : llvm::SmallVector<StreamingAccess, 4>();
  }

  llvm::Function& kernel_;
  const llvm::LoopInfo& loops_;
  const llvm::PostDominatorTree& ends_;
  const WorkItemUniformity& uniformity_;
  llvm::ScalarEvolution& evolution_;
};

} // namespace

llvm::PreservedAnalyses InterchangeStreamingLoopsPass::run(llvm::Function& function,
                                                           llvm::FunctionAnalysisManager& analyses) {
  if (!isKernel(function) || function.isDeclaration() || callsIntrinsic(function, Intrinsic::Yield) ||
      requiredSize(function, 0).value_or(~0ULL) <= kOneSubGroup ||
      !(callsIntrinsic(function, Intrinsic::Barrier) || usesSubGroups(function)))
    return llvm::PreservedAnalyses::all();
  const bool changed = Interchange(function, analyses.getResult<llvm::LoopAnalysis>(function),
                                   analyses.getResult<llvm::PostDominatorTreeAnalysis>(function),
                                   analyses.getResult<WorkGroupUniformityAnalysis>(function),
                                   analyses.getResult<llvm::ScalarEvolutionAnalysis>(function))
                           .run();
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
