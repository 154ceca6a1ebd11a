// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/lower/program_scope_kernels.hpp"

#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/marks.hpp"
#include "compiler/ir/replace_calls.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

struct Entry {
  std::uint64_t priority;
  llvm::Function* function;
};

/// The functions of an array such as llvm.global_ctors, in order.
llvm::Expected<std::vector<Entry>> entriesOf(const llvm::GlobalVariable& list) {
  std::vector<Entry> entries;
  const auto* array = list.hasInitializer() ? llvm::dyn_cast<llvm::ConstantArray>(list.getInitializer()) : nullptr;
  if (array == nullptr) return entries; // An empty list is a null constant.
  for (const llvm::Value* element : array->operand_values()) {
    const auto* fields = llvm::dyn_cast<llvm::ConstantStruct>(element);
    if (fields == nullptr || fields->getOperand(1)->isNullValue()) continue;
    const auto* priority = llvm::dyn_cast<llvm::ConstantInt>(fields->getOperand(0));
    auto* function = llvm::dyn_cast<llvm::Function>(fields->getOperand(1)->stripPointerCasts());
    if (priority == nullptr || function == nullptr || function->isDeclaration() || !function->arg_empty() ||
        !function->getReturnType()->isVoidTy())
      return llvm::createStringError("a program module is damaged: what it initialises is no function");
    entries.push_back({priority->getZExtValue(), function});
  }
  return entries;
}

/// Turns a kernel into an internal function, which is called instead of launched.
void makeCallable(llvm::Function& function) {
  if (function.getCallingConv() == llvm::CallingConv::SPIR_FUNC) return;
  function.setCallingConv(llvm::CallingConv::SPIR_FUNC);
  function.setLinkage(llvm::GlobalValue::InternalLinkage);
  for (llvm::User* user : function.users())
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(user); call != nullptr && call->getCalledOperand() == &function)
      call->setCallingConv(llvm::CallingConv::SPIR_FUNC);
}

void makeKernel(llvm::Module& module, llvm::ArrayRef<Entry> entries, llvm::StringRef role) {
  llvm::LLVMContext& context = module.getContext();
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  llvm::Function* kernel =
      llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "clotho." + role.str(), module);
  kernel->setCallingConv(llvm::CallingConv::SPIR_KERNEL);
  kernel->addFnAttr(kRoleAttribute, role);
  kernel->setDoesNotThrow();
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", kernel));
  setRequiredSizes(*kernel, {1, 1, 1});
  KernelFacts facts;
  for (const Entry& entry : entries) {
    // The new kernel gets the facts that build options set.
    const KernelFacts own = factsOf(*entry.function);
    facts.flushesDenormals = facts.flushesDenormals || own.flushesDenormals;
    facts.needsNoProgress = facts.needsNoProgress || own.needsNoProgress;
    makeCallable(*entry.function);
    llvm::CallInst* call = builder.CreateCall(entry.function);
    call->setCallingConv(entry.function->getCallingConv());
  }
  setFacts(*kernel, facts);
  builder.CreateRetVoid();
}

/// Creates a kernel that calls the functions of a list, and removes the list.
llvm::Error replaceList(llvm::Module& module, llvm::StringRef name, llvm::StringRef role, bool isAscending) {
  llvm::GlobalVariable* list = module.getNamedGlobal(name);
  if (list == nullptr) return llvm::Error::success();
  auto entries = entriesOf(*list);
  if (!entries) return entries.takeError();
  list->eraseFromParent();
  if (entries->empty()) return llvm::Error::success();
  llvm::stable_sort(*entries, [=](const Entry& a, const Entry& b) {
    return isAscending ? a.priority < b.priority : a.priority > b.priority;
  });
  makeKernel(module, *entries, role);
  return llvm::Error::success();
}

void leaveOutDestructors(llvm::Module& module) {
  llvm::Function* registers = module.getFunction("__cxa_atexit");
  if (registers == nullptr || !registers->isDeclaration()) return;
  replaceCalls(*registers, [](llvm::CallInst& call) {
    if (!call.getType()->isVoidTy()) call.replaceAllUsesWith(llvm::Constant::getNullValue(call.getType()));
    return true;
  });
  llvm::GlobalVariable* object = module.getNamedGlobal("__dso_handle");
  if (object != nullptr && object->isDeclaration() && object->use_empty()) object->eraseFromParent();
}

/// Fails if a list has entries other than functions without arguments.
llvm::Error makeKernels(llvm::Module& module) {
  // The attribute in a foreign module is not trusted: only kernels created here are sure to have no arguments.
  for (llvm::Function& function : module)
    function.removeFnAttr(kRoleAttribute);
  leaveOutDestructors(module);
  if (llvm::Error error = replaceList(module, "llvm.global_ctors", kInitialiserRole, /*isAscending=*/true))
    return error;
  return replaceList(module, "llvm.global_dtors", kCleanUpRole, /*isAscending=*/false);
}

} // namespace

llvm::PreservedAnalyses ProgramScopeKernelsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  if (llvm::Error error = makeKernels(module)) module.getContext().emitError(llvm::toString(std::move(error)));
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
