// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/lane_shapes.hpp"

#include "base/arithmetic.hpp"
#include "compiler/analysis/lane_ids.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/pipe_functions.hpp"
#include "compiler/ir/sub_group_operations.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

namespace clotho::compiler {
namespace {

/// Whether the lanes of a 32-bit affine value differ exactly by its stride when they are read as signed (or unsigned)
/// numbers: nothing on the way wraps around. If `assumed` is given, global ids for which that is unknown are added to
/// it. `promised` is set if the proof needs poison-generating flags (isExactIfIdsFit).
bool isExact(const LaneShapes& shapes, const llvm::Value* value, bool isSigned, bool& promised,
             llvm::SmallVectorImpl<const llvm::TruncInst*>* assumed = nullptr, unsigned depth = 0) {
  constexpr unsigned kDepthLimit = 6;
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(behindExits(value));
  if (instruction == nullptr || shapes.of(instruction).isUniform()) return true;
  if (depth > kDepthLimit) return false;
  // The number of lanes is small.
  if (const auto call = matchSubGroupCall(instruction); call && call->operation == SubGroupOperation::LiveRank)
    return true;
  const auto operandsAre = [&](bool ifSigned) {
    return llvm::all_of(instruction->operands(), [&](const llvm::Use& operand) {
      return isExact(shapes, operand, ifSigned, promised, assumed, depth + 1);
    });
  };
  if (const auto* trunc = llvm::dyn_cast<llvm::TruncInst>(instruction)) {
    const Id id = idOf(trunc->getOperand(0));
    if (id == Id::Local) return true;
    if (id == Id::None) return false;
    if (isSigned ? trunc->hasNoSignedWrap() : trunc->hasNoUnsignedWrap()) return true;
    if (assumed != nullptr) assumed->push_back(trunc);
    return assumed != nullptr;
  }
  if (const llvm::TruncInst* trunc = isSigned ? idBehindTerms(*instruction) : nullptr) {
    if (idOf(trunc->getOperand(0)) == Id::Local) return true;
    if (assumed != nullptr) {
      assumed->push_back(trunc);
      return true;
    }
  }
  // Flags such as nsw hold only for lanes that run the instruction, and lane 0 stands for all.
  if (!shapes.isRunByAllLanes(*instruction->getParent())) return false;
  promised = true;
  if (const auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(instruction))
    return disjoint->isDisjoint() && operandsAre(isSigned);
  // Strides are computed with signed factors. Read as unsigned, a negative factor is so large that at most two lanes do
  // not overflow.
  const auto* factor = llvm::dyn_cast<llvm::ConstantInt>(instruction->getOperand(instruction->getNumOperands() - 1));
  if (!isSigned && instruction->getOpcode() == llvm::Instruction::Mul && factor != nullptr && factor->isNegative())
    return false;
  if (const auto* operation = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(instruction))
    return (isSigned ? operation->hasNoSignedWrap() : operation->hasNoUnsignedWrap()) && operandsAre(isSigned);
  return false;
}

/// Whether poison in the value is undefined behaviour. If it is not, lane 0 may have a poison value that it never uses,
/// while the values of the other lanes are computed from lane 0's.
bool isPoisonUndefined(const llvm::Value* value) {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(behindExits(value));
  return instruction != nullptr && llvm::programUndefinedIfPoison(instruction);
}

/// Whether the value depends on a phi or a select. What LLVM knows of these holds only for lanes that take the same
/// path.
bool isOfOtherWays(const llvm::Value* value, unsigned depth = 0) {
  constexpr unsigned kDepthLimit = 6;
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr) return false;
  if (llvm::isa<llvm::PHINode, llvm::SelectInst>(instruction) || depth == kDepthLimit) return true;
  return llvm::any_of(instruction->operands(),
                      [&](const llvm::Use& operand) { return isOfOtherWays(operand, depth + 1); });
}

/// Whether the value is so small in all lanes, regardless of poison-generating flags, that no difference of two lanes
/// wraps around.
bool isSmall(const llvm::Value& value, const llvm::DataLayout& layout) {
  if (isOfOtherWays(&value)) return false;
  // Flags need not hold in inactive lanes.
  return llvm::computeKnownBits(&value, layout, nullptr, nullptr, nullptr, /*UseInstrInfo=*/false)
             .countMinLeadingZeros() > 1;
}

bool readsSigned(const llvm::CastInst& extension) {
  return llvm::isa<llvm::SExtInst>(extension) || extension.hasNonNeg();
}

/// Whether the value may be an index. Integers below 32 bits are ignored, since few are indices.
bool isWideIndex(const llvm::Value* value) {
  return value->getType()->isIntegerTy() && value->getType()->getIntegerBitWidth() >= 32;
}

/// Whether the address extends a varying index. InstCombine leaves no such address.
bool extendsIndices(const LaneShapes& shapes, const llvm::GetElementPtrInst& address, const llvm::DataLayout& layout) {
  return llvm::any_of(address.indices(), [&](const llvm::Use& index) {
    return !shapes.of(index).isUniform() &&
           index->getType()->getScalarSizeInBits() < layout.getIndexTypeSizeInBits(address.getType());
  });
}

std::optional<std::int64_t> constantOf(const llvm::Value* value) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
  if (constant == nullptr || constant->getBitWidth() > 64) return std::nullopt;
  return constant->getSExtValue();
}

} // namespace

bool isExactIfIdsFit(const LaneShapes& shapes, const llvm::CastInst& extension,
                     llvm::SmallVectorImpl<const llvm::TruncInst*>& ids, bool& promised) {
  if (!isWideIndex(extension.getOperand(0))) return false;
  promised = false;
  if (!isExact(shapes, extension.getOperand(0), readsSigned(extension), promised, &ids)) return false;
  promised = promised && !isPoisonUndefined(extension.getOperand(0));
  return true;
}

LaneShapes::LaneShapes(llvm::Function& function, const WorkItemUniformity& uniformity, const SubGroupFlow& flow,
                       bool mayAssume, unsigned blockLanes)
    : layout_(function.getDataLayout()), flow_(flow), mayAssume_(mayAssume), blockLanes_(blockLanes),
      dominators_(function) {
  llvm::SmallVector<const llvm::Instruction*, 64> varying;
  for (const llvm::BasicBlock* block : flow.order())
    for (const llvm::Instruction& instruction : *block) {
      if (instruction.getType()->isVoidTy()) continue;
      const auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction);
      if (uniformity.isUniformValue(instruction) && !(phi != nullptr && flow.leavesDivergently(*phi))) continue;
      shapes_[&instruction] = LaneShape::unknown();
      varying.push_back(&instruction);
    }
  // Shapes only descend in the lattice, at most twice each, so this ends.
  for (bool changed = true; changed;) {
    changed = false;
    for (const llvm::Instruction* instruction : varying) {
      LaneShape& shape = shapes_[instruction];
      const LaneShape next = shape.meet(compute(*instruction));
      changed |= !(next == shape);
      shape = next;
    }
  }
  // Values that depend only on themselves would stay unknown.
  for (auto& [value, shape] : shapes_)
    if (shape.isUnknown()) shape = LaneShape::varying();
  for (const auto& [value, shape] : shapes_)
    if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
        instruction != nullptr && instruction->getOpcode() == llvm::Instruction::And && shape.isAffine() &&
        !shape.isUniform() && idThatFits(*instruction) == Id::Global)
      facts_.add({.idsFit = true});
  for (const auto& [value, shape] : shapes_)
    if (const auto* extension = llvm::dyn_cast<llvm::CastInst>(value);
        extension != nullptr && llvm::isa<llvm::SExtInst, llvm::ZExtInst>(extension) && shape.isAffine() &&
        !shape.isUniform() && !isExactExtension(*extension))
      facts_.add(factsFor(*extension).value());
}

llvm::AnalysisKey LaneShapesAnalysis::Key;

LaneShapes LaneShapesAnalysis::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  return {function, analyses.getResult<SubGroupUniformityAnalysis>(function),
          analyses.getResult<SubGroupFlowAnalysis>(function)};
}

bool LaneShapes::invalidate(llvm::Function& function, const llvm::PreservedAnalyses& preserved,
                            llvm::FunctionAnalysisManager::Invalidator& invalidator) {
  auto checker = preserved.getChecker<LaneShapesAnalysis>();
  return !(checker.preserved() || checker.preservedSet<llvm::AllAnalysesOn<llvm::Function>>()) ||
         invalidator.invalidate<SubGroupFlowAnalysis>(function, preserved);
}

LaneShape LaneShapes::of(const llvm::Value* value) const {
  const auto found = shapes_.find(value);
  return found == shapes_.end() ? LaneShape::uniform() : found->second;
}

// Follows coordinates of images: integers that are converted to float, offset and perhaps scaled there and back, such
// as divided by the size of an image and multiplied by it again.
std::optional<std::int64_t> LaneShapes::usualStrideOfFloat(const llvm::Value* value, unsigned depth,
                                                           unsigned steps) const {
  using llvm::Instruction;
  constexpr unsigned kStepLimit = 12; // Chains of them do not branch out, unlike those of integers.
  if (of(value).isUniform()) return 0;
  const auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (instruction == nullptr || steps > kStepLimit) return std::nullopt;
  const auto operand = [&](unsigned i) { return usualStrideOfFloat(instruction->getOperand(i), depth, steps + 1); };
  /// The stride of the one operand that is not uniform.
  const auto moving = [&](unsigned a, unsigned b) {
    return of(instruction->getOperand(a)).isUniform()   ? operand(b)
           : of(instruction->getOperand(b)).isUniform() ? operand(a)
                                                        : std::nullopt;
  };
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(instruction)) {
    switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::trunc:
    case llvm::Intrinsic::roundeven:
    case llvm::Intrinsic::rint: return operand(0);
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::fmuladd: return of(call->getArgOperand(2)).isUniform() ? moving(0, 1) : std::nullopt;
    case llvm::Intrinsic::maxnum:
    case llvm::Intrinsic::minnum: return moving(0, 1);
    default: return std::nullopt;
    }
  }
  switch (instruction->getOpcode()) {
  case Instruction::SIToFP:
  case Instruction::UIToFP: return usualStride(instruction->getOperand(0), depth + 1);
  case Instruction::FAdd:
  case Instruction::FMul: return moving(0, 1);
  case Instruction::FSub:
  case Instruction::FDiv: return of(instruction->getOperand(1)).isUniform() ? operand(0) : std::nullopt;
  case Instruction::Select: return moving(1, 2);
  default: return std::nullopt;
  }
}

std::optional<std::int64_t> LaneShapes::usualStride(const llvm::Value* value, unsigned depth) const {
  using llvm::Instruction;
  constexpr unsigned kDepthLimit = 8;
  const LaneShape shape = of(value);
  if (shape.isAffine()) return shape.stride();
  const auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (instruction == nullptr || depth > kDepthLimit) return std::nullopt;
  const auto operand = [&](unsigned i) { return usualStride(instruction->getOperand(i), depth + 1); };
  // Both operands of a select must have one stride, unless one of them is uniform: then the other one's stride counts.
  const auto either = [&](unsigned a, unsigned b) -> std::optional<std::int64_t> {
    const auto first = operand(a), second = operand(b);
    if (!first || !second) return std::nullopt;
    if (*first == 0) return second;
    return *second == 0 || *first == *second ? first : std::nullopt;
  };
  const auto sum = [&](int sign) -> std::optional<std::int64_t> {
    const auto first = operand(0), second = operand(1);
    return first && second ? std::optional(*first + sign * *second) : std::nullopt;
  };
  const auto times = [&](std::int64_t factor) -> std::optional<std::int64_t> {
    const auto first = operand(0);
    return first ? std::optional(*first * factor) : std::nullopt;
  };
  const auto isLongRow = [&](const llvm::Value* divisor) {
    constexpr std::int64_t kShortRow = 12;
    const auto size = constantOf(divisor);
    return of(divisor).isUniform() && (!size || *size >= kShortRow);
  };
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(instruction)) {
    switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::umin:
    case llvm::Intrinsic::umax: return either(0, 1);
    case llvm::Intrinsic::fptosi_sat:
    case llvm::Intrinsic::fptoui_sat: return usualStrideOfFloat(instruction->getOperand(0), depth, 0);
    default: return std::nullopt;
    }
  }
  if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(instruction)) {
    if (extendsIndices(*this, *address, layout_)) return std::nullopt;
    auto stride = operand(0);
    for (auto index = llvm::gep_type_begin(*address); stride && index != llvm::gep_type_end(*address); ++index) {
      if (index.isStruct()) continue; // the number of a member
      const auto at = usualStride(index.getOperand(), depth + 1);
      stride = at ? std::optional(*stride + *at * static_cast<std::int64_t>(
                                                      index.getSequentialElementStride(layout_).getFixedValue()))
                  : std::nullopt;
    }
    return stride;
  }
  switch (instruction->getOpcode()) {
  case Instruction::Select: return either(1, 2);
  case Instruction::Add: return sum(1);
  case Instruction::Sub: return sum(-1);
  case Instruction::Xor:
  case Instruction::Or:
  case Instruction::And:
    if (of(instruction->getOperand(1)).isUniform()) return operand(0);
    return of(instruction->getOperand(0)).isUniform() ? operand(1) : std::nullopt;
  case Instruction::Mul:
    if (const auto factor = constantOf(instruction->getOperand(1)); factor && magnitude(*factor) < 1 << 20)
      return times(*factor);
    for (unsigned i = 0; i < 2; ++i)
      if (of(instruction->getOperand(1 - i)).isUniform() && operand(i) == 0) return 0;
    return std::nullopt;
  // Most sub-groups lie within one period of the divisor, unless it is small.
  case Instruction::UDiv:
  case Instruction::SDiv: return isLongRow(instruction->getOperand(1)) && operand(0) ? std::optional(0) : std::nullopt;
  case Instruction::URem:
  case Instruction::SRem: return isLongRow(instruction->getOperand(1)) ? operand(0) : std::nullopt;
  case Instruction::Shl:
    if (const auto bits = constantOf(instruction->getOperand(1)); bits && *bits >= 0 && *bits < 20)
      return times(std::int64_t(1) << *bits);
    return std::nullopt;
  case Instruction::SExt:
  case Instruction::ZExt:
    // A boolean usually comes from a guard and has one value in most sub-groups: an index moved by one unless it is the
    // last.
    if (instruction->getOperand(0)->getType()->isIntegerTy(1)) return 0;
    return operand(0);
  case Instruction::Trunc:
  case Instruction::Freeze:
  case Instruction::AddrSpaceCast: return operand(0);
  case Instruction::FPToSI:
  case Instruction::FPToUI: return usualStrideOfFloat(instruction->getOperand(0), depth, 0);
  default: return std::nullopt;
  }
}

bool LaneShapes::isLinear(const llvm::Value* value, unsigned depth) const {
  using llvm::Instruction;
  constexpr unsigned kDepthLimit = 8;
  if (of(value).isAffine()) return true;
  const auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (instruction == nullptr || depth > kDepthLimit) return false;
  const auto areLinear = [&] {
    return llvm::all_of(instruction->operands(),
                        [&](const llvm::Use& operand) { return isLinear(operand, depth + 1); });
  };
  switch (instruction->getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub: return areLinear();
  case Instruction::GetElementPtr:
    return areLinear() && !extendsIndices(*this, llvm::cast<llvm::GetElementPtrInst>(*instruction), layout_);
  case Instruction::Mul:
    return areLinear() &&
           llvm::any_of(instruction->operands(), [&](const llvm::Use& operand) { return of(operand).isUniform(); });
  case Instruction::Shl: return of(instruction->getOperand(1)).isUniform() && areLinear();
  case Instruction::SExt:
  case Instruction::ZExt: {
    // All lanes are active here, so poison-generating flags hold for all of them.
    bool promised = false;
    return areLinear() &&
           isExact(*this, instruction->getOperand(0), readsSigned(llvm::cast<llvm::CastInst>(*instruction)), promised);
  }
  default: return false;
  }
}

bool LaneShapes::areConsistent(const llvm::Function& function, const WorkItemUniformity& uniformity) const {
  return llvm::all_of(llvm::instructions(function), [&](const llvm::Instruction& instruction) {
    if (matchSubGroupCall(&instruction)) return true; // These calls make uniform values of varying ones.
    // Values that LLVM finds divergent may still be uniform: the difference of two values of the same stride.
    if (instruction.isTerminator() ? uniformity.hasDivergentBranch(*instruction.getParent())
                                   : instruction.getType()->isVoidTy() || !of(&instruction).isUniform() ||
                                         !uniformity.isUniformValue(instruction))
      return true;
    return llvm::all_of(instruction.operands(), [&](const llvm::Use& operand) { return of(operand).isUniform(); });
  });
}

/// Whether lanes may diverge at the end of `from`, or on a path to the block that does not lead through `from`. Null:
/// on any path from the entry.
bool LaneShapes::mayPartOnTheWay(const llvm::BasicBlock* from, const llvm::BasicBlock& to) const {
  if (from != nullptr && flow_.parts(*from)) return true;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen = {from};
  llvm::SmallVector<const llvm::BasicBlock*, 8> work(llvm::predecessors(&to));
  while (!work.empty()) {
    const llvm::BasicBlock* before = work.pop_back_val();
    if (!seen.insert(before).second) continue;
    if (flow_.parts(*before)) return true;
    work.append(llvm::pred_begin(before), llvm::pred_end(before));
  }
  return false;
}

/// Whether all lanes that reach the block take the same path: they do not diverge after its dominator.
bool LaneShapes::isReachedTogether(const llvm::BasicBlock& block) const {
  return !mayPartOnTheWay(dominators_.getNode(&block)->getIDom()->getBlock(), block);
}

bool LaneShapes::isRunByAllLanes(const llvm::BasicBlock& block) const { return !mayPartOnTheWay(nullptr, block); }

LaneShape LaneShapes::computePhi(const llvm::PHINode& phi) const {
  // Lanes meet here from different paths, or have left a loop in different iterations; at a loop header they arrive
  // together.
  const bool isJoin = phi.getNumIncomingValues() > 1 && !flow_.isLoopHeader(phi.getParent());
  if (isJoin && !isReachedTogether(*phi.getParent())) return LaneShape::varying();
  if (flow_.leavesDivergently(phi)) return LaneShape::varying();
  LaneShape shape = LaneShape::unknown();
  for (const llvm::Use& incoming : phi.incoming_values())
    if (!isJoin || !llvm::isa<llvm::UndefValue>(incoming)) shape = shape.meet(of(incoming));
  return shape;
}

LaneShape LaneShapes::computeExtension(const llvm::CastInst& extension) const {
  const llvm::Value* value = extension.getOperand(0);
  const LaneShape shape = of(value);
  if (!shape.isAffine() || shape.isUniform()) return shape;
  return isExactExtension(extension) || factsFor(extension) ? shape : LaneShape::varying();
}

bool LaneShapes::isToldByLastLane(const llvm::CastInst& extension) const {
  if (extension.getOpcode() != llvm::Instruction::ZExt || isExactExtension(extension)) return false;
  const auto facts = factsFor(extension);
  return facts && !facts->idsFit;
}

/// Whether the lanes of the extended value differ exactly by its stride, and lane 0's value is not poison.
bool LaneShapes::isExactExtension(const llvm::CastInst& extension) const {
  const llvm::Value* value = extension.getOperand(0);
  if (!isWideIndex(value)) return false;
  if (isSmall(*value, layout_)) return true;
  bool promised = false;
  return isExact(*this, value, readsSigned(extension), promised) && (!promised || isPoisonUndefined(value));
}

/// Facts of the launch under which an inexact extension is affine.
std::optional<LaunchFacts> LaneShapes::factsFor(const llvm::CastInst& extension) const {
  constexpr std::int64_t kLongestStride = kLongestSpan / 256; // A sub-group has at most 256 lanes.
  const LaneShape shape = of(extension.getOperand(0));
  if (!mayAssume_ || !servesAddresses(extension) || !shape.isAffine() || magnitude(shape.stride()) > kLongestStride)
    return std::nullopt;
  if (const auto largest = largestMemoryWithoutWrap(extension, layout_)) return LaunchFacts{*largest, false};
  llvm::SmallVector<const llvm::TruncInst*, 4> ids;
  bool promised = false;
  if (isExactIfIdsFit(*this, extension, ids, promised) && !promised) return LaunchFacts{kAnyMemory, true};
  return std::nullopt;
}

/// The shape within blocks of lanes of a value that varies over all lanes: quotients and remainders of ids, and what is
/// computed from such values.
std::optional<LaneShape> LaneShapes::inBlocks(const llvm::Instruction& instruction) const {
  const auto division = matchLinearDivision(instruction);
  if (division && division->constant % blockLanes_ == 0 && beginsBlocks(division->dividend, blockLanes_))
    return division->isRemainder() ? LaneShape::affine(1) : LaneShape::uniform();
  if (llvm::isa<llvm::PHINode, llvm::CallBase, llvm::AllocaInst>(instruction) || instruction.mayReadOrWriteMemory())
    return std::nullopt;
  const bool isShared =
      llvm::all_of(instruction.operands(), [&](const llvm::Use& operand) { return of(operand).isUniform(); });
  return isShared ? std::optional(LaneShape::uniform()) : std::nullopt;
}

LaneShape LaneShapes::compute(const llvm::Instruction& instruction) const {
  using llvm::Instruction;
  if (const auto shape = blockLanes_ != 0 ? inBlocks(instruction) : std::nullopt) return *shape;
  if (const auto call = matchIntrinsic(&instruction)) {
    const bool isId = call->intrinsic == Intrinsic::LocalId && call->dimension == 0;
    return isId || call->intrinsic == Intrinsic::LaneId || call->intrinsic == Intrinsic::SubGroupLane
               ? LaneShape::affine(1)
               : LaneShape::uniform();
  }
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction); call != nullptr && runsOnce(*call))
    return LaneShape::uniform();
  // All lanes are active, so ranks are consecutive.
  if (const auto call = matchSubGroupCall(&instruction);
      call && call->operation == SubGroupOperation::LiveRank && isRunByAllLanes(*instruction.getParent()))
    return LaneShape::affine(1);
  if (const auto call = matchSubGroupCall(&instruction))
    return isUniformOperation(llvm::cast<llvm::CallInst>(instruction), call->operation) ? LaneShape::uniform()
                                                                                        : LaneShape::varying();
  if (const auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
    // Each lane has a copy; the copies are adjacent.
    const auto size = memory->getAllocationSize(layout_);
    return size ? LaneShape::affine(llvm::alignTo(size->getFixedValue(), memory->getAlign())) : LaneShape::varying();
  }
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) return computePhi(*phi);
  if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
    if (address->getType()->isVectorTy() || extendsIndices(*this, *address, layout_)) return LaneShape::varying();
    LaneShape shape = of(address->getPointerOperand());
    for (auto index = llvm::gep_type_begin(*address); index != llvm::gep_type_end(*address); ++index) {
      const LaneShape at = of(index.getOperand());
      if (at.isUniform()) continue;
      shape = shape.plus(at.times(index.getSequentialElementStride(layout_).getFixedValue()));
    }
    return shape;
  }
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load != nullptr && load->isSimple()) {
    const LaneShape pointer = of(load->getPointerOperand());
    return pointer.isUniform() || pointer.isUnknown() ? pointer : LaneShape::varying();
  }
  if (!instruction.getType()->isIntegerTy() && !instruction.getType()->isPointerTy()) return LaneShape::varying();
  const auto operand = [&](unsigned i) { return of(instruction.getOperand(i)); };
  switch (instruction.getOpcode()) {
  case Instruction::Add: return operand(0).plus(operand(1));
  case Instruction::Sub: return operand(0).minus(operand(1));
  case Instruction::Or:
    if (llvm::cast<llvm::PossiblyDisjointInst>(instruction).isDisjoint()) return operand(0).plus(operand(1));
    return LaneShape::varying();
  case Instruction::And: {
    const Id id = idThatFits(instruction);
    const bool fits = id == Id::Local || (id == Id::Global && mayAssume_ && servesAddresses(instruction));
    return fits ? operand(0) : LaneShape::varying();
  }
  case Instruction::Mul:
    if (const auto factor = constantOf(instruction.getOperand(1))) return operand(0).times(*factor);
    return LaneShape::varying();
  case Instruction::Shl:
    if (const auto bits = constantOf(instruction.getOperand(1)); bits && *bits >= 0 && *bits < 24)
      return operand(0).times(std::int64_t(1) << *bits);
    return LaneShape::varying();
  case Instruction::SExt:
  case Instruction::ZExt: return computeExtension(llvm::cast<llvm::CastInst>(instruction));
  case Instruction::Trunc:
    if (!isWideIndex(&instruction)) return LaneShape::varying();
    return operand(0);
  case Instruction::Freeze:
  case Instruction::AddrSpaceCast: return operand(0);
  case Instruction::PtrToInt:
  case Instruction::IntToPtr:
    return layout_.getTypeSizeInBits(instruction.getOperand(0)->getType()) ==
                   layout_.getTypeSizeInBits(instruction.getType())
               ? operand(0)
               : LaneShape::varying();
  case Instruction::Select: return operand(0).isUniform() ? operand(1).meet(operand(2)) : LaneShape::varying();
  default: return LaneShape::varying();
  }
}

} // namespace clotho::compiler
