// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/lower/lower_images.hpp"

#include "abi/image.h"
#include "compiler/builtins/properties.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/marks.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace clotho::compiler {
namespace {

constexpr unsigned kConstantSpace = 2;

bool isImage(const llvm::Type* type) {
  const auto* object = llvm::dyn_cast<llvm::TargetExtType>(type);
  return object != nullptr && object->getName() == "spirv.Image";
}

/// Objects of OpenCL C as what kernels get of them. Kernels may keep events of the device in arrays and structs.
class ObjectTypes final : public llvm::ValueMapTypeRemapper {
 public:
  explicit ObjectTypes(llvm::LLVMContext& context)
      : image_(llvm::PointerType::get(context, kConstantSpace)), number_(llvm::Type::getInt64Ty(context)) {}

  llvm::Type* remapType(llvm::Type* type) override {
    if (isImage(type)) return image_;
    if (isNumber(type)) return number_;
    if (auto* function = llvm::dyn_cast<llvm::FunctionType>(type)) return remapFunction(function);
    if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type))
      return llvm::ArrayType::get(remapType(array->getElementType()), array->getNumElements());
    if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) return remapStructure(structure);
    return type;
  }

 private:
  /// Samplers, queues and events of the device are numbers of 64 bits.
  static bool isNumber(const llvm::Type* type) {
    const auto* object = llvm::dyn_cast<llvm::TargetExtType>(type);
    return object != nullptr &&
           llvm::is_contained({"spirv.Sampler", "spirv.Queue", "spirv.DeviceEvent"}, object->getName());
  }

  llvm::Type* remapFunction(llvm::FunctionType* type) {
    llvm::SmallVector<llvm::Type*, 8> parameters;
    for (llvm::Type* parameter : type->params())
      parameters.push_back(remapType(parameter));
    return llvm::FunctionType::get(remapType(type->getReturnType()), parameters, type->isVarArg());
  }

  llvm::Type* remapStructure(llvm::StructType* type) {
    if (type->isOpaque()) return type;
    if (const auto known = structures_.find(type); known != structures_.end()) return known->second;
    llvm::SmallVector<llvm::Type*, 8> elements;
    for (llvm::Type* element : type->elements())
      elements.push_back(remapType(element));
    llvm::StructType* made = type;
    if (!llvm::equal(elements, type->elements()))
      made = type->isLiteral() ? llvm::StructType::get(type->getContext(), elements, type->isPacked())
                               : llvm::StructType::create(type->getContext(), elements, "", type->isPacked());
    structures_[type] = made;
    return made;
  }

  llvm::Type* const image_;
  llvm::Type* const number_;
  llvm::DenseMap<llvm::StructType*, llvm::StructType*> structures_;
};

/// What is known of the argument behind an image: nobody passes null, and no launch changes a descriptor.
void describeImage(llvm::Argument& argument) {
  llvm::LLVMContext& context = argument.getContext();
  llvm::AttrBuilder known(context);
  known.addAttribute(llvm::Attribute::NonNull);
  known.addAttribute(llvm::Attribute::ReadOnly);
  known.addAttribute(llvm::Attribute::NoUndef);
  known.addAlignmentAttr(llvm::Align(alignof(ImageDescriptor)));
  known.addDereferenceableAttr(sizeof(ImageDescriptor));
  argument.addAttrs(known);
}

/// The function with the types of its parameters and its result changed; without a body as yet.
llvm::Function* withOtherTypes(llvm::Function& old, llvm::FunctionType* type) {
  llvm::Function* made = llvm::Function::Create(type, old.getLinkage(), old.getAddressSpace(), "", old.getParent());
  made->copyAttributesFrom(&old);
  made->copyMetadata(&old, 0);
  made->takeName(&old);
  for (auto [before, now] : llvm::zip_equal(old.args(), made->args())) {
    now.setName(before.getName());
    if (!isImage(before.getType())) continue;
    describeImage(now);
    if (isKernel(old)) made->addParamAttr(now.getArgNo(), llvm::Attribute::get(made->getContext(), kImageArgument));
  }
  return made;
}

/// Calls that only stand for what they are given.
void foldConversions(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
    if (callee == nullptr || !callee->isDeclaration()) continue;
    const llvm::StringRef name = builtinBaseName(callee->getName());
    llvm::Value* replacement = nullptr;
    if (llvm::is_contained({"__clotho_image", "__clotho_sampler", "__clotho_handle", "__clotho_queue", "__clotho_event"},
                           name))
      replacement = call->getArgOperand(0);
    else if (name == "__translate_sampler_initializer")
      replacement = llvm::IRBuilder<>(call).CreateZExt(call->getArgOperand(0), call->getType());
    if (replacement == nullptr || replacement->getType() != call->getType()) continue;
    call->replaceAllUsesWith(replacement);
    call->eraseFromParent();
  }
}

void inlineEverywhere(llvm::Function& function) {
  function.removeFnAttr(llvm::Attribute::NoInline);
  function.removeFnAttr(llvm::Attribute::OptimizeNone);
  function.addFnAttr(llvm::Attribute::AlwaysInline);
  for (llvm::User* user : function.users())
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(user)) call->removeFnAttr(llvm::Attribute::NoInline);
}

} // namespace

bool lowerImages(llvm::Module& module) {
  ObjectTypes types(module.getContext());
  llvm::ValueToValueMapTy values;
  llvm::SmallVector<std::pair<llvm::Function*, llvm::Function*>, 16> changed;
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    auto* type = llvm::cast<llvm::FunctionType>(types.remapType(function.getFunctionType()));
    if (type == function.getFunctionType()) continue;
    llvm::Function* made = withOtherTypes(function, type);
    for (auto [before, now] : llvm::zip_equal(function.args(), made->args()))
      values[&before] = &now;
    values[&function] = made;
    changed.emplace_back(&function, made);
  }
  // A program with such objects has functions of their types: the kernel's own, the builtins that it calls, or the one
  // that stands for a sampler in the source.
  if (changed.empty()) return false;

  for (auto [old, made] : changed)
    made->splice(made->begin(), old);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    llvm::RemapFunction(function, values, llvm::RF_IgnoreMissingLocals | llvm::RF_ReuseAndMutateDistinctMDs, &types);
    foldConversions(function);
  }
  for (auto [old, made] : changed) {
    old->dropAllReferences();
    // What is left are users outside of functions, such as the list of what must be kept.
    old->replaceAllUsesWith(llvm::ConstantExpr::getBitCast(made, old->getType()));
    old->eraseFromParent();
    if (!made->isDeclaration() && !isKernel(*made)) inlineEverywhere(*made);
  }
  for (llvm::Function& function : llvm::make_early_inc_range(module))
    if (function.isDeclaration() && function.use_empty()) function.eraseFromParent();
  return true;
}

llvm::PreservedAnalyses LowerImagesPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  return lowerImages(module) ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
