// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/promoted_arrays.hpp"

#include "compiler/analysis/known_accesses.hpp"
#include "compiler/ir/group_facts.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>

#include <map>
#include <optional>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

/// Most iterations of a loop over sub-groups, and most instructions after unrolling.
constexpr unsigned kMostTrips = 64, kMostInstructions = 65536;
/// Most chunks of the array that a loaded or stored register touches on average. For a transposed tile it is the side
/// of the tile, and memory is faster.
constexpr double kMostShuffles = 4;
/// Fewest loops that write to the array. Data that is written once and then read, such as the tile of a stencil, is as
/// fast in memory.
constexpr unsigned kFewestSteps = 4;

/// Average number of chunks of the array that an accessed register is assembled from, or scattered to.
double shufflesARegister(const KnownAccesses& accesses, unsigned registerBytes) {
  const auto lanes = static_cast<std::int64_t>(registerBytes / accesses.unitBytes);
  std::size_t registers = 0, shuffles = 0;
  for (const KnownAccess& access : accesses.all)
    for (std::size_t first = 0; first < access.offsets.size(); first += lanes) {
      llvm::SmallDenseSet<std::int64_t, 16> chunks;
      for (const std::int64_t offset : llvm::ArrayRef(access.offsets).drop_front(first).take_front(lanes))
        if (offset >= 0) chunks.insert(offset / lanes);
      if (chunks.empty()) continue;
      ++registers;
      shuffles += chunks.size();
    }
  return static_cast<double>(shuffles) / static_cast<double>(std::max<std::size_t>(registers, 1));
}

} // namespace

/// Constant values of instructions in each iteration of a loop over sub-groups.
class PromotedArrays::IterationValues {
 public:
  /// `frame`: the context array, whose contents are known if the addresses of all stores to it are.
  IterationValues(llvm::ScalarEvolution& evolution, const llvm::LoopInfo& loops, const llvm::DataLayout& layout,
                  llvm::Argument& frame)
      : evolution_(evolution), loops_(loops), layout_(layout), frame_(frame) {}

  /// The value in an iteration of `loop`; null if unknown. `loop`: null for code after all loops.
  llvm::Constant* get(Value& value, const llvm::Loop* loop, unsigned iteration) {
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(&value)) return constant;
    auto* instruction = llvm::dyn_cast<Instruction>(&value);
    if (instruction == nullptr) return nullptr;
    const llvm::Loop* its = loops_.getLoopFor(instruction->getParent());
    if (its != nullptr && its != loop) return nullptr; // what another loop has left
    const auto [found, isNew] = known_.try_emplace({instruction, iteration}, nullptr);
    if (!isNew) return found->second;
    llvm::Constant* constant = find(*instruction, loop, iteration);
    known_[{instruction, iteration}] = constant;
    return constant;
  }

 private:
  llvm::Constant* find(Instruction& instruction, const llvm::Loop* loop, unsigned iteration) {
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) return count(*phi, iteration);
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return storedValue(*load, loop, iteration);
    if (instruction.mayReadOrWriteMemory() || instruction.isTerminator()) return nullptr;
    llvm::SmallVector<llvm::Constant*, 4> operands;
    for (Value* operand : instruction.operands()) {
      llvm::Constant* constant = get(*operand, loop, iteration);
      if (constant == nullptr) return nullptr;
      operands.push_back(constant);
    }
    return llvm::ConstantFoldInstOperands(&instruction, operands, layout_);
  }

  llvm::Constant* count(llvm::PHINode& phi, unsigned iteration) {
    if (!loops_.isLoopHeader(phi.getParent()) || !evolution_.isSCEVable(phi.getType())) return nullptr;
    const auto* line = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(&phi));
    if (line == nullptr || line->getLoop()->getHeader() != phi.getParent() || !line->isAffine()) return nullptr;
    const auto* start = llvm::dyn_cast<llvm::SCEVConstant>(line->getStart());
    const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(line->getOperand(1));
    if (start == nullptr || step == nullptr || !phi.getType()->isIntegerTy() ||
        phi.getType()->getIntegerBitWidth() < 32)
      return nullptr;
    const llvm::APInt& each = step->getAPInt();
    return llvm::ConstantInt::get(phi.getType(), start->getAPInt() + each * llvm::APInt(each.getBitWidth(), iteration));
  }

  std::optional<std::int64_t> offsetInFrame(Value* pointer, const llvm::Loop* loop, unsigned iteration) {
    const auto constantOf = [&](Value& value) { return get(value, loop, iteration); };
    const std::optional<Offsets> offset = bytesFrom(frame_, pointer, constantOf, layout_);
    return offset && offset->size() == 1 ? std::optional(offset->front()) : std::nullopt;
  }

  /// The value that some store has put where the load reads in this iteration.
  llvm::Constant* storedValue(llvm::LoadInst& load, const llvm::Loop* loop, unsigned iteration) {
    if (!load.isSimple() || llvm::getUnderlyingObject(load.getPointerOperand()) != &frame_) return nullptr;
    if (!slots_) findSlots();
    const std::optional<std::int64_t> offset = offsetInFrame(load.getPointerOperand(), loop, iteration);
    const auto slot = offset ? slots_->find(*offset) : slots_->end();
    if (slot == slots_->end() || slot->second.store == nullptr) return nullptr;
    Value* stored = slot->second.store->getValueOperand();
    return stored->getType() == load.getType()
               ? get(*stored, loops_.getLoopFor(slot->second.store->getParent()), slot->second.iteration)
               : nullptr;
  }

  /// Finds slots of the context array. Nothing is known if a store's address is unknown, or if stores overlap.
  void findSlots() {
    slots_.emplace();
    std::map<std::int64_t, Slot> found;
    for (Instruction& instruction : llvm::instructions(*frame_.getParent())) {
      auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      if (store == nullptr || llvm::getUnderlyingObject(store->getPointerOperand()) != &frame_) continue;
      const llvm::Loop* loop = loops_.getLoopFor(store->getParent());
      const unsigned trips = loop == nullptr ? 1 : evolution_.getSmallConstantTripCount(loop);
      if (trips == 0 || trips > kMostTrips || !store->isSimple()) return;
      for (unsigned iteration = 0; iteration < trips; ++iteration) {
        const std::optional<std::int64_t> offset = offsetInFrame(store->getPointerOperand(), loop, iteration);
        if (!offset) return;
        const llvm::TypeSize size = layout_.getTypeStoreSize(store->getValueOperand()->getType());
        const std::int64_t end = *offset + static_cast<std::int64_t>(size.getFixedValue());
        const auto [slot, isNew] = found.try_emplace(*offset, Slot{store, iteration, end});
        if (!isNew) slot->second = {nullptr, 0, std::max(end, slot->second.end)};
      }
    }
    Slot* last = nullptr; // that ends last, of those before
    for (auto& [offset, slot] : found) {
      if (last != nullptr && offset < last->end) last->store = slot.store = nullptr;
      if (last == nullptr || slot.end > last->end) last = &slot;
    }
    slots_ = std::move(found);
  }

  struct Slot {
    llvm::StoreInst* store; ///< Null if several stores write there
    unsigned iteration;
    std::int64_t end; ///< End of the stored bytes in the frame
  };

  llvm::ScalarEvolution& evolution_;
  const llvm::LoopInfo& loops_;
  const llvm::DataLayout& layout_;
  llvm::Argument& frame_;
  std::optional<std::map<std::int64_t, Slot>> slots_;
  llvm::DenseMap<std::pair<const Instruction*, unsigned>, llvm::Constant*> known_;
};

PromotedArrays::PromotedArrays(llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution, llvm::Function& function,
                               unsigned registerBytes)
    : loops_(loops), evolution_(evolution),
      values_(std::make_unique<IterationValues>(evolution, loops, function.getDataLayout(), *function.getArg(kFrame))),
      registerBytes_(registerBytes) {}

PromotedArrays::~PromotedArrays() = default;

unsigned PromotedArrays::tripCountOf(const llvm::Loop& loop) const {
  return evolution_.getSmallConstantTripCount(&loop);
}

std::size_t PromotedArrays::instructionsOf(llvm::ArrayRef<llvm::Loop*> loops) const {
  std::size_t count = 0;
  for (const llvm::Loop* loop : loops)
    for (const llvm::BasicBlock* block : loop->blocks())
      count += block->size() * tripCountOf(*loop);
  return count;
}

bool PromotedArrays::isSimple(const llvm::Loop& loop) const {
  const unsigned trips = tripCountOf(loop);
  // A fused loop passes rows from iteration to iteration in further phis.
  const auto phis = loop.getHeader()->phis();
  return std::distance(phis.begin(), phis.end()) == 1 && trips != 0 && trips <= kMostTrips && loop.isOutermost() &&
         loop.isInnermost() && loop.getLoopPreheader() != nullptr && loop.getUniqueExitBlock() != nullptr &&
         loop.getExitingBlock() != nullptr && loop.getExitingBlock() == loop.getLoopLatch();
}

bool PromotedArrays::add(llvm::Argument& variable) {
  llvm::SmallVector<Instruction*, 64> instructions;
  if (!collectLocalAccesses(variable, instructions)) return false;
  llvm::SmallSetVector<llvm::Loop*, 16> around;
  llvm::SmallPtrSet<const llvm::Loop*, 16> steps;
  for (const Instruction* access : instructions) {
    llvm::Loop* loop = loops_.getLoopFor(access->getParent());
    if (loop == nullptr) continue;
    around.insert(loop);
    if (access->getType()->isVoidTy()) steps.insert(loop);
  }
  // Cheap counts come first; the analysis below evaluates the addresses of all lanes in all iterations.
  if (steps.size() < kFewestSteps || !llvm::all_of(around, [&](const llvm::Loop* loop) { return isSimple(*loop); }))
    return false;
  around.insert(wanted.begin(), wanted.end());
  if (instructionsOf(around.getArrayRef()) > kMostInstructions) return false;

  const std::optional<KnownAccesses> accesses = knownAccesses(variable, kMostPromotedBytes, [&](Instruction& access) {
    llvm::Loop* loop = loops_.getLoopFor(access.getParent());
    return Iterations{loop == nullptr ? 1 : tripCountOf(*loop),
                      [this, loop](Value& value, unsigned iteration) { return values_->get(value, loop, iteration); }};
  });
  if (!accesses) return false;
  if (shufflesARegister(*accesses, registerBytes_) > kMostShuffles) return false;
  wanted = std::move(around);
  return true;
}

} // namespace clotho::compiler
