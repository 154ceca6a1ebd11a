// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/lower/prepare_kernels.hpp"

#include "compiler/ir/kernels.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

/// Copies the argument, since work-items may write their parameters; optimisation removes copies that are never
/// written.
void copyByValue(llvm::Argument& parameter) {
  llvm::Function& kernel = *parameter.getParent();
  llvm::Type* type = parameter.getParamByValType();
  const llvm::Align align = parameter.getParamAlign().value_or(kernel.getDataLayout().getABITypeAlign(type));
  llvm::IRBuilder<> builder(&*kernel.getEntryBlock().getFirstInsertionPt());
  llvm::AllocaInst* copy = builder.CreateAlloca(type, nullptr, parameter.getName());
  copy->setAlignment(align);
  parameter.replaceAllUsesWith(copy);
  builder.CreateMemCpy(copy, align, &parameter, align, kernel.getDataLayout().getTypeAllocSize(type));
  parameter.addAttr(llvm::Attribute::NoAlias);
  parameter.addAttr(llvm::Attribute::ReadOnly);
}

/// Marks loads of constant memory as invariant, since nothing writes it while a kernel runs. LLVM's passes, and those
/// after address spaces have been flattened, know only the mark.
void markConstantLoads(llvm::Function& function) {
  constexpr unsigned kConstantSpace = 2;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        load != nullptr && load->getPointerAddressSpace() == kConstantSpace && load->isSimple())
      load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(function.getContext(), {}));
}

bool internalise(llvm::GlobalValue& value) {
  if (value.isDeclaration() || value.hasLocalLinkage() || value.getName().starts_with("llvm.")) return false;
  // C99's `inline` without `extern` yields available_externally; there is no other definition, so this one is used.
  value.setVisibility(llvm::GlobalValue::DefaultVisibility);
  value.setLinkage(llvm::GlobalValue::InternalLinkage);
  if (auto* object = llvm::dyn_cast<llvm::GlobalObject>(&value)) object->setComdat(nullptr);
  return true;
}

} // namespace

llvm::PreservedAnalyses PrepareKernelsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  for (llvm::GlobalVariable& variable : module.globals())
    internalise(variable);
  for (llvm::Function& function : module) {
    markConstantLoads(function);
    if (!isKernel(function)) {
      internalise(function);
      continue;
    }
    // Internal functions that are made from kernels inherit the other attributes.
    function.setLinkage(llvm::GlobalValue::ExternalLinkage);
    function.setVisibility(llvm::GlobalValue::DefaultVisibility);
    function.setDSOLocal(true);
    for (llvm::Argument& parameter : function.args())
      if (parameter.hasByValAttr()) copyByValue(parameter);
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
