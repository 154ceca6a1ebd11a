// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/lower/inline_work_item_functions.hpp"

#include "compiler/analysis/waiting_loops.hpp"
#include "compiler/builtins/format.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/pipe_functions.hpp"
#include "compiler/ir/sub_group_operations.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

bool isRoot(const llvm::Function& function) {
  return function.isDeclaration() && (isIntrinsicName(function.getName()) ||
                                      isSubGroupOperationName(function.getName()) || function.getName() == "printf");
}

/// Builtins that never wait for another work-item, although they retry an exchange.
bool isOutOfLine(const llvm::Function& function) {
  return isPipeFunction(function) || function.getName().starts_with(builtin_format::kOutOfLinePrefix);
}

void addCallers(llvm::Function& function, llvm::SetVector<llvm::Function*>& reaching) {
  for (llvm::User* user : function.users())
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(user); call != nullptr && call->getCalledOperand() == &function)
      reaching.insert(call->getFunction());
}

/// Visits callers depth first; a function that is still open is recursive.
enum class Visit : unsigned char { None, Open, Done };
llvm::Function* findRecursion(llvm::Function& function, llvm::DenseMap<llvm::Function*, Visit>& visits) {
  Visit& visit = visits[&function];
  if (visit == Visit::Done) return nullptr;
  if (visit == Visit::Open) return &function;
  visit = Visit::Open;
  llvm::SetVector<llvm::Function*> callers;
  addCallers(function, callers);
  for (llvm::Function* caller : callers)
    if (llvm::Function* found = findRecursion(*caller, visits)) return found;
  visits[&function] = Visit::Done;
  return nullptr;
}

} // namespace

llvm::PreservedAnalyses InlineWorkItemFunctionsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  llvm::SetVector<llvm::Function*> reaching;
  for (llvm::Function& function : module)
    if (isRoot(function)) addCallers(function, reaching);
  // A waiting loop, and the reads that it waits on, must be in the kernel itself
  // (transform/lower/yield_in_waiting_loops.hpp). Library functions that stay calls do not wait.
  for (llvm::Function& function : module)
    if (!isOutOfLine(function) && llvm::any_of(llvm::instructions(function), mayReadForOthers))
      reaching.insert(&function);
  for (unsigned i = 0; i < reaching.size(); ++i)
    addCallers(*reaching[i], reaching);

  llvm::DenseMap<llvm::Function*, Visit> visits;
  for (llvm::Function* function : reaching) {
    if (llvm::Function* recursive = findRecursion(*function, visits)) {
      module.getContext().emitError("the function '" + recursive->getName() +
                                    "' calls itself; OpenCL C does not support recursion");
      return llvm::PreservedAnalyses::all();
    }
    if (isKernel(*function)) continue;
    function->removeFnAttr(llvm::Attribute::NoInline);
    function->removeFnAttr(llvm::Attribute::OptimizeNone);
    function->addFnAttr(llvm::Attribute::AlwaysInline);
    for (llvm::User* user : function->users())
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(user)) call->removeFnAttr(llvm::Attribute::NoInline);
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
