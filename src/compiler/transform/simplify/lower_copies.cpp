// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/simplify/lower_copies.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace clotho::compiler {
namespace {

using llvm::Type;
using llvm::Value;

/// Most elements of a copy that is expanded inline. Larger copies become loops if an array is part of them, and stay
/// otherwise.
constexpr std::uint64_t kMostElements = 16;

/// Whether an array of the type has no padding between or in its elements.
bool hasNoPadding(Type* type, const llvm::DataLayout& layout) {
  return type->isSingleValueType() && !type->isTargetExtTy() &&
         layout.getTypeSizeInBits(type) == 8 * layout.getTypeAllocSize(type).getFixedValue();
}

/// Types by which private variables are loaded and stored.
class ElementTypes {
 public:
  explicit ElementTypes(const llvm::DataLayout& layout) : layout_(layout) {}

  /// Null if the variable's address escapes, or if it is accessed only by copies.
  Type* of(const llvm::AllocaInst& array) {
    const auto [found, isNew] = types_.try_emplace(&array, nullptr);
    if (isNew) found->second = find(array);
    return found->second;
  }

 private:
  Type* find(const llvm::AllocaInst& array) const {
    Type* type = nullptr;
    bool areEqual = true;
    llvm::SmallVector<const llvm::Instruction*, 16> work = {&array};
    while (!work.empty()) {
      const llvm::Instruction* pointer = work.pop_back_val();
      for (const llvm::User* user : pointer->users()) {
        const auto* instruction = llvm::cast<llvm::Instruction>(user);
        if (llvm::isa<llvm::GetElementPtrInst>(instruction)) {
          work.push_back(instruction);
          continue;
        }
        if (llvm::isa<llvm::LifetimeIntrinsic, llvm::MemIntrinsic>(instruction)) continue;
        const auto* store = llvm::dyn_cast<llvm::StoreInst>(instruction);
        if (!llvm::isa<llvm::LoadInst>(instruction) && (store == nullptr || store->getValueOperand() == pointer))
          return nullptr;
        Type* accessed = llvm::getLoadStoreType(instruction);
        if (type == nullptr) type = accessed;
        if (accessed == type) continue;
        areEqual = false;
        if (bytesOf(accessed->getScalarType()) < bytesOf(type->getScalarType())) type = accessed;
      }
    }
    if (type == nullptr) return nullptr;
    // If an array is accessed as vectors and as scalars, its elements are the scalars.
    if (!areEqual || !hasNoPadding(type, layout_)) type = type->getScalarType();
    return hasNoPadding(type, layout_) ? type : nullptr;
  }

  std::uint64_t bytesOf(Type* type) const { return layout_.getTypeStoreSize(type).getFixedValue(); }

  const llvm::DataLayout& layout_;
  llvm::SmallMapVector<const llvm::AllocaInst*, Type*, 8> types_;
};

const Value* objectOf(const Value* pointer) { return llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0); }

class CopyLowering {
 public:
  CopyLowering(llvm::MemIntrinsic& copy, ElementTypes& types)
      : copy_(copy), transfer_(llvm::dyn_cast<llvm::MemTransferInst>(&copy)), layout_(copy.getDataLayout()) {
    const auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy.getLength());
    if (length == nullptr || length->isZero() || copy.isVolatile()) return;
    const std::uint64_t bytes = length->getZExtValue();
    Type* element = ofArrays(types);
    const bool hasArray = element != nullptr;
    if (!hasArray) element = ofBytes(bytes);
    const std::uint64_t size = layout_.getTypeStoreSize(element).getFixedValue();
    if (bytes % size != 0) return;
    const std::uint64_t count = bytes / size;
    if (count > kMostElements && (!hasArray || mayOverlap())) return;
    if (transfer_ == nullptr && valueOf(element) == nullptr) return;
    element_ = element;
    count_ = count;
  }

  bool isPossible() const { return element_ != nullptr; }
  bool isLoop() const { return count_ > kMostElements; }

  void write() {
    if (isLoop())
      writeLoop();
    else
      writeOut();
    copy_.eraseFromParent();
  }

 private:
  /// Element type of the private array that is written or read, of two the smaller one; null if there is none that is
  /// known.
  Type* ofArrays(ElementTypes& types) const {
    Type* element = nullptr;
    for (const Value* pointer : {copy_.getRawDest(), transfer_ != nullptr ? transfer_->getRawSource() : nullptr}) {
      const auto* variable = pointer != nullptr ? llvm::dyn_cast<llvm::AllocaInst>(objectOf(pointer)) : nullptr;
      Type* type = variable != nullptr ? types.of(*variable) : nullptr;
      if (type == nullptr) continue;
      if (element == nullptr || layout_.getTypeStoreSize(type) < layout_.getTypeStoreSize(element)) element = type;
    }
    return element;
  }

  /// The largest integer type that is aligned at source and destination and divides the size.
  Type* ofBytes(std::uint64_t bytes) const {
    constexpr std::uint64_t kLargest = 8;
    std::uint64_t size = std::min(kLargest, copy_.getDestAlign().valueOrOne().value());
    if (transfer_ != nullptr) size = std::min(size, transfer_->getSourceAlign().valueOrOne().value());
    while (bytes % size != 0)
      size /= 2;
    return Type::getIntNTy(copy_.getContext(), static_cast<unsigned>(8 * size));
  }

  /// Whether an iteration may write what a later one reads. An array whose address does not escape overlaps no other.
  bool mayOverlap() const {
    return llvm::isa<llvm::MemMoveInst>(copy_) && objectOf(copy_.getRawDest()) == objectOf(transfer_->getRawSource());
  }

  /// The value that a fill writes to an element; null if that is not a constant of the type.
  llvm::Constant* valueOf(Type* element) const {
    const auto* byte = llvm::dyn_cast<llvm::ConstantInt>(llvm::cast<llvm::MemSetInst>(copy_).getValue());
    if (byte == nullptr) return nullptr;
    if (byte->isZero()) return llvm::Constant::getNullValue(element);
    if (element->isPtrOrPtrVectorTy()) return nullptr;
    const auto bits = static_cast<unsigned>(layout_.getTypeSizeInBits(element).getFixedValue());
    auto* integer = llvm::ConstantInt::get(copy_.getContext(), llvm::APInt::getSplat(bits, byte->getValue()));
    return llvm::ConstantExpr::getBitCast(integer, element);
  }

  Value* load(llvm::IRBuilder<>& builder, Value* index) {
    if (transfer_ == nullptr) return valueOf(element_);
    Value* address = builder.CreateInBoundsGEP(element_, transfer_->getRawSource(), index);
    auto* made = builder.CreateAlignedLoad(element_, address, alignOf(transfer_->getSourceAlign(), index));
    made->setAAMetadata(scopes());
    return made;
  }

  void store(llvm::IRBuilder<>& builder, Value* value, Value* index) {
    Value* address = builder.CreateInBoundsGEP(element_, copy_.getRawDest(), index);
    builder.CreateAlignedStore(value, address, alignOf(copy_.getDestAlign(), index))->setAAMetadata(scopes());
  }

  /// Keeps the alias scopes; TBAA describes the whole copy.
  llvm::AAMDNodes scopes() const {
    llvm::AAMDNodes nodes = copy_.getAAMetadata();
    nodes.TBAA = nodes.TBAAStruct = nullptr;
    return nodes;
  }

  llvm::Align alignOf(llvm::MaybeAlign whole, const Value* index) const {
    const std::uint64_t size = layout_.getTypeStoreSize(element_).getFixedValue();
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(index);
    return llvm::commonAlignment(whole.valueOrOne(), number != nullptr ? number->getZExtValue() * size : size);
  }

  void writeOut() {
    llvm::IRBuilder<> builder(&copy_);
    llvm::SmallVector<Value*, kMostElements> values;
    for (std::uint64_t i = 0; i < count_; ++i)
      values.push_back(load(builder, builder.getInt64(i)));
    for (std::uint64_t i = 0; i < count_; ++i)
      store(builder, values[i], builder.getInt64(i));
  }

  void writeLoop() {
    llvm::IRBuilder<> builder(&copy_);
    const auto [body, index] = llvm::SplitBlockAndInsertSimpleForLoop(builder.getInt64(count_), copy_.getIterator());
    builder.SetInsertPoint(body);
    store(builder, load(builder, index), index);
  }

  llvm::MemIntrinsic& copy_;
  llvm::MemTransferInst* transfer_;
  const llvm::DataLayout& layout_;
  Type* element_ = nullptr;
  std::uint64_t count_ = 0;
};

} // namespace

llvm::PreservedAnalyses LowerCopiesPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  ElementTypes types(function.getDataLayout());
  llvm::SmallVector<llvm::MemIntrinsic*, 8> copies;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) copies.push_back(copy);
  bool changed = false, madeLoop = false;
  for (llvm::MemIntrinsic* copy : copies) {
    CopyLowering lowering(*copy, types);
    if (!lowering.isPossible()) continue;
    changed = true;
    madeLoop = madeLoop || lowering.isLoop();
    lowering.write();
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  if (!madeLoop) preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace clotho::compiler
