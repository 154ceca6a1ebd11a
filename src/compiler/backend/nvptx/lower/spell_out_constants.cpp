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
    if (isNull(*value)) return llvm::Constant::getNullValue(type);
    const bool changesType = hasTail(type);
    if (!changesType && !llvm::isa<llvm::ConstantAggregate>(value)) return value;
    if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
      return changesType ? spellVector(value, *vector) : value;
    auto* structure = llvm::dyn_cast<llvm::StructType>(type);
    if (structure != nullptr && changesType) return spellStructure(value, structure);
    llvm::SmallVector<llvm::Constant*, 16> elements;
    const unsigned count = structure != nullptr ? structure->getNumElements() : type->getArrayNumElements();
    for (unsigned i = 0; i < count; ++i)
      elements.push_back(spell(value->getAggregateElement(i)));
    if (structure != nullptr) return llvm::ConstantStruct::get(structure, elements);
    return llvm::ConstantArray::get(llvm::ArrayType::get(elements.front()->getType(), elements.size()), elements);
  }

 private:
  /// Whether the value is a null pointer of another space, which has the same bytes in all of them.
  static bool isNull(const llvm::Constant& value) {
    const auto* cast = llvm::dyn_cast<llvm::ConstantExpr>(&value);
    return cast != nullptr && cast->getOpcode() == llvm::Instruction::AddrSpaceCast &&
           cast->getOperand(0)->isNullValue();
  }

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
    llvm::Constant* value = variable.getInitializer();
    if (const auto* real = llvm::dyn_cast<llvm::ConstantFP>(value);
        real != nullptr && real->getType()->getScalarSizeInBits() == 16)
      value = llvm::ConstantInt::get(module.getContext(), real->getValueAPF().bitcastToAPInt());
    else
      value = speller.spell(value);
    if (value->getType() == variable.getValueType()) {
      variable.setInitializer(value);
      continue;
    }
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
