// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/lower/lower_objects.hpp"

#include "abi/image.h"
#include "abi/pipe.h"
#include "compiler/builtins/properties.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/marks.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace clotho::compiler {
namespace {

/// The run-time representation of an OpenCL C object type, for which clang has a SPIR-V target type.
struct ObjectType {
  llvm::StringLiteral name; ///< Name of the target type, such as "spirv.Image"
  llvm::Type* (*replacement)(llvm::LLVMContext&);
  /// Adds attributes to an argument that had the object type; null: there are none to add. It runs after the argument
  /// has got the replacement's type and its function the body. Launches pass such arguments to kernels, and these pass
  /// them to other functions.
  void (*describe)(llvm::Argument&);
};

llvm::Type* constantPointer(llvm::LLVMContext& context) { return llvm::PointerType::get(context, 2); }
llvm::Type* globalPointer(llvm::LLVMContext& context) { return llvm::PointerType::get(context, 1); }
llvm::Type* number(llvm::LLVMContext& context) { return llvm::Type::getInt64Ty(context); }

/// Adds attributes to a pointer that is never null. `mark`: the name of the attribute in kernels.
void describe(llvm::Argument& argument, std::uint64_t align, std::uint64_t bytes, const char* mark) {
  llvm::AttrBuilder known(argument.getContext());
  known.addAttribute(llvm::Attribute::NonNull);
  known.addAttribute(llvm::Attribute::NoUndef);
  known.addAlignmentAttr(llvm::Align(align));
  known.addDereferenceableAttr(bytes);
  if (isKernel(*argument.getParent())) known.addAttribute(mark);
  argument.addAttrs(known);
}

/// Adds attributes to an image's argument: its descriptor is never null, and no launch changes it.
void describeImage(llvm::Argument& argument) {
  describe(argument, alignof(ImageDescriptor), sizeof(ImageDescriptor), kImageArgument);
  argument.addAttr(llvm::Attribute::ReadOnly);
}

/// Adds attributes to a pipe's argument: it is never null.
void describePipe(llvm::Argument& argument) { describe(argument, kPipeAlignment, sizeof(PipeHeader), kPipeArgument); }

constexpr ObjectType kObjectTypes[] = {
    {"spirv.Image", constantPointer, describeImage},
    {"spirv.Sampler", number, nullptr},
    {"spirv.Pipe", globalPointer, describePipe},
    {"spirv.ReserveId", number, nullptr},
    {"spirv.Queue", number, nullptr},
    {"spirv.DeviceEvent", number, nullptr},
};

void inlineEverywhere(llvm::Function& function) {
  function.removeFnAttr(llvm::Attribute::NoInline);
  function.removeFnAttr(llvm::Attribute::OptimizeNone);
  function.addFnAttr(llvm::Attribute::AlwaysInline);
  for (llvm::User* user : function.users())
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(user)) call->removeFnAttr(llvm::Attribute::NoInline);
}

/// Maps object types, also inside function types, arrays and structures.
class ObjectTypes final : public llvm::ValueMapTypeRemapper {
 public:
  /// Null if the type is not an object type.
  const ObjectType* find(const llvm::Type* type) const {
    const auto* object = llvm::dyn_cast<llvm::TargetExtType>(type);
    if (object == nullptr) return nullptr;
    const auto* row =
        llvm::find_if(kObjectTypes, [&](const ObjectType& each) { return each.name == object->getName(); });
    return row == std::end(kObjectTypes) ? nullptr : row;
  }

  llvm::Type* remapType(llvm::Type* type) override {
    if (!llvm::isa<llvm::TargetExtType, llvm::FunctionType, llvm::ArrayType, llvm::StructType>(type)) return type;
    if (llvm::Type* known = known_.lookup(type)) return known;
    llvm::Type* made = replacement(type);
    known_[type] = made;
    return made;
  }

 private:
  llvm::Type* replacement(llvm::Type* type) {
    if (const ObjectType* row = find(type)) return row->replacement(type->getContext());
    if (auto* function = llvm::dyn_cast<llvm::FunctionType>(type)) return ofFunction(function);
    if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) return ofStructure(structure);
    if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type))
      return llvm::ArrayType::get(remapType(array->getElementType()), array->getNumElements());
    return type;
  }

  llvm::Type* ofFunction(llvm::FunctionType* type) {
    llvm::SmallVector<llvm::Type*, 8> parameters;
    for (llvm::Type* parameter : type->params())
      parameters.push_back(remapType(parameter));
    return llvm::FunctionType::get(remapType(type->getReturnType()), parameters, type->isVarArg());
  }

  /// Structures cannot contain themselves, since pointers are opaque.
  llvm::Type* ofStructure(llvm::StructType* type) {
    if (type->isOpaque()) return type;
    llvm::SmallVector<llvm::Type*, 8> elements;
    for (llvm::Type* element : type->elements())
      elements.push_back(remapType(element));
    if (llvm::ArrayRef<llvm::Type*>(elements) == type->elements()) return type;
    if (type->isLiteral()) return llvm::StructType::get(type->getContext(), elements, type->isPacked());
    return llvm::StructType::create(type->getContext(), elements, type->getName(), type->isPacked());
  }

  llvm::DenseMap<llvm::Type*, llvm::Type*> known_;
};

/// Replaces the types everywhere in the module: in functions' types and bodies, and in variables.
class Replacer {
 public:
  explicit Replacer(llvm::Module& module) : module_(module) {}

  /// Returns whether there was any.
  bool run() {
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
      if (!made->isDeclaration() && !isKernel(*made)) inlineEverywhere(*made);
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

/// Removes calls that only return their argument with another type.
void foldConversions(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
    if (callee == nullptr || !callee->isDeclaration()) continue;
    const llvm::StringRef name = builtinBaseName(callee->getName());
    llvm::Value* replacement = nullptr;
    if (llvm::is_contained({"__clotho_image", "__clotho_sampler", "__clotho_handle", "__clotho_queue", "__clotho_event",
                            "__clotho_pipe_ro", "__clotho_pipe_wo"},
                           name))
      replacement = call->getArgOperand(0);
    else if (name == "__translate_sampler_initializer")
      replacement = llvm::IRBuilder<>(call).CreateZExt(call->getArgOperand(0), call->getType());
    if (replacement == nullptr || replacement->getType() != call->getType()) continue;
    call->replaceAllUsesWith(replacement);
    call->eraseFromParent();
  }
}

} // namespace

bool lowerObjects(llvm::Module& module) {
  if (!Replacer(module).run()) return false;
  for (llvm::Function& function : module)
    foldConversions(function);
  for (llvm::Function& function : llvm::make_early_inc_range(module))
    if (function.isDeclaration() && function.use_empty()) function.eraseFromParent();
  return true;
}

llvm::PreservedAnalyses LowerObjectsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  return lowerObjects(module) ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
