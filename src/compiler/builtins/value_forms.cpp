// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/builtins/value_forms.hpp"

#include "compiler/builtins/format.hpp"
#include "compiler/builtins/variant_names.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {

llvm::CallInst& ValueForms::replace(llvm::CallInst& call) {
  llvm::Function& function = *call.getCalledFunction();
  llvm::Function*& form = forms_[&function];
  if (form == nullptr) form = &make(function, *secondResult(function), function.getName() + ".values");
  llvm::IRBuilder<> builder(&call);
  llvm::SmallVector<llvm::Value*, 3> arguments(call.args());
  llvm::Value* pointer = arguments.pop_back_val();
  llvm::CallInst* both = builder.CreateCall(form, arguments);
  llvm::Value* first = builder.CreateExtractValue(both, 0);
  builder.CreateStore(builder.CreateExtractValue(both, 1), pointer);
  first->takeName(&call);
  call.replaceAllUsesWith(first);
  call.eraseFromParent();
  return *both;
}

llvm::Function& ValueForms::make(llvm::Function& function, llvm::Type& second, const llvm::Twine& name) {
  auto* results = llvm::StructType::get(function.getReturnType(), &second);
  const llvm::ArrayRef<llvm::Type*> parameters = function.getFunctionType()->params();
  auto* form = llvm::Function::Create(llvm::FunctionType::get(results, parameters.drop_back(), /*isVarArg=*/false),
                                      llvm::GlobalValue::InternalLinkage, name, function.getParent());
  form->addFnAttr(builtin_format::kBuiltinAttribute);
  for (const auto attribute : {llvm::Attribute::NoUnwind, llvm::Attribute::WillReturn, llvm::Attribute::NoSync})
    form->addFnAttr(attribute);
  form->setDoesNotAccessMemory();
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(form->getContext(), "", form));
  llvm::AllocaInst* memory = builder.CreateAlloca(&second);
  llvm::SmallVector<llvm::Value*, 3> arguments(llvm::make_pointer_range(form->args()));
  arguments.push_back(builder.CreateAddrSpaceCast(memory, parameters.back()));
  llvm::CallInst* first = builder.CreateCall(&function, arguments);
  first->setCallingConv(function.getCallingConv());
  llvm::Value* both = builder.CreateInsertValue(llvm::PoisonValue::get(results), first, 0);
  builder.CreateRet(builder.CreateInsertValue(both, builder.CreateLoad(&second, memory), 1));
  return *form;
}

} // namespace clotho::compiler
