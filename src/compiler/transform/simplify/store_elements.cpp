// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/simplify/store_elements.hpp"

#include "compiler/ir/run_pass.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Support/Alignment.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>

namespace clotho::compiler {
namespace {

using llvm::Value;

/// Whether the value is the vector loaded from the same address, with no write in between.
bool isAsItWas(const Value* value, const llvm::StoreInst& store) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
  if (load == nullptr || load->getPointerOperand() != store.getPointerOperand() ||
      load->getParent() != store.getParent() || load->isAtomic())
    return false;
  for (const llvm::Instruction* between = load->getNextNode(); between != &store; between = between->getNextNode())
    if (between == nullptr || between->mayWriteToMemory()) return false;
  return true;
}

/// Whether an element of the stored vector is the one that was in memory. An undefined element need not be stored
/// either.
bool isUnchanged(unsigned element, const llvm::StoreInst& store) {
  const Value* value = store.getValueOperand();
  unsigned from = element;
  while (true) {
    if (llvm::isa<llvm::UndefValue>(value)) return true;
    if (const auto* insertion = llvm::dyn_cast<llvm::InsertElementInst>(value)) {
      const auto* index = llvm::dyn_cast<llvm::ConstantInt>(insertion->getOperand(2));
      if (index == nullptr || index->equalsInt(from)) return false;
      value = insertion->getOperand(0);
    } else if (const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(value)) {
      const int source = shuffle->getMaskValue(from);
      if (source == llvm::PoisonMaskElem) return true;
      const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(shuffle->getOperand(0)->getType());
      if (type == nullptr) return false;
      const unsigned count = type->getNumElements();
      from = static_cast<unsigned>(source);
      value = shuffle->getOperand(from < count ? 0 : 1);
      from %= count;
    } else {
      return from == element && isAsItWas(value, store);
    }
  }
}

/// An element of a vector that consists of others, without a use of what else is in it.
Value* elementOf(llvm::IRBuilder<>& builder, Value* vector, unsigned element) {
  while (true) {
    if (const auto* insertion = llvm::dyn_cast<llvm::InsertElementInst>(vector)) {
      const auto* index = llvm::dyn_cast<llvm::ConstantInt>(insertion->getOperand(2));
      if (index == nullptr) break;
      if (index->equalsInt(element)) return insertion->getOperand(1);
      vector = insertion->getOperand(0);
    } else if (const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(vector)) {
      const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(shuffle->getOperand(0)->getType());
      if (type == nullptr || shuffle->getMaskValue(element) == llvm::PoisonMaskElem) break;
      element = static_cast<unsigned>(shuffle->getMaskValue(element));
      vector = shuffle->getOperand(element < type->getNumElements() ? 0 : 1);
      element %= type->getNumElements();
    } else {
      break;
    }
  }
  return builder.CreateExtractElement(vector, element);
}

class ElementStores {
 public:
  explicit ElementStores(llvm::StoreInst& store)
      : store_(store), type_(*llvm::cast<llvm::FixedVectorType>(store.getValueOperand()->getType())), builder_(&store),
        bytes_(store.getDataLayout().getTypeStoreSize(type_.getElementType()).getFixedValue()) {}

  /// Replaces the store if it writes elements that the program does not. Returns whether it did.
  bool write() {
    if (const auto* insertion = llvm::dyn_cast<llvm::InsertElementInst>(store_.getValueOperand());
        insertion != nullptr && !llvm::isa<llvm::Constant>(insertion->getOperand(2)) &&
        isAsItWas(insertion->getOperand(0), store_)) {
      Value* index = builder_.CreateZExtOrTrunc(insertion->getOperand(2), builder_.getInt64Ty());
      writeOne(insertion->getOperand(1), index, llvm::Align(bytes_));
    } else {
      llvm::SmallVector<unsigned, 16> changed;
      for (unsigned element = 0; element < type_.getNumElements(); ++element)
        if (!isUnchanged(element, store_)) changed.push_back(element);
      // Replacing gains nothing if the value is entirely poison, or if all elements change.
      if (changed.empty() || changed.size() == type_.getNumElements()) return false;
      if (!hasLoad()) return false;
      for (unsigned element : changed)
        writeOne(elementOf(builder_, store_.getValueOperand(), element), builder_.getInt64(element),
                 llvm::commonAlignment(store_.getAlign(), element * bytes_));
    }
    // The load of the whole vector would read elements that others may write.
    Value* whole = store_.getValueOperand();
    store_.eraseFromParent();
    llvm::RecursivelyDeleteTriviallyDeadInstructions(whole);
    return true;
  }

 private:
  /// Whether an element of the store comes from the load. A vector of three elements has an undefined fourth in the
  /// program itself.
  bool hasLoad() const {
    for (unsigned element = 0; element < type_.getNumElements(); ++element)
      if (isUnchanged(element, store_) && !isUndefined(element)) return true;
    return false;
  }

  bool isUndefined(unsigned element) const {
    const Value* value = store_.getValueOperand();
    while (const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(value)) {
      const int source = shuffle->getMaskValue(element);
      if (source == llvm::PoisonMaskElem) return true;
      const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(shuffle->getOperand(0)->getType());
      if (type == nullptr) return false;
      const unsigned count = type->getNumElements();
      value = shuffle->getOperand(static_cast<unsigned>(source) < count ? 0 : 1);
      element = static_cast<unsigned>(source) % count;
    }
    return llvm::isa<llvm::UndefValue>(value);
  }

  void writeOne(Value* element, Value* index, llvm::Align align) {
    Value* address = builder_.CreateInBoundsGEP(type_.getElementType(), store_.getPointerOperand(), index);
    auto* made = builder_.CreateAlignedStore(element, address, std::min(align, store_.getAlign()), store_.isVolatile());
    made->copyMetadata(store_, {llvm::LLVMContext::MD_tbaa, llvm::LLVMContext::MD_nontemporal});
  }

  llvm::StoreInst& store_;
  llvm::FixedVectorType& type_;
  llvm::IRBuilder<> builder_;
  const std::uint64_t bytes_;
};

/// Whether other work-items, or checks (`inArrays`), may see which elements of a vector are stored.
bool isSeen(const llvm::StoreInst& store, bool inArrays) {
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(store.getValueOperand()->getType());
  if (type == nullptr || store.isAtomic() || type->getScalarSizeInBits() % 8 != 0) return false;
  const auto* memory = llvm::dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(store.getPointerOperand()));
  return memory == nullptr || (inArrays && !llvm::isAllocaPromotable(memory));
}

} // namespace

llvm::PreservedAnalyses StoreElementsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction); store != nullptr && isSeen(*store, inArrays_))
      changed |= ElementStores(*store).write();
  return preservedWithEdges(changed);
}

} // namespace clotho::compiler
