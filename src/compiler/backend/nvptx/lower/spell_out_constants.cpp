// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/nvptx/lower/spell_out_constants.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

/// Spells constants of one module.
class Speller {
 public:
  explicit Speller(llvm::Module& module) : layout_(module.getDataLayout()), context_(module.getContext()) {}

  /// A constant of the same bytes, whose type depends on that of `value` alone.
  llvm::Constant* spell(llvm::Constant* value) const {
    llvm::Type* type = value->getType();
    if (const auto* real = llvm::dyn_cast<llvm::ConstantFP>(value);
        real != nullptr && type->getScalarSizeInBits() == 16)
      return llvm::ConstantInt::get(context_, real->getValueAPF().bitcastToAPInt());
    if (!hasTail(type)) return value;
    if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) return spellVector(value, *vector);
    if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) return spellStructure(value, structure);
    llvm::SmallVector<llvm::Constant*, 16> elements;
    for (unsigned i = 0; i < type->getArrayNumElements(); ++i)
      elements.push_back(spell(value->getAggregateElement(i)));
    return llvm::ConstantArray::get(llvm::ArrayType::get(elements.front()->getType(), elements.size()), elements);
  }

 private:
  /// Whether a vector in the type is longer in memory than its elements.
  bool hasTail(llvm::Type* type) const {
    if (type->isVectorTy()) return layout_.getTypeAllocSize(type) != layout_.getTypeStoreSize(type);
    if (type->isArrayTy()) return type->getArrayNumElements() > 0 && hasTail(type->getArrayElementType());
    return type->isStructTy() && llvm::any_of(type->subtypes(), [&](llvm::Type* field) { return hasTail(field); });
  }

  llvm::Constant* spellVector(llvm::Constant* value, const llvm::FixedVectorType& type) const {
    llvm::Type* element = type.getElementType();
    const auto bytes = layout_.getTypeAllocSize(value->getType()).getFixedValue();
    llvm::SmallVector<llvm::Constant*, 16> elements(bytes / layout_.getTypeAllocSize(element).getFixedValue(),
                                                    llvm::Constant::getNullValue(element));
    for (unsigned i = 0; i < type.getNumElements(); ++i)
      elements[i] = value->getAggregateElement(i);
    return llvm::ConstantArray::get(llvm::ArrayType::get(element, elements.size()), elements);
  }

  /// Arrays are aligned less than vectors, so the structure gets its padding as fields.
  llvm::Constant* spellStructure(llvm::Constant* value, llvm::StructType* type) const {
    llvm::SmallVector<llvm::Constant*, 16> fields;
    std::uint64_t end = 0;
    const auto pad = [&](std::uint64_t offset) {
      if (offset == end) return;
      fields.push_back(
          llvm::Constant::getNullValue(llvm::ArrayType::get(llvm::Type::getInt8Ty(context_), offset - end)));
      end = offset;
    };
    const llvm::StructLayout& offsets = *layout_.getStructLayout(type);
    for (unsigned i = 0; i < type->getNumElements(); ++i) {
      pad(offsets.getElementOffset(i));
      fields.push_back(spell(value->getAggregateElement(i)));
      end += layout_.getTypeAllocSize(fields.back()->getType());
    }
    pad(offsets.getSizeInBytes());
    return llvm::ConstantStruct::getAnon(context_, fields, /*Packed=*/true);
  }

  const llvm::DataLayout& layout_;
  llvm::LLVMContext& context_;
};

} // namespace

llvm::PreservedAnalyses SpellOutConstantsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  const Speller speller(module);
  bool changes = false;
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module.globals())) {
    if (!variable.hasInitializer()) continue;
    llvm::Constant* value = speller.spell(variable.getInitializer());
    if (value->getType() == variable.getValueType()) continue;
    auto* spelled =
        new llvm::GlobalVariable(module, value->getType(), variable.isConstant(), variable.getLinkage(), value, "",
                                 &variable, variable.getThreadLocalMode(), variable.getAddressSpace());
    spelled->copyAttributesFrom(&variable);
    spelled->setAlignment(module.getDataLayout().getPreferredAlign(&variable));
    spelled->takeName(&variable);
    variable.replaceAllUsesWith(spelled);
    variable.eraseFromParent();
    changes = true;
  }
  return changes ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
