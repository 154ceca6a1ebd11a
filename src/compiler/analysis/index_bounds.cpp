// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/index_bounds.hpp"

#include "compiler/ir/kernel_facts.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/KnownBits.h>

#include <algorithm>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kDepthLimit = 6;
constexpr unsigned kPrivateSpace = 0, kLocalSpace = 3;
constexpr std::uint64_t kGreatestFactor = 1 << 30;
/// Larger than the longest span plus all constants that are added on the way to an address.
constexpr std::uint64_t kMargin = 1 << 26;
static_assert(kMargin > kLongestSpan + 2 * kDepthLimit * kGreatestIndexTerm);
static_assert(kMargin > std::uint64_t(2) * (kMostIndexTerms + kDepthLimit) *
                            kGreatestIndexTerm); // distances (affine_address.hpp)

/// Size of the objects that a pointer may point into: all small, some possibly as large as a buffer, or unknown.
enum class Objects { Small, Buffers, Unknown };

Objects objectsOf(const Value* pointer, const llvm::DataLayout& layout) {
  constexpr std::uint64_t kSmall = 1 << 30;
  const unsigned space = pointer->getType()->getPointerAddressSpace();
  if (space == kPrivateSpace || space == kLocalSpace) return Objects::Small;
  llvm::SmallVector<const Value*, 4> roots;
  llvm::getUnderlyingObjects(pointer, roots);
  Objects result = Objects::Small;
  for (const Value* root : roots) {
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(root)) {
      const unsigned of = argument->getType()->getPointerAddressSpace();
      if (!argument->hasByValAttr() && of != kPrivateSpace && of != kLocalSpace) result = Objects::Buffers;
    } else if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(root)) {
      if (layout.getTypeAllocSize(variable->getValueType()).getFixedValue() > kSmall) return Objects::Unknown;
    } else if (!llvm::isa<llvm::AllocaInst>(root)) {
      return Objects::Unknown;
    }
  }
  return result;
}

bool isBeginOfObject(const Value* pointer) {
  return llvm::isa<llvm::Argument, llvm::GlobalVariable, llvm::AllocaInst>(pointer);
}

/// Whether the address is used only to access or prefetch memory at most a small number of bytes away from it.
bool isForAccessesNearby(const llvm::GetElementPtrInst& address, const llvm::DataLayout& layout, unsigned depth = 0) {
  return llvm::all_of(address.users(), [&](const llvm::User* user) {
    if (llvm::getLoadStorePointerOperand(user) == &address || llvm::isa<llvm::IntrinsicInst>(user)) return true;
    const auto* next = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
    if (next == nullptr || depth == kDepthLimit) return false;
    llvm::APInt bytes(layout.getIndexTypeSizeInBits(next->getType()), 0);
    return next->accumulateConstantOffset(layout, bytes) && bytes.abs().ule(kGreatestIndexTerm) &&
           isForAccessesNearby(*next, layout, depth + 1);
  });
}

std::optional<std::uint64_t> magnitude(const Value* value) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
  if (constant == nullptr || constant->getBitWidth() > 64) return std::nullopt;
  return constant->getValue().abs().getZExtValue();
}

/// Follows an extended index to the addresses that are computed from it. No step may reduce its magnitude, except by
/// small constants, so that a bound on the final index bounds this one.
class Follower {
 public:
  Follower(bool isSigned, const llvm::DataLayout& layout) : isSigned_(isSigned), layout_(layout) {}

  /// The followed value as a function of the index x.
  enum class Form {
    Linear,  ///< x times a constant plus a small constant, without overflow
    Sum,     ///< no less than x, which has no sign
    Product, ///< x times anything, without overflow: if that is zero, x does not matter
  };

  bool follow(const Value& value, Form form, std::uint64_t factor, unsigned depth) {
    return depth <= kDepthLimit &&
           llvm::all_of(value.uses(), [&](const llvm::Use& use) { return followUse(use, form, factor, depth); });
  }

  /// Bounds the index by an access that uses it directly. All other accesses whose address depends on it must be in the
  /// same block, so that the bound holds for them; their addresses may have any base.
  bool followAnyOfABlock(const Value& index) {
    const BasicBlock* block = nullptr;
    for (const llvm::Use& use : index.uses())
      if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(use.getUser());
          address != nullptr && reach(use, *address, Form::Linear, 1))
        for (const llvm::User* user : address->users())
          if (llvm::getLoadStorePointerOperand(user) == address) block = llvm::cast<Instruction>(user)->getParent();
    return block != nullptr && servesAddresses(index) && accessesOnlyIn(*block, index, 0);
  }

  std::uint64_t largest() const { return largest_; }

 private:
  /// Whether all accesses at addresses computed from `value` are in the block.
  static bool accessesOnlyIn(const BasicBlock& block, const Value& value, unsigned depth) {
    return depth <= kDepthLimit && llvm::all_of(value.users(), [&](const llvm::User* user) {
             const auto& instruction = *llvm::cast<Instruction>(user);
             if (llvm::getLoadStorePointerOperand(user) == &value) return instruction.getParent() == &block;
             return !instruction.mayReadOrWriteMemory() && !llvm::isa<llvm::PHINode>(instruction) &&
                    accessesOnlyIn(block, instruction, depth + 1);
           });
  }

  bool followUse(const llvm::Use& use, Form form, std::uint64_t factor, unsigned depth) {
    const auto* user = llvm::cast<Instruction>(use.getUser());
    if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) return reach(use, *address, form, factor);
    // A phi: the index comes from one of several predecessors. Around a loop the recursion stops at the depth limit.
    if (llvm::isa<llvm::PHINode>(user)) return follow(*user, form, factor, depth + 1);
    const auto* operation = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(user);
    if (operation == nullptr || !user->getType()->isIntegerTy(64)) return false;
    const Value& other = *user->getOperand(1 - use.getOperandNo());
    switch (user->getOpcode()) {
    case Instruction::Add: return followSum(*operation, other, form, factor, depth);
    case Instruction::Sub: {
      // The negated index is as large in magnitude.
      const auto term = magnitude(&other);
      return term && *term <= kGreatestIndexTerm &&
             follow(*user, use.getOperandNo() == 0 ? form : Form::Product, factor, depth + 1);
    }
    case Instruction::Mul: return followProduct(*operation, other, form, factor, depth);
    case Instruction::Shl: {
      const auto bits = magnitude(&other);
      return use.getOperandNo() == 0 && bits && *bits < 30 &&
             followMultiple(*operation, std::uint64_t(1) << *bits, form, factor, depth);
    }
    default: return false;
    }
  }

  bool followSum(const llvm::OverflowingBinaryOperator& sum, const Value& other, Form form, std::uint64_t factor,
                 unsigned depth) {
    if (const auto term = magnitude(&other); term && *term <= kGreatestIndexTerm)
      return follow(sum, form, factor, depth + 1);
    if (isSigned_ || form == Form::Product) return false;
    // The sum stays below 2^64 even if every addition on the way has terms like this.
    constexpr unsigned kLeadingZeros = 3;
    static_assert(kDepthLimit < 1 << kLeadingZeros);
    const bool isNoLess =
        sum.hasNoUnsignedWrap() || llvm::computeKnownBits(&other, layout_).countMinLeadingZeros() >= kLeadingZeros;
    return isNoLess && follow(sum, Form::Sum, factor, depth + 1);
  }

  bool followProduct(const llvm::OverflowingBinaryOperator& product, const Value& other, Form form,
                     std::uint64_t factor, unsigned depth) {
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&other))
      return constant->getValue().isStrictlyPositive() &&
             followMultiple(product, constant->getValue().getLimitedValue(), form, factor, depth);
    const bool isExact = product.hasNoSignedWrap() || (!isSigned_ && product.hasNoUnsignedWrap());
    return isExact && form == Form::Linear && follow(product, Form::Product, factor, depth + 1);
  }

  bool followMultiple(const llvm::OverflowingBinaryOperator& multiple, std::uint64_t by, Form form,
                      std::uint64_t factor, unsigned depth) {
    if (by > kGreatestFactor || factor > kGreatestFactor / by) return false;
    if (form != Form::Linear && !multiple.hasNoSignedWrap() && !multiple.hasNoUnsignedWrap()) return false;
    return follow(multiple, form, factor * by, depth + 1);
  }

  /// The base of an address without `inbounds` may be anywhere, unless it is the beginning of the object.
  bool reach(const llvm::Use& use, const llvm::GetElementPtrInst& address, Form form, std::uint64_t factor) {
    if (address.getType()->isVectorTy() || !servesAddresses(address)) return false;
    std::uint64_t size = 0;
    for (auto index = llvm::gep_type_begin(address); index != llvm::gep_type_end(address); ++index)
      if (index.getOperand() == use.get() && !index.isStruct())
        size = std::max(size, index.getSequentialElementStride(layout_).getFixedValue());
    if (size == 0 || !use->getType()->isIntegerTy(64)) return false;
    if (!address.isInBounds()) {
      if (address.getNumIndices() != 1 || !isBeginOfObject(address.getPointerOperand()) ||
          !isForAccessesNearby(address, layout_) || form != Form::Linear || size > kGreatestFactor / factor)
        return false;
    }
    const Objects objects = objectsOf(address.getPointerOperand(), layout_);
    if (objects == Objects::Unknown) return false;
    if (objects == Objects::Small) return true;
    const std::uint64_t most = (std::uint64_t(1) << (isSigned_ ? 31 : 32)) - kMargin;
    largest_ = std::min(largest_, most * std::min(size, kGreatestFactor));
    return true;
  }

  const bool isSigned_;
  const llvm::DataLayout& layout_;
  std::uint64_t largest_ = kAnyMemory;
};

/// `seen`: phis of loops, each of which is followed once.
bool servesAddresses(const Value& value, unsigned depth, llvm::SmallPtrSetImpl<const Value*>& seen) {
  if (depth > kDepthLimit) return false;
  return llvm::all_of(value.uses(), [&](const llvm::Use& use) {
    const auto* user = llvm::cast<Instruction>(use.getUser());
    if (llvm::getLoadStorePointerOperand(user) == &value)
      return use.getOperandNo() == (llvm::isa<llvm::StoreInst>(user) ? 1u : 0u);
    if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(user))
      return call->getIntrinsicID() == llvm::Intrinsic::prefetch;
    if (llvm::isa<llvm::PHINode>(user)) return !seen.insert(user).second || servesAddresses(*user, depth + 1, seen);
    const bool leads = llvm::isa<llvm::GetElementPtrInst>(user) || user->getOpcode() == Instruction::Add ||
                       user->getOpcode() == Instruction::Sub || user->getOpcode() == Instruction::Mul ||
                       user->getOpcode() == Instruction::Shl;
    return leads && servesAddresses(*user, depth + 1, seen);
  });
}

} // namespace

bool servesAddresses(const Value& value) {
  llvm::SmallPtrSet<const Value*, 4> seen;
  return servesAddresses(value, 0, seen);
}

std::optional<std::uint64_t> largestMemoryWithoutWrap(const llvm::CastInst& extension, const llvm::DataLayout& layout) {
  if (!extension.getSrcTy()->isIntegerTy(32) || !extension.getType()->isIntegerTy(64)) return std::nullopt;
  Follower follower(llvm::isa<llvm::SExtInst>(extension), layout);
  if (follower.follow(extension, Follower::Form::Linear, 1, 0)) return follower.largest();
  Follower beside(llvm::isa<llvm::SExtInst>(extension), layout);
  if (beside.followAnyOfABlock(extension)) return beside.largest();
  return std::nullopt;
}

llvm::AnalysisKey IndexBoundsAnalysis::Key;

IndexBoundsAnalysis::Result IndexBoundsAnalysis::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  Result result;
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    if (const auto* extension = llvm::dyn_cast<llvm::CastInst>(&instruction);
        extension != nullptr && llvm::isa<llvm::SExtInst, llvm::ZExtInst>(extension))
      result[extension] = largestMemoryWithoutWrap(*extension, function.getDataLayout());
  return result;
}

} // namespace clotho::compiler
