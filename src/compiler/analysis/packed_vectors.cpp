// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/packed_vectors.hpp"

#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/MathExtras.h>

namespace clotho::compiler {
namespace {

using llvm::Instruction;

/// Most elements of a packed vector; beyond, code generation takes long.
constexpr unsigned kMostElements = 1024;

/// Estimated number of executions: a fixed factor for each level of loops.
std::int64_t weightOf(const llvm::BasicBlock& block, const llvm::LoopInfo& loops) {
  constexpr unsigned kDepthLimit = 3;
  return std::int64_t(1) << (3 * std::min(loops.getLoopDepth(&block), kDepthLimit));
}

unsigned elementsOf(const llvm::Type* type) { return llvm::cast<llvm::FixedVectorType>(type)->getNumElements(); }

/// Cost of changing between the two orders, in shuffles of whole vectors.
std::int64_t transposition(const llvm::Type* type) {
  const unsigned elements = elementsOf(type);
  return std::int64_t(elements) * llvm::Log2_32_Ceil(elements);
}

/// Operations that memory order saves, if the lanes of one element do not fill a vector. A comparison counts by its
/// operands' type.
std::int64_t savedOperations(const Instruction& instruction, unsigned width, unsigned vectorBits) {
  const llvm::Type* type =
      llvm::isa<llvm::CmpInst>(instruction) ? instruction.getOperand(0)->getType() : instruction.getType();
  if (type->getScalarSizeInBits() == 1) return 0;
  const unsigned lanesBits = width * type->getScalarSizeInBits(), elements = elementsOf(type);
  return lanesBits >= vectorBits ? 0 : elements - llvm::divideCeil(elements * lanesBits, vectorBits);
}

bool isElementwise(const Instruction& instruction) {
  if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction))
    return !cast->getSrcTy()->getScalarType()->isPointerTy();
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    return llvm::isTriviallyVectorizable(call->getIntrinsicID());
  if (llvm::isa<llvm::BinaryOperator>(instruction)) return !instruction.isIntDivRem();
  return llvm::isa<llvm::UnaryOperator, llvm::CmpInst, llvm::FreezeInst, llvm::SelectInst, llvm::PHINode,
                   llvm::ShuffleVectorInst>(instruction);
}

/// Whether the load can fill a packed vector: either lanes are adjacent in memory, or the size of a lane's value is a
/// power of two (at least 2 bytes), so that lanes are loaded one by one.
bool isLoadedWhole(const llvm::LoadInst& load, const LaneShapes& shapes, const PrivateArrays& arrays) {
  if (!load.isSimple() || arrays.accessOf(&load) != nullptr) return false;
  const auto bytes = static_cast<std::int64_t>(load.getDataLayout().getTypeStoreSize(load.getType()).getFixedValue());
  const LaneShape pointer = shapes.of(load.getPointerOperand());
  if (pointer.isUniform() ||
      load.getDataLayout().getTypeSizeInBits(load.getType()) != static_cast<std::uint64_t>(bytes) * 8)
    return false;
  return (pointer.isAffine() && pointer.stride() == bytes) || (bytes >= 2 && llvm::isPowerOf2_64(bytes));
}

bool canBePacked(const Instruction& instruction, const LaneShapes& shapes, const PrivateArrays& arrays,
                 unsigned width) {
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
  if (type == nullptr || !shapes.of(&instruction).isVarying()) return false;
  const unsigned elements = type->getNumElements();
  const llvm::Type* scalar = type->getElementType();
  if (elements < 2 || !llvm::isPowerOf2_32(elements) || elements * width > kMostElements) return false;
  if (scalar->isPointerTy() || !llvm::isPowerOf2_32(scalar->getScalarSizeInBits())) return false;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return isLoadedWhole(*load, shapes, arrays);
  return isElementwise(instruction);
}

} // namespace

llvm::Value* splattedScalar(const llvm::ShuffleVectorInst& shuffle) {
  using namespace llvm::PatternMatch;
  llvm::Value* scalar = nullptr;
  return llvm::PatternMatch::match(
             &shuffle, m_Shuffle(m_InsertElt(m_Value(), m_Value(scalar), m_ZeroInt()), m_Value(), m_ZeroMask()))
             ? scalar
             : nullptr;
}

PackedVectors choosePackedVectors(const llvm::Function& function, const LaneShapes& shapes, const PrivateArrays& arrays,
                                  const llvm::LoopInfo& loops, unsigned width, unsigned vectorBits) {
  llvm::EquivalenceClasses<const llvm::Value*> flows;
  llvm::DenseSet<const llvm::Value*> candidates;
  for (const Instruction& instruction : llvm::instructions(function))
    if (canBePacked(instruction, shapes, arrays, width)) {
      candidates.insert(&instruction);
      flows.insert(&instruction);
    }
  if (candidates.empty()) return {};
  for (const Instruction& instruction : llvm::instructions(function)) {
    if (!candidates.contains(&instruction) || llvm::isa<llvm::LoadInst>(instruction)) continue;
    for (const llvm::Use& operand : instruction.operands())
      if (candidates.contains(operand)) flows.unionSets(&instruction, operand);
  }
  /// Savings of memory order less its costs.
  llvm::DenseMap<const llvm::Value*, std::int64_t> gains;
  const auto gain = [&](const llvm::Value* value) -> std::int64_t& { return gains[flows.getLeaderValue(value)]; };
  for (const Instruction& instruction : llvm::instructions(function)) {
    const std::int64_t weight = weightOf(*instruction.getParent(), loops);
    const bool isCandidate = candidates.contains(&instruction);
    if (isCandidate) {
      if (llvm::isa<llvm::LoadInst>(instruction)) gain(&instruction) += weight * transposition(instruction.getType());
      if (const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction)) {
        gain(&instruction) -= weight * elementsOf(instruction.getType());
        if (splattedScalar(*shuffle) != nullptr) continue;
      } else if (!llvm::isa<llvm::LoadInst, llvm::PHINode>(instruction)) {
        gain(&instruction) += weight * savedOperations(instruction, width, vectorBits);
      }
    }
    llvm::SmallVector<const llvm::Value*, 4> seen;
    for (const llvm::Use& use : instruction.operands()) {
      const llvm::Value* operand = use.get();
      if (llvm::is_contained(seen, operand)) continue;
      seen.push_back(operand);
      if (!candidates.contains(operand)) {
        if (!isCandidate || llvm::isa<llvm::LoadInst>(instruction) || shapes.of(operand).isUniform()) continue;
        // A vector operand must be packed; a scalar condition must be repeated.
        const bool isVector = operand->getType()->isVectorTy();
        gain(&instruction) -= weight * (isVector ? transposition(operand->getType()) : 1);
        continue;
      }
      if (isCandidate) continue;
      const std::int64_t whole = weight * transposition(operand->getType());
      if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        const LaneShape pointer = shapes.of(store->getPointerOperand());
        const auto bytes = function.getDataLayout().getTypeStoreSize(operand->getType()).getFixedValue();
        const auto stride = shapes.usualStride(store->getPointerOperand());
        const bool isRow = !pointer.isUniform() && stride && *stride == static_cast<std::int64_t>(bytes);
        gain(operand) += isRow && arrays.accessOf(store) == nullptr && store->isSimple() ? whole : -whole;
      } else if (llvm::isa<llvm::ExtractElementInst>(instruction)) {
        gain(operand) -= whole / elementsOf(operand->getType());
      } else if (!(llvm::isa<llvm::BitCastInst>(instruction) && !instruction.getType()->isVectorTy())) {
        gain(operand) -= whole;
      }
    }
  }
  PackedVectors packed;
  for (const llvm::Value* candidate : candidates)
    if (gain(candidate) > 0) packed.insert(candidate);
  return packed;
}

} // namespace clotho::compiler
