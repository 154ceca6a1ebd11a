// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/vectorise/merge_accesses.hpp"

#include "compiler/ir/marks.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/Local.h>

#include <list>
#include <map>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

/// What one access of a lane may move: as much as the widest vector register holds.
constexpr std::int64_t kMostBytes = 64;

enum class Extension { None, Signed, Unsigned };

/// An address as a sum: where it begins, multiples of values, and the bytes that are added to that.
struct Place {
  const Value* base = nullptr;
  std::map<std::pair<const Value*, Extension>, std::int64_t> terms;
  std::int64_t offset = 0;

  bool isBeside(const Place& other) const { return base == other.base && terms == other.terms; }
};

/// Adds a multiple of an index, which is a sum if nothing on the way wraps around before it is extended.
void addIndex(const Value* value, std::int64_t scale, Extension extension, Place& place, unsigned depth = 0) {
  constexpr unsigned kDepthLimit = 8;
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
      constant != nullptr && constant->getBitWidth() <= 64) {
    const bool isSigned = extension != Extension::Unsigned;
    place.offset += scale * (isSigned ? constant->getSExtValue() : static_cast<std::int64_t>(constant->getZExtValue()));
    return;
  }
  const auto* operation = llvm::dyn_cast<llvm::Operator>(value);
  const auto follow = [&](unsigned operand, std::int64_t factor) {
    addIndex(operation->getOperand(operand), scale * factor, extension, place, depth + 1);
  };
  if (operation != nullptr && depth < kDepthLimit) {
    bool isSum = extension == Extension::None;
    if (const auto* sum = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(operation))
      isSum |= extension == Extension::Signed ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap();
    const auto* factor =
        operation->getNumOperands() > 1 ? llvm::dyn_cast<llvm::ConstantInt>(operation->getOperand(1)) : nullptr;
    switch (operation->getOpcode()) {
    case Instruction::Or: isSum = llvm::cast<llvm::PossiblyDisjointInst>(operation)->isDisjoint(); [[fallthrough]];
    case Instruction::Add:
      if (!isSum) break;
      follow(0, 1);
      return follow(1, 1);
    case Instruction::Sub:
      if (!isSum) break;
      follow(0, 1);
      return follow(1, -1);
    case Instruction::Mul:
      if (!isSum || factor == nullptr || !factor->getValue().isSignedIntN(24)) break;
      if (extension == Extension::Unsigned && factor->isNegative()) break; // large
      return follow(0, factor->getSExtValue());
    case Instruction::Shl:
      if (!isSum || factor == nullptr || factor->getValue().uge(24)) break;
      return follow(0, std::int64_t(1) << factor->getZExtValue());
    case Instruction::Xor:
      // The complement of x is -1 - x, also when both are extended as signed numbers.
      if (extension == Extension::Unsigned || factor == nullptr || !factor->isMinusOne()) break;
      place.offset -= scale;
      return follow(0, -1);
    case Instruction::SExt:
      if (extension == Extension::Unsigned) break;
      return addIndex(operation->getOperand(0), scale, Extension::Signed, place, depth + 1);
    case Instruction::ZExt:
      if (extension == Extension::Signed) break;
      return addIndex(operation->getOperand(0), scale, Extension::Unsigned, place, depth + 1);
    default: break;
    }
  }
  place.terms[{value, extension}] += scale;
}

Place placeOf(const Value* pointer, const llvm::DataLayout& layout) {
  Place place;
  while (const auto* address = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
    llvm::APInt constant(64, 0);
    llvm::SmallMapVector<Value*, llvm::APInt, 4> variable;
    if (address->getType()->isVectorTy() || !address->collectOffset(layout, 64, variable, constant)) break;
    place.offset += constant.getSExtValue();
    for (const auto& [index, scale] : variable)
      // Indices of fewer bits are extended as signed numbers.
      addIndex(index, scale.getSExtValue(),
               index->getType()->getIntegerBitWidth() < 64 ? Extension::Signed : Extension::None, place);
    pointer = address->getPointerOperand();
  }
  place.base = pointer;
  std::erase_if(place.terms, [](const auto& term) { return term.second == 0; });
  return place;
}

struct Member {
  Instruction* access;
  std::int64_t begin, end; ///< bytes, from the place that the group has in common

  bool overlaps(const Member& other) const { return begin < other.end && other.begin < end; }
};

/// With what its address alone was made of: that would be kept across barriers as long as it is there.
void erase(Instruction& access) {
  Value* pointer = llvm::getLoadStorePointerOperand(&access);
  access.eraseFromParent();
  llvm::RecursivelyDeleteTriviallyDeadInstructions(pointer);
}

/// Accesses of one kind that may become one, for nothing between them is in the way.
struct Group {
  bool stores;
  Place place;
  llvm::Type* scalar;
  llvm::SmallVector<Member, 8> members; ///< as they come
  llvm::SmallVector<Member, 4> passed;  ///< what is written between loads
};

unsigned elementsOf(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector != nullptr ? vector->getNumElements() : 1;
}

/// Lanes that are nearer to each other than that are served better by one row for all of them.
bool areApart(const LaneShapes& shapes, const Value* pointer, std::int64_t bytes) {
  const auto stride = shapes.usualStride(pointer);
  return !stride || std::abs(*stride) >= bytes;
}

class BlockMerger {
 public:
  BlockMerger(llvm::BasicBlock& block, const LaneShapes& shapes)
      : block_(block), shapes_(shapes), layout_(block.getDataLayout()) {}

  bool run() {
    for (Instruction& instruction : block_)
      see(instruction);
    closed_.splice(closed_.end(), open_);
    for (Group& group : closed_)
      merge(group);
    for (Instruction* instruction : merged_)
      erase(*instruction);
    return !merged_.empty();
  }

 private:
  bool canMerge(const Instruction& access) const;
  void see(Instruction& instruction);
  void join(const Member& member, const Place& place, bool isStore);
  void closeIf(llvm::function_ref<bool(const Group&)> isInTheWay);
  void merge(Group& group);
  void replaceLoads(llvm::ArrayRef<Member> run, llvm::FixedVectorType* type, const Member& first);
  void replaceStores(llvm::ArrayRef<Member> run, llvm::FixedVectorType* type, const Member& last);

  llvm::BasicBlock& block_;
  const LaneShapes& shapes_;
  const llvm::DataLayout& layout_;
  std::list<Group> open_, closed_;
  llvm::SmallVector<Instruction*, 16> merged_;
};

bool BlockMerger::canMerge(const Instruction& access) const {
  llvm::Type* type = llvm::getLoadStoreType(&access);
  llvm::Type* scalar = type->getScalarType();
  if (type->isAggregateType() || (!scalar->isFloatingPointTy() && !scalar->isIntegerTy())) return false;
  const unsigned bits = scalar->getPrimitiveSizeInBits();
  if (bits < 8 || bits > 64 || !llvm::isPowerOf2_32(bits)) return false;
  const Value* pointer = llvm::getLoadStorePointerOperand(&access);
  // Private arrays have an order of their own.
  return areLanesApart(shapes_, pointer, bits / 8) && !llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer));
}

void BlockMerger::closeIf(llvm::function_ref<bool(const Group&)> isInTheWay) {
  for (auto group = open_.begin(); group != open_.end();) {
    const auto next = std::next(group);
    if (isInTheWay(*group)) closed_.splice(closed_.end(), open_, group);
    group = next;
  }
}

void BlockMerger::see(Instruction& instruction) {
  if (llvm::isa<llvm::LifetimeIntrinsic, llvm::AssumeInst, llvm::DbgInfoIntrinsic>(instruction)) return;
  if (!instruction.mayReadOrWriteMemory() && llvm::isGuaranteedToTransferExecutionToSuccessor(&instruction)) return;
  const bool isStore = llvm::isa<llvm::StoreInst>(instruction);
  if ((!isStore && !llvm::isa<llvm::LoadInst>(instruction)) || instruction.isVolatile() || instruction.isAtomic())
    return closeIf([](const Group&) { return true; });
  const Place place = placeOf(llvm::getLoadStorePointerOperand(&instruction), layout_);
  const auto size = layout_.getTypeStoreSize(llvm::getLoadStoreType(&instruction)).getFixedValue();
  const Member member{&instruction, place.offset, place.offset + static_cast<std::int64_t>(size)};
  // Loads move up to the first of their group, stores down to the last.
  closeIf([&](const Group& group) {
    if (!isStore && !group.stores) return false;
    if (!group.place.isBeside(place)) return true;
    return group.stores && llvm::any_of(group.members, [&](const Member& other) { return other.overlaps(member); });
  });
  if (isStore)
    for (Group& group : open_)
      if (!group.stores) group.passed.push_back(member);
  if (canMerge(instruction)) join(member, place, isStore);
}

void BlockMerger::join(const Member& member, const Place& place, bool isStore) {
  llvm::Type* scalar = llvm::getLoadStoreType(member.access)->getScalarType();
  for (Group& group : open_) {
    if (group.stores != isStore || group.scalar != scalar || !group.place.isBeside(place)) continue;
    if (llvm::any_of(group.passed, [&](const Member& passed) { return passed.overlaps(member); })) continue;
    group.members.push_back(member);
    return;
  }
  open_.push_back({isStore, place, scalar, {member}, {}});
}

void BlockMerger::merge(Group& group) {
  if (group.members.size() < 2) return;
  const Member first = group.members.front(), last = group.members.back();
  llvm::sort(group.members, [](const Member& a, const Member& b) { return a.begin < b.begin; });
  const std::int64_t size = layout_.getTypeStoreSize(group.scalar).getFixedValue();
  const llvm::ArrayRef<Member> members = group.members;
  for (std::size_t begin = 0; begin < members.size();) {
    // As many neighbours as make a vector of a power of two.
    std::size_t best = begin + 1;
    for (std::size_t end = best; end < members.size() && members[end].begin == members[end - 1].end; ++end) {
      const std::int64_t bytes = members[end].end - members[begin].begin;
      if (bytes > kMostBytes) break;
      if (llvm::isPowerOf2_64(bytes / size)) best = end + 1;
    }
    const auto run = members.slice(begin, best - begin);
    begin = best;
    const std::int64_t bytes = run.back().end - run.front().begin;
    if (run.size() < 2 || !areApart(shapes_, llvm::getLoadStorePointerOperand(run.front().access), bytes)) continue;
    auto* type = llvm::FixedVectorType::get(group.scalar, static_cast<unsigned>(bytes / size));
    if (group.stores)
      replaceStores(run, type, last);
    else
      replaceLoads(run, type, first);
  }
}

/// Of the first of a run, from the address of the access in whose place the run now stands.
Value* addressOf(llvm::IRBuilder<>& builder, const Member& member, const Member& here) {
  return builder.CreateConstGEP1_64(builder.getInt8Ty(), llvm::getLoadStorePointerOperand(here.access),
                                    static_cast<std::uint64_t>(member.begin - here.begin));
}

void BlockMerger::replaceLoads(llvm::ArrayRef<Member> run, llvm::FixedVectorType* type, const Member& first) {
  llvm::IRBuilder<> builder(first.access);
  Value* whole = builder.CreateAlignedLoad(type, addressOf(builder, run.front(), first),
                                           llvm::getLoadStoreAlignment(run.front().access));
  unsigned at = 0;
  for (const Member& member : run) {
    llvm::Type* part = member.access->getType();
    const unsigned elements = elementsOf(part);
    // Where it was loaded, so that not all parts are live at once.
    builder.SetInsertPoint(member.access);
    member.access->replaceAllUsesWith(
        part->isVectorTy() ? builder.CreateShuffleVector(whole, llvm::createSequentialMask(at, elements, 0))
                           : builder.CreateExtractElement(whole, at));
    merged_.push_back(member.access);
    at += elements;
  }
}

void BlockMerger::replaceStores(llvm::ArrayRef<Member> run, llvm::FixedVectorType* type, const Member& last) {
  llvm::IRBuilder<> builder(last.access);
  Value* whole = llvm::PoisonValue::get(type);
  unsigned at = 0;
  for (const Member& member : run) {
    Value* part = llvm::cast<llvm::StoreInst>(member.access)->getValueOperand();
    if (!part->getType()->isVectorTy())
      whole = builder.CreateInsertElement(whole, part, at++);
    else
      for (unsigned i = 0; i < elementsOf(part->getType()); ++i)
        whole = builder.CreateInsertElement(whole, builder.CreateExtractElement(part, i), at++);
    merged_.push_back(member.access);
  }
  auto* store = builder.CreateAlignedStore(whole, llvm::getLoadStorePointerOperand(run.front().access),
                                           llvm::getLoadStoreAlignment(run.front().access));
  // Those of a run go through one pointer, so this is said of all or of none.
  store->copyMetadata(*run.front().access, store->getContext().getMDKindID(kNonTemporalName));
}

} // namespace

bool areLanesApart(const LaneShapes& shapes, const Value* pointer, std::int64_t elementBytes) {
  return !shapes.of(pointer).isUniform() && areApart(shapes, pointer, 2 * elementBytes);
}

std::optional<std::int64_t> bytesBetween(const Value* from, const Value* to, const llvm::DataLayout& layout) {
  const Place one = placeOf(from, layout), other = placeOf(to, layout);
  if (!one.isBeside(other)) return std::nullopt;
  return other.offset - one.offset;
}

bool mergeAccesses(llvm::Function& kernel, const LaneShapes& shapes) {
  bool changed = false;
  for (llvm::BasicBlock& block : kernel)
    changed |= BlockMerger(block, shapes).run();
  return changed;
}

} // namespace clotho::compiler
