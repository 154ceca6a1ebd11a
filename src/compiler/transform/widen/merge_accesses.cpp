// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/widen/merge_accesses.hpp"

#include "base/arithmetic.hpp"
#include "compiler/analysis/affine_address.hpp"
#include "compiler/ir/apart_arguments.hpp"
#include "compiler/ir/marks.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <list>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

/// Largest merged access of a lane, in bytes: the widest vector register.
constexpr std::int64_t kMostBytes = 64;
/// Most elements that are not a power of two. They are deinterleaved by shuffles of all lanes, which take LLVM long if
/// they are many. A 3 x 3 matrix is within the limit.
constexpr std::int64_t kMostOfOddNumber = 9;

struct Member {
  Instruction* access;
  std::int64_t begin, end; ///< bytes, from the address of the group
  std::size_t number;      ///< Index in program order

  bool overlaps(const Member& other) const { return begin < other.end && other.begin < end; }
};

/// Also erases operands of the address and the stored value that become dead, which would otherwise be live across
/// barriers.
void erase(Instruction& access) {
  llvm::SmallVector<llvm::WeakTrackingVH, 2> operands(access.operands());
  access.eraseFromParent();
  for (const llvm::WeakTrackingVH& operand : operands)
    if (operand != nullptr) llvm::RecursivelyDeleteTriviallyDeadInstructions(operand);
}

bool isConstantVariable(const Value* value) {
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value);
  return variable != nullptr && variable->isConstant();
}

/// Whether two objects cannot overlap. Private, local and global memory (including constant) do not; generic pointers
/// may point to any. An argument that is known to be unaliased does not overlap other arguments, and constant tables do
/// not overlap stores.
bool haveNothingInCommon(const Value* one, const Value* other) {
  if (isConstantVariable(one) || isConstantVariable(other)) return true;
  const auto *argument = llvm::dyn_cast<llvm::Argument>(one), *another = llvm::dyn_cast<llvm::Argument>(other);
  if (argument != nullptr && another != nullptr && argument != another && (isApart(*argument) || isApart(*another)))
    return true;
  constexpr unsigned kGlobal = 1, kConstant = 2, kLocal = 3;
  enum class Space { Any, Private, Global, Local };
  const auto spaceOf = [](const Value* pointer) {
    switch (pointer->getType()->getPointerAddressSpace()) {
    case kGlobal:
    case kConstant: return Space::Global;
    case kLocal: return Space::Local;
    default: return llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer)) ? Space::Private : Space::Any;
    }
  };
  const Space first = spaceOf(one), second = spaceOf(other);
  return first != Space::Any && second != Space::Any && first != second;
}

/// Accesses of one kind that may be merged, since nothing between them conflicts.
struct Group {
  bool stores;
  AccessAddress address; ///< address of the first member
  llvm::Type* scalar;
  std::uint64_t largestMemory = kAnyMemory; ///< Distances are right if no buffer is larger.
  llvm::SmallVector<Member, 8> members;     ///< Members in program order
  llvm::SmallVector<Member, 4> passed;      ///< stores between the loads
};

unsigned elementsOf(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector != nullptr ? vector->getNumElements() : 1;
}

/// Whether lanes are so far apart that merging pays. Closer lanes are better served by one contiguous access.
bool areFarApart(const LaneShapes& shapes, const Value* pointer, std::int64_t bytes) {
  const auto stride = shapes.usualStride(pointer);
  return !stride || magnitude(*stride) >= bytes;
}

/// Address of `member`, the first of a run, computed from the access `here`, which the run replaces.
Value* addressOf(llvm::IRBuilder<>& builder, const Member& member, const Member& here) {
  return builder.CreateConstGEP1_64(builder.getInt8Ty(), llvm::getLoadStorePointerOperand(here.access),
                                    static_cast<std::uint64_t>(member.begin - here.begin));
}

/// Builds one vector from values that are computed alike, in one block, from consecutive elements of vectors: the
/// iterations of an unrolled loop.
class VectorOfAlike {
 public:
  explicit VectorOfAlike(llvm::IRBuilder<>& builder) : builder_(builder) {}

  /// Null if the values are not alike; everything emitted is removed then.
  Value* of(llvm::ArrayRef<Value*> parts) {
    Value* whole = make(parts, 0);
    if (whole == nullptr)
      for (Instruction* instruction : llvm::reverse(made_))
        instruction->eraseFromParent();
    return whole;
  }

 private:
  static constexpr unsigned kDepthLimit = 8;

  Value* keep(Value* value) {
    if (auto* instruction = llvm::dyn_cast<Instruction>(value)) made_.push_back(instruction);
    return value;
  }

  Value* splat(Value* value, unsigned count) {
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(value))
      return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(count), constant);
    auto* type = llvm::FixedVectorType::get(value->getType(), count);
    Value* one = keep(builder_.CreateInsertElement(type, value, std::uint64_t(0)));
    return keep(builder_.CreateShuffleVector(one, llvm::SmallVector<int, 16>(count, 0)));
  }

  Value* make(llvm::ArrayRef<Value*> parts, unsigned depth) {
    Value* front = parts.front();
    const auto count = static_cast<unsigned>(parts.size());
    if (front->getType()->isVectorTy()) return nullptr;
    if (llvm::all_equal(parts)) return splat(front, count);
    if (llvm::all_of(parts, [](const Value* part) { return llvm::isa<llvm::Constant>(part); })) {
      llvm::SmallVector<llvm::Constant*, 16> constants;
      for (Value* part : parts)
        constants.push_back(llvm::cast<llvm::Constant>(part));
      return llvm::ConstantVector::get(constants);
    }
    const auto* first = llvm::dyn_cast<Instruction>(front);
    if (first == nullptr || depth == kDepthLimit) return nullptr;
    if (llvm::isa<llvm::ExtractElementInst>(first)) return vectorBehind(parts);
    return areAlike(parts) ? compute(parts, depth) : nullptr;
  }

  /// The vector whose elements are exactly the parts.
  static Value* vectorBehind(llvm::ArrayRef<Value*> parts) {
    Value* whole = llvm::cast<llvm::ExtractElementInst>(parts.front())->getVectorOperand();
    for (const auto& [i, value] : llvm::enumerate(parts)) {
      const auto* part = llvm::dyn_cast<llvm::ExtractElementInst>(value);
      const auto* index = part == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(part->getIndexOperand());
      if (index == nullptr || part->getVectorOperand() != whole || !index->equalsInt(i)) return nullptr;
    }
    return elementsOf(whole->getType()) == parts.size() ? whole : nullptr;
  }

  bool areAlike(llvm::ArrayRef<Value*> parts) const {
    const auto* first = llvm::cast<Instruction>(parts.front());
    const auto intrinsicOf = [](const Value* value) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(value);
      return call == nullptr ? llvm::Intrinsic::not_intrinsic : call->getIntrinsicID();
    };
    if (llvm::isa<llvm::CallBase>(first) ? !llvm::isTriviallyVectorizable(intrinsicOf(first))
                                         : !llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CastInst>(first))
      return false;
    return llvm::all_of(parts, [&](const Value* part) {
      const auto* other = llvm::dyn_cast<Instruction>(part);
      return other != nullptr && other->hasOneUse() && other->getParent() == builder_.GetInsertBlock() &&
             other->isSameOperationAs(first) && intrinsicOf(other) == intrinsicOf(first);
    });
  }

  Value* compute(llvm::ArrayRef<Value*> parts, unsigned depth) {
    const auto* first = llvm::cast<Instruction>(parts.front());
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(first);
    llvm::SmallVector<Value*, 4> operands;
    for (unsigned i = 0; i < (call != nullptr ? call->arg_size() : first->getNumOperands()); ++i) {
      llvm::SmallVector<Value*, 16> those;
      for (Value* part : parts)
        those.push_back(llvm::cast<Instruction>(part)->getOperand(i));
      const bool isShared =
          call != nullptr && llvm::isVectorIntrinsicWithScalarOpAtArg(call->getIntrinsicID(), i, nullptr);
      if (isShared && !llvm::all_equal(those)) return nullptr;
      operands.push_back(isShared ? those.front() : make(those, depth + 1));
      if (operands.back() == nullptr) return nullptr;
    }
    auto* type = llvm::FixedVectorType::get(first->getType(), static_cast<unsigned>(parts.size()));
    Value* made = nullptr;
    if (call != nullptr)
      made = builder_.CreateIntrinsic(type, call->getIntrinsicID(), operands);
    else if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(first))
      made = builder_.CreateCast(cast->getOpcode(), operands[0], type);
    else
      made = builder_.CreateNAryOp(first->getOpcode(), operands);
    auto* instruction = llvm::dyn_cast<Instruction>(made);
    if (instruction == nullptr || llvm::is_contained(operands, made)) return made;
    keep(instruction);
    instruction->copyIRFlags(first);
    for (Value* part : parts)
      instruction->andIRFlags(part);
    return instruction;
  }

  llvm::IRBuilder<>& builder_;
  llvm::SmallVector<Instruction*, 16> made_;
};

class BlockMerger {
 public:
  BlockMerger(llvm::BasicBlock& block, const LaneShapes& shapes)
      : block_(block), shapes_(shapes), layout_(block.getDataLayout()) {}

  /// `facts`: gets the launch facts on which distances of accesses depend; null if none may be assumed.
  bool run(LaunchFacts* facts) {
    facts_ = facts;
    for (Instruction& instruction : block_)
      see(instruction);
    closed_.splice(closed_.end(), open_);
    // Loads come first, since stored values may depend on them.
    for (const bool stores : {false, true})
      for (Group& group : closed_)
        if (group.stores == stores) merge(group);
    for (Instruction* instruction : merged_)
      erase(*instruction);
    return !merged_.empty();
  }

 private:
  AccessAddress accessAddress(const Value& pointer) const {
    if (facts_ != nullptr) return accessAddressOf(pointer, layout_);
    const AffineAddress exact = affineAddressOf(pointer, layout_);
    return {.exact = exact, .inBounds = exact};
  }

  bool canMerge(const Instruction& access) const {
    llvm::Type* type = llvm::getLoadStoreType(&access);
    llvm::Type* scalar = type->getScalarType();
    if (type->isAggregateType() || (!scalar->isFloatingPointTy() && !scalar->isIntegerTy())) return false;
    const unsigned bits = scalar->getPrimitiveSizeInBits();
    if (bits < 8 || bits > 64 || !llvm::isPowerOf2_32(bits)) return false;
    const Value* pointer = llvm::getLoadStorePointerOperand(&access);
    // Private arrays have a layout of their own.
    return areLanesFarApart(shapes_, pointer, bits / 8) &&
           !llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer));
  }

  void see(Instruction& instruction) {
    if (llvm::isa<llvm::LifetimeIntrinsic, llvm::AssumeInst, llvm::DbgInfoIntrinsic>(instruction)) return;
    if (!instruction.mayReadOrWriteMemory() && llvm::isGuaranteedToTransferExecutionToSuccessor(&instruction)) return;
    const bool isStore = llvm::isa<llvm::StoreInst>(instruction);
    if ((!isStore && !llvm::isa<llvm::LoadInst>(instruction)) || instruction.isVolatile() || instruction.isAtomic())
      return closed_.splice(closed_.end(), open_);
    const AccessAddress address = accessAddress(*llvm::getLoadStorePointerOperand(&instruction));
    const auto size =
        static_cast<std::int64_t>(layout_.getTypeStoreSize(llvm::getLoadStoreType(&instruction)).getFixedValue());
    const std::size_t number = accesses_++;
    llvm::Type* scalar = llvm::getLoadStoreType(&instruction)->getScalarType();
    bool joins = canMerge(instruction);
    // Loads move up to the first of their group, stores down to the last.
    for (auto at = open_.begin(); at != open_.end();) {
      const auto group = at++;
      const auto distance = group->address.distanceTo(address);
      if (distance) {
        group->largestMemory = std::min(group->largestMemory, distance->largestMemory);
        const Member member{&instruction, distance->bytes, distance->bytes + size, number};
        const auto overlaps = [&](const Member& other) { return other.overlaps(member); };
        if (group->stores && llvm::any_of(group->members, overlaps)) {
          closed_.splice(closed_.end(), open_, group);
        } else if (group->stores != isStore) {
          if (isStore) group->passed.push_back(member);
        } else if (joins && group->scalar == scalar && !llvm::any_of(group->passed, overlaps)) {
          group->members.push_back(member);
          joins = false;
        }
      } else if ((isStore || group->stores) &&
                 !haveNothingInCommon(group->address.exact.object, address.exact.object)) {
        closed_.splice(closed_.end(), open_, group);
      }
    }
    if (joins) // No group takes it: it begins a new one.
      open_.push_back({isStore, address, scalar, kAnyMemory, {{&instruction, 0, size, number}}, {}});
  }

  void merge(Group& group) {
    if (group.members.size() < 2) return;
    llvm::sort(group.members, [](const Member& a, const Member& b) { return a.begin < b.begin; });
    const std::int64_t size = layout_.getTypeStoreSize(group.scalar).getFixedValue();
    const llvm::ArrayRef<Member> members = group.members;
    for (std::size_t begin = 0; begin < members.size();) {
      // The run ends where its size is a power of two, or where it covers the whole stride of a lane in a few elements.
      const auto stride = shapes_.usualStride(llvm::getLoadStorePointerOperand(members[begin].access));
      std::size_t best = begin + 1;
      for (std::size_t end = best; end < members.size() && members[end].begin == members[end - 1].end; ++end) {
        const std::int64_t bytes = members[end].end - members[begin].begin;
        if (bytes > kMostBytes || (stride && bytes > magnitude(*stride))) break;
        const bool isAll = stride && magnitude(*stride) == bytes && bytes / size <= kMostOfOddNumber;
        if (llvm::isPowerOf2_64(bytes / size) || isAll) best = end + 1;
      }
      const auto run = members.slice(begin, best - begin);
      begin = best;
      const std::int64_t bytes = run.back().end - run.front().begin;
      if (run.size() < 2 || !areFarApart(shapes_, llvm::getLoadStorePointerOperand(run.front().access), bytes))
        continue;
      if (facts_ != nullptr) facts_->add({.largestMemory = group.largestMemory});
      auto* type = llvm::FixedVectorType::get(group.scalar, static_cast<unsigned>(bytes / size));
      const auto [first, last] = std::minmax_element(
          run.begin(), run.end(), [](const Member& one, const Member& other) { return one.number < other.number; });
      if (group.stores)
        replaceStores(run, type, *last);
      else
        replaceLoads(run, type, *first);
    }
  }

  void replaceLoads(llvm::ArrayRef<Member> run, llvm::FixedVectorType* type, const Member& first) {
    llvm::IRBuilder<> builder(first.access);
    Value* whole = builder.CreateAlignedLoad(type, addressOf(builder, run.front(), first),
                                             llvm::getLoadStoreAlignment(run.front().access));
    unsigned at = 0;
    for (const Member& member : run) {
      llvm::Type* part = member.access->getType();
      const unsigned elements = elementsOf(part);
      // Each part is extracted where it was loaded, so that not all parts are live at once.
      builder.SetInsertPoint(member.access);
      member.access->replaceAllUsesWith(
          part->isVectorTy() ? builder.CreateShuffleVector(whole, llvm::createSequentialMask(at, elements, 0))
                             : builder.CreateExtractElement(whole, at));
      merged_.push_back(member.access);
      at += elements;
    }
  }

  void replaceStores(llvm::ArrayRef<Member> run, llvm::FixedVectorType* type, const Member& last) {
    llvm::IRBuilder<> builder(last.access);
    llvm::SmallVector<Value*, 16> parts;
    for (const Member& member : run)
      parts.push_back(llvm::cast<llvm::StoreInst>(member.access)->getValueOperand());
    const bool areScalars = llvm::none_of(parts, [](const Value* part) { return part->getType()->isVectorTy(); });
    Value* whole = areScalars ? VectorOfAlike(builder).of(parts) : nullptr;
    const bool isWhole = whole != nullptr;
    if (!isWhole) whole = llvm::PoisonValue::get(type);
    unsigned at = 0;
    for (const Member& member : run) {
      merged_.push_back(member.access);
      if (isWhole) continue;
      Value* part = llvm::cast<llvm::StoreInst>(member.access)->getValueOperand();
      if (!part->getType()->isVectorTy())
        whole = builder.CreateInsertElement(whole, part, at++);
      else
        for (unsigned i = 0; i < elementsOf(part->getType()); ++i)
          whole = builder.CreateInsertElement(whole, builder.CreateExtractElement(part, i), at++);
    }
    auto* store = builder.CreateAlignedStore(whole, llvm::getLoadStorePointerOperand(run.front().access),
                                             llvm::getLoadStoreAlignment(run.front().access));
    // Stores of a run go through one pointer, so all or none have the mark.
    store->copyMetadata(*run.front().access, store->getContext().getMDKindID(kNonTemporalName));
  }

  llvm::BasicBlock& block_;
  const LaneShapes& shapes_;
  const llvm::DataLayout& layout_;
  LaunchFacts* facts_ = nullptr;
  std::size_t accesses_ = 0;
  std::list<Group> open_, closed_;
  llvm::SmallVector<Instruction*, 16> merged_;
};

} // namespace

bool areLanesFarApart(const LaneShapes& shapes, const Value* pointer, std::int64_t elementBytes) {
  return !shapes.of(pointer).isUniform() && areFarApart(shapes, pointer, 2 * elementBytes);
}

bool mergeAccesses(llvm::Function& kernel, const LaneShapes& shapes, LaunchFacts* facts) {
  bool changed = false;
  for (llvm::BasicBlock& block : kernel)
    changed |= BlockMerger(block, shapes).run(facts);
  return changed;
}

} // namespace clotho::compiler
