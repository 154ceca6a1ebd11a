// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/lower/object_types.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {

const ObjectType* ObjectTypes::find(const llvm::Type* type) const {
  const auto* object = llvm::dyn_cast<llvm::TargetExtType>(type);
  if (object == nullptr) return nullptr;
  const auto* row = llvm::find_if(rows_, [&](const ObjectType& each) { return each.name == object->getName(); });
  return row == rows_.end() ? nullptr : row;
}

llvm::Type* ObjectTypes::remapType(llvm::Type* type) {
  if (!llvm::isa<llvm::TargetExtType, llvm::FunctionType, llvm::ArrayType, llvm::StructType>(type)) return type;
  if (llvm::Type* known = known_.lookup(type)) return known;
  llvm::Type* made = replacement(type);
  known_[type] = made;
  return made;
}

llvm::Type* ObjectTypes::replacement(llvm::Type* type) {
  if (const ObjectType* row = find(type)) return row->replacement(type->getContext());
  if (auto* function = llvm::dyn_cast<llvm::FunctionType>(type)) return ofFunction(function);
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) return ofStructure(structure);
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type))
    return llvm::ArrayType::get(remapType(array->getElementType()), array->getNumElements());
  return type;
}

llvm::Type* ObjectTypes::ofFunction(llvm::FunctionType* type) {
  llvm::SmallVector<llvm::Type*, 8> parameters;
  for (llvm::Type* parameter : type->params())
    parameters.push_back(remapType(parameter));
  return llvm::FunctionType::get(remapType(type->getReturnType()), parameters, type->isVarArg());
}

/// Structures cannot contain themselves, since pointers are opaque.
llvm::Type* ObjectTypes::ofStructure(llvm::StructType* type) {
  if (type->isOpaque()) return type;
  llvm::SmallVector<llvm::Type*, 8> elements;
  for (llvm::Type* element : type->elements())
    elements.push_back(remapType(element));
  if (llvm::ArrayRef<llvm::Type*>(elements) == type->elements()) return type;
  if (type->isLiteral()) return llvm::StructType::get(type->getContext(), elements, type->isPacked());
  return llvm::StructType::create(type->getContext(), elements, type->getName(), type->isPacked());
}

namespace {

class Replacer {
 public:
  Replacer(llvm::Module& module, llvm::ArrayRef<ObjectType> rows) : module_(module), types_(rows) {}

  bool run(llvm::function_ref<void(llvm::Function&)> rewritten) {
    for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module_.globals()))
      replace(variable);
    for (llvm::Function& function : llvm::make_early_inc_range(module_))
      replace(function);
    // A program with such objects has functions with these types: its kernels, the builtins that it calls, or the one
    // that stands for a sampler in the source. Without such functions, at most unused local variables have the types.
    if (functions_.empty() && variables_.empty()) return false;
    for (auto [old, made] : functions_) {
      made->splice(made->begin(), old);
      describeArguments(*old, *made);
    }
    for (llvm::Function& function : module_)
      if (!function.isDeclaration())
        llvm::RemapFunction(function, values_, llvm::RF_IgnoreMissingLocals | llvm::RF_ReuseAndMutateDistinctMDs,
                            &types_);
    for (auto [old, made] : variables_)
      erase(*old, *made);
    for (auto [old, made] : functions_) {
      old->dropAllReferences();
      erase(*old, *made);
      rewritten(*made);
    }
    return true;
  }

 private:
  /// The remaining users are outside of functions, such as llvm.used.
  template <class Global> static void erase(Global& old, Global& made) {
    old.replaceAllUsesWith(llvm::ConstantExpr::getBitCast(&made, old.getType()));
    old.eraseFromParent();
  }

  /// Creates the function with replaced parameter and result types, still without a body.
  void replace(llvm::Function& old) {
    auto* type = llvm::cast<llvm::FunctionType>(types_.remapType(old.getFunctionType()));
    if (type == old.getFunctionType()) return;
    llvm::Function* made = llvm::Function::Create(type, old.getLinkage(), old.getAddressSpace(), "", &module_);
    made->copyAttributesFrom(&old);
    made->copyMetadata(&old, 0);
    made->takeName(&old);
    for (auto [before, now] : llvm::zip_equal(old.args(), made->args())) {
      now.setName(before.getName());
      values_[&before] = &now;
    }
    values_[&old] = made;
    functions_.emplace_back(&old, made);
  }

  void describeArguments(const llvm::Function& old, llvm::Function& made) {
    for (auto [before, now] : llvm::zip_equal(old.args(), made.args()))
      if (const ObjectType* row = types_.find(before.getType()); row != nullptr && row->describe != nullptr)
        row->describe(now);
  }

  /// Such objects have no initial value, so variables of these types are local.
  void replace(llvm::GlobalVariable& old) {
    llvm::Type* type = types_.remapType(old.getValueType());
    if (type == old.getValueType()) return;
    llvm::Constant* initial = nullptr;
    if (old.hasInitializer())
      initial = llvm::isa<llvm::UndefValue>(old.getInitializer()) ? llvm::UndefValue::get(type)
                                                                  : llvm::Constant::getNullValue(type);
    auto* made = new llvm::GlobalVariable(module_, type, old.isConstant(), old.getLinkage(), initial, "", &old,
                                          old.getThreadLocalMode(), old.getAddressSpace());
    made->copyAttributesFrom(&old);
    made->copyMetadata(&old, 0);
    made->takeName(&old);
    values_[&old] = made;
    variables_.emplace_back(&old, made);
  }

  llvm::Module& module_;
  ObjectTypes types_;
  llvm::ValueToValueMapTy values_;
  llvm::SmallVector<std::pair<llvm::Function*, llvm::Function*>, 16> functions_; // old and made
  llvm::SmallVector<std::pair<llvm::GlobalVariable*, llvm::GlobalVariable*>, 4> variables_;
};

} // namespace

bool replaceObjectTypes(llvm::Module& module, llvm::ArrayRef<ObjectType> rows,
                        llvm::function_ref<void(llvm::Function&)> rewritten) {
  return Replacer(module, rows).run(rewritten);
}

} // namespace clotho::compiler
