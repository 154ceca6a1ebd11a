// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/lower/lower_objects.hpp"

#include "abi/image.h"
#include "abi/pipe.h"
#include "compiler/builtins/properties.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/marks.hpp"
#include "compiler/transform/lower/object_types.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

llvm::Type* constantPointer(llvm::LLVMContext& context) { return llvm::PointerType::get(context, 2); }
llvm::Type* globalPointer(llvm::LLVMContext& context) { return llvm::PointerType::get(context, 1); }
llvm::Type* number(llvm::LLVMContext& context) { return llvm::Type::getInt64Ty(context); }

void mark(llvm::Argument& argument, const char* name) {
  if (isKernel(*argument.getParent())) argument.addAttr(llvm::Attribute::get(argument.getContext(), name));
}

/// Adds attributes to an image's argument: its descriptor is never null, and no launch changes it.
void describeImage(llvm::Argument& argument) {
  llvm::AttrBuilder known(argument.getContext());
  known.addAttribute(llvm::Attribute::NonNull);
  known.addAttribute(llvm::Attribute::ReadOnly);
  known.addAttribute(llvm::Attribute::NoUndef);
  known.addAlignmentAttr(llvm::Align(alignof(ImageDescriptor)));
  known.addDereferenceableAttr(sizeof(ImageDescriptor));
  argument.addAttrs(known);
  mark(argument, kImageArgument);
}

/// Adds attributes to a pipe's argument: it is never null.
void describePipe(llvm::Argument& argument) {
  llvm::AttrBuilder known(argument.getContext());
  known.addAttribute(llvm::Attribute::NonNull);
  known.addAttribute(llvm::Attribute::NoUndef);
  known.addAlignmentAttr(llvm::Align(kPipeAlignment));
  known.addDereferenceableAttr(sizeof(PipeHeader));
  argument.addAttrs(known);
  mark(argument, kPipeArgument);
}

constexpr ObjectType kObjectTypes[] = {
    {"spirv.Image", constantPointer, describeImage},
    {"spirv.Sampler", number, nullptr},
    {"spirv.Pipe", globalPointer, describePipe},
    {"spirv.ReserveId", number, nullptr},
    {"spirv.Queue", number, nullptr},
    {"spirv.DeviceEvent", number, nullptr},
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

void inlineEverywhere(llvm::Function& function) {
  function.removeFnAttr(llvm::Attribute::NoInline);
  function.removeFnAttr(llvm::Attribute::OptimizeNone);
  function.addFnAttr(llvm::Attribute::AlwaysInline);
  for (llvm::User* user : function.users())
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(user)) call->removeFnAttr(llvm::Attribute::NoInline);
}

} // namespace

bool lowerObjects(llvm::Module& module) {
  const bool changed = replaceObjectTypes(module, kObjectTypes, [](llvm::Function& function) {
    if (!function.isDeclaration() && !isKernel(function)) inlineEverywhere(function);
  });
  if (!changed) return false;
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
