// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/register_pressure.hpp"

#include "compiler/ir/marks.hpp"
#include "compiler/ir/scalar_types.hpp"

#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

/// One element of an instruction's result, or all of a scalar one.
using Element = std::pair<const Instruction*, unsigned>;

/// Vector type of a value; null for scalars.
const llvm::FixedVectorType* vectorType(const Value& value) {
  return llvm::dyn_cast<llvm::FixedVectorType>(value.getType());
}

unsigned countOf(const Value& value) {
  const auto* vector = vectorType(value);
  return vector != nullptr ? vector->getNumElements() : 1;
}

/// Constant index of an inserted or extracted element.
std::optional<unsigned> knownIndex(const Value& index, unsigned count) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&index);
  if (constant == nullptr || constant->getValue().uge(count)) return std::nullopt;
  return constant->getZExtValue();
}

/// Whether each element of a vector is computed from the same elements of the operands.
bool isElementwise(const Instruction& instruction) {
  const auto* vector = vectorType(instruction);
  if (vector == nullptr) return false;
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    return llvm::isTriviallyVectorizable(call->getIntrinsicID());
  if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction))
    return countOf(*cast->getOperand(0)) == vector->getNumElements();
  return llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CmpInst, llvm::SelectInst, llvm::PHINode,
                   llvm::FreezeInst>(instruction);
}

/// Whether the instruction only rearranges elements.
bool isRearrangement(const Instruction& instruction) {
  if (llvm::isa<llvm::ShuffleVectorInst>(instruction)) return true;
  if (const auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(&instruction))
    return knownIndex(*insert->getOperand(2), countOf(*insert)).has_value();
  const auto* extract = llvm::dyn_cast<llvm::ExtractElementInst>(&instruction);
  return extract != nullptr && knownIndex(*extract->getIndexOperand(), countOf(*extract->getVectorOperand()));
}

/// Whether the load can be folded into its only user as a memory operand.
bool isReadInPlace(const Instruction& instruction) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  if (load == nullptr || !load->hasOneUse() || !load->isSimple()) return false;
  const auto* user = llvm::cast<Instruction>(load->user_back());
  return user->getParent() == load->getParent() && llvm::isa<llvm::BinaryOperator, llvm::IntrinsicInst>(user) &&
         std::none_of(std::next(load->getIterator()), user->getIterator(),
                      [](const Instruction& between) { return between.mayWriteToMemory(); });
}

/// Liveness of elements.
class LiveElements {
 public:
  /// Adds a use: the element is live from its definition to `reader`.
  void read(const Instruction& reader, const llvm::Use& use, Element element) {
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(&reader);
    const BasicBlock* where = phi != nullptr ? phi->getIncomingBlock(use) : reader.getParent();
    if (phi != nullptr)
      liveOut_[where].insert(element);
    else
      readers_[&reader].push_back(element);
    llvm::SmallVector<const BasicBlock*, 8> work;
    const auto enter = [&](const BasicBlock* block) {
      if (block != element.first->getParent() && liveIn_[block].insert(element).second) work.push_back(block);
    };
    enter(where);
    while (!work.empty())
      for (const BasicBlock* predecessor : llvm::predecessors(work.pop_back_val())) {
        liveOut_[predecessor].insert(element);
        enter(predecessor);
      }
  }

  /// Register pressure: the largest sum of the weights of elements that are live at one point.
  unsigned most(const llvm::Function& kernel, llvm::function_ref<unsigned(Element)> weight) const {
    unsigned most = 0;
    for (const BasicBlock& block : kernel) {
      llvm::DenseSet<Element> live;
      unsigned sum = 0;
      const auto add = [&](Element element) {
        if (live.insert(element).second) sum += weight(element);
      };
      if (const auto out = liveOut_.find(&block); out != liveOut_.end()) llvm::for_each(out->second, add);
      most = std::max(most, sum);
      for (const Instruction& instruction : llvm::reverse(block)) {
        for (unsigned i = 0; i < countOf(instruction); ++i)
          if (live.erase({&instruction, i})) sum -= weight({&instruction, i});
        if (const auto reads = readers_.find(&instruction); reads != readers_.end()) llvm::for_each(reads->second, add);
        most = std::max(most, sum);
      }
    }
    return most;
  }

 private:
  llvm::DenseMap<const Instruction*, llvm::SmallVector<Element, 4>> readers_;
  llvm::DenseMap<const BasicBlock*, llvm::DenseSet<Element>> liveIn_, liveOut_;
};

class Pressure {
 public:
  Pressure(const llvm::Function& kernel, const LaneShapes& shapes) : shapes_(shapes) {
    for (const Instruction& instruction : llvm::instructions(kernel))
      if (!isElementwise(instruction) && !isRearrangement(instruction)) readAll(instruction);
    while (!read_.empty()) {
      const auto [instruction, index] = read_.pop_back_val();
      if (isElementwise(*instruction)) readSame(*instruction, index);
    }
    most = live_.most(kernel, [&](Element element) { return bitsOf(element); });
  }
  unsigned most = 0; ///< bits

 private:
  /// The instruction that computes an element, and its index there; null if it is not an instruction.
  static Element origin(const Value* value, unsigned index) {
    constexpr unsigned kLongest = 256; // Unreachable code may be cyclic.
    for (unsigned steps = 0; const auto* instruction = llvm::dyn_cast<Instruction>(value); ++steps) {
      if (!isRearrangement(*instruction) || steps == kLongest) return {instruction, index};
      if (const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(instruction)) {
        const int from = shuffle->getMaskValue(index);
        const unsigned first = countOf(*shuffle->getOperand(0));
        if (from < 0) return {};
        value = shuffle->getOperand(static_cast<unsigned>(from) < first ? 0 : 1);
        index = static_cast<unsigned>(from) % first;
      } else if (llvm::isa<llvm::InsertElementInst>(instruction)) {
        const bool isNew = *knownIndex(*instruction->getOperand(2), countOf(*instruction)) == index;
        value = instruction->getOperand(isNew ? 1 : 0);
        if (isNew) index = 0;
      } else {
        value = instruction->getOperand(0);
        index = *knownIndex(*instruction->getOperand(1), countOf(*value));
      }
    }
    return {};
  }

  unsigned bitsOf(Element element) const {
    const Instruction* instruction = element.first;
    if (instruction == nullptr || !shapes_.of(instruction).isVarying() || llvm::isa<llvm::AllocaInst>(instruction) ||
        isReadInPlace(*instruction))
      return 0;
    unsigned bits = 0;
    const auto* vector = vectorType(*instruction);
    for (const llvm::Type* scalar :
         vector != nullptr ? scalarsOf(vector->getElementType()) : scalarsOf(instruction->getType()))
      bits += scalar->isPointerTy()    ? 64
              : scalar->isIntegerTy(1) ? 0
                                       : std::max(scalar->getPrimitiveSizeInBits().getFixedValue(), std::uint64_t(8));
    return bits;
  }

  void readAll(const Instruction& instruction) {
    for (const llvm::Use& use : instruction.operands())
      for (unsigned i = 0; i < countOf(*use); ++i)
        read(instruction, use, i);
  }
  void readSame(const Instruction& instruction, unsigned index) {
    for (const llvm::Use& use : instruction.operands())
      read(instruction, use, vectorType(*use) != nullptr ? index : 0);
  }

  /// Propagates the element's liveness backwards from a use.
  void read(const Instruction& reader, const llvm::Use& use, unsigned index) {
    const Element element = origin(use, index);
    if (element.first == nullptr) return;
    if (known_.insert(element).second) read_.push_back(element);
    if (bitsOf(element) != 0) live_.read(reader, use, element);
  }

  const LaneShapes& shapes_;
  llvm::DenseSet<Element> known_;
  llvm::SmallVector<Element, 32> read_; ///< elements whose operands are still to be visited
  LiveElements live_;
};

/// Registers for uniform operands of arithmetic. Operands recomputed in a loop of the kernel are live until their use;
/// all others stay in registers over the loop over sub-groups.
class SharedOperands {
 public:
  SharedOperands(const llvm::Function& kernel, const LaneShapes& shapes, const llvm::LoopInfo& loops)
      : shapes_(shapes), loops_(loops) {
    for (const Instruction& instruction : llvm::instructions(kernel))
      readAll(instruction);
    count = staying_.size() + made_.most(kernel, [](Element) { return 1U; });
  }
  unsigned count = 0;

 private:
  /// Whether the operand is in a loop of the kernel, not only in the one over sub-groups.
  bool isMadeInLoop(const Value* operand) const {
    const auto* instruction = llvm::dyn_cast<Instruction>(operand);
    const llvm::Loop* inner = instruction != nullptr ? loops_.getLoopFor(instruction->getParent()) : nullptr;
    if (inner == nullptr) return false;
    for (const llvm::Loop* loop = inner; loop != nullptr; loop = loop->getParentLoop())
      if (llvm::findOptionMDForLoop(loop, kIndependentLoopName) != nullptr) return loop != inner;
    return true;
  }

  void readAll(const Instruction& reader) {
    if (!shapes_.of(&reader).isVarying() || llvm::isa<llvm::PHINode, llvm::LoadInst, llvm::StoreInst>(reader)) return;
    for (const llvm::Use& operand : reader.operands())
      if ((operand->getType()->isFPOrFPVectorTy() || reader.isBinaryOp()) &&
          llvm::isa<Instruction, llvm::Argument>(operand) && shapes_.of(operand).isUniform()) {
        if (isMadeInLoop(operand))
          made_.read(reader, operand, {llvm::cast<Instruction>(operand), 0});
        else
          staying_.insert(operand);
      }
  }

  const LaneShapes& shapes_;
  const llvm::LoopInfo& loops_;
  llvm::DenseSet<const Value*> staying_;
  LiveElements made_; ///< values that loops define, each in one register whatever its type
};

} // namespace

unsigned mostLive(const llvm::Function& kernel, const LaneShapes& shapes) { return Pressure(kernel, shapes).most; }

unsigned sharedOperands(const llvm::Function& kernel, const LaneShapes& shapes, const llvm::LoopInfo& loops) {
  return SharedOperands(kernel, shapes, loops).count;
}

} // namespace clotho::compiler
