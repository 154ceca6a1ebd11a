// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/check/check_kernels.hpp"

#include "compiler/ir/checks.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/run_pass.hpp"
#include "compiler/ir/sub_group_operations.hpp"
#include "compiler/transform/check/check_accesses.hpp"
#include "compiler/transform/check/check_barriers.hpp"
#include "compiler/transform/check/check_blocks.hpp"
#include "compiler/transform/check/check_images.hpp"
#include "compiler/transform/check/check_loops.hpp"
#include "compiler/transform/check/check_values.hpp"
#include "compiler/transform/check/check_variables.hpp"
#include "compiler/transform/check/kept_functions.hpp"
#include "compiler/transform/check/known_pointers.hpp"

#include <llvm/ADT/SCCIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallBitVector.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/Analysis/InlineCost.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace clotho::compiler {
namespace {

/// Has all functions of the program inlined that are called by name.
void markInlined(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr(kKeptInLoops); // inlining merges blocks
    if (isKernel(function)) continue;
    function.removeFnAttr(llvm::Attribute::NoInline);
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    function.addFnAttr(llvm::Attribute::AlwaysInline);
    if (function.hasExternalLinkage()) function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
}

/// Removes functions that no kernel reaches.
void removeUnused(llvm::Module& module, llvm::FunctionAnalysisManager& analyses) {
  for (bool hasChanged = true; hasChanged;) {
    hasChanged = false;
    // Functions mostly come behind those that they call.
    for (llvm::Function& function : llvm::make_early_inc_range(llvm::reverse(module)))
      if (function.hasLocalLinkage() && function.use_empty()) {
        analyses.clear(function, function.getName());
        function.eraseFromParent();
        hasChanged = true;
      }
  }
}

/// The functions of a module, each behind those that it calls, as far as none calls itself.
llvm::SmallVector<llvm::Function*, 8> calleesFirst(llvm::Module& module) {
  llvm::SmallVector<llvm::Function*, 8> functions;
  llvm::CallGraph calls(module);
  for (auto group = llvm::scc_begin(&calls); !group.isAtEnd(); ++group)
    for (const llvm::CallGraphNode* node : *group)
      if (llvm::Function* function = node->getFunction(); function != nullptr && !function->isDeclaration())
        functions.push_back(function);
  return functions;
}

/// Inlines the calls of a function, in which those of its callees are inlined already; false if there is none.
bool inlineCalls(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  llvm::SmallVector<llvm::CallInst*, 16> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction))
      if (llvm::Function* callee = call->getCalledFunction();
          callee != nullptr && callee != &function && callee->hasFnAttribute(llvm::Attribute::AlwaysInline) &&
          !callee->isDeclaration() && llvm::isInlineViable(*callee).isSuccess())
        calls.push_back(call);
  const auto assumptions = [&](llvm::Function& of) -> llvm::AssumptionCache& {
    return analyses.getResult<llvm::AssumptionAnalysis>(of);
  };
  for (llvm::CallInst* call : calls) {
    llvm::InlineFunctionInfo info(assumptions);
    llvm::InlineFunction(*call, info, /*MergeAttributes=*/true);
  }
  return !calls.empty();
}

/// The elements of a loaded vector that are used.
llvm::SmallBitVector usedElements(const llvm::LoadInst& load, unsigned count) {
  llvm::SmallBitVector used(count);
  for (const llvm::User* user : load.users()) {
    const auto* extract = llvm::dyn_cast<llvm::ExtractElementInst>(user);
    const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(user);
    if (extract != nullptr && llvm::isa<llvm::ConstantInt>(extract->getIndexOperand())) {
      const std::uint64_t index = llvm::cast<llvm::ConstantInt>(extract->getIndexOperand())->getLimitedValue(count);
      if (index < count) used.set(static_cast<unsigned>(index));
    } else if (shuffle != nullptr) {
      for (const int from : shuffle->getShuffleMask())
        for (unsigned operand = 0; operand < 2; ++operand)
          if (const int first = static_cast<int>(operand * count);
              shuffle->getOperand(operand) == &load && from >= first && from < first + static_cast<int>(count))
            used.set(static_cast<unsigned>(from - first));
    } else {
      return used.set();
    }
  }
  return used;
}

/// Loads of single elements instead of a vector of which no others are used: other work-items may write these, or none.
/// Variables that may be in registers are looked at element by element elsewhere.
void loadElements(llvm::Function& function) {
  llvm::SmallVector<llvm::LoadInst*, 16> loads;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) loads.push_back(load);
  for (llvm::LoadInst* load : loads) {
    auto* type = llvm::dyn_cast<llvm::FixedVectorType>(load->getType());
    if (type == nullptr || !load->isSimple() || load->use_empty() || type->getScalarSizeInBits() % 8 != 0) continue;
    if (const auto* memory = llvm::dyn_cast<llvm::AllocaInst>(load->getPointerOperand());
        memory != nullptr && llvm::isAllocaPromotable(memory))
      continue;
    const llvm::SmallBitVector used = usedElements(*load, type->getNumElements());
    if (used.all()) continue;
    const std::uint64_t bytes = type->getScalarSizeInBits() / 8;
    llvm::IRBuilder<> builder(load);
    llvm::Value* all = llvm::PoisonValue::get(type);
    for (const unsigned index : used.set_bits()) {
      llvm::Value* address =
          builder.CreateConstInBoundsGEP1_64(type->getElementType(), load->getPointerOperand(), index);
      llvm::Value* element = builder.CreateAlignedLoad(type->getElementType(), address,
                                                       llvm::commonAlignment(load->getAlign(), index * bytes));
      all = builder.CreateInsertElement(all, element, index);
    }
    load->replaceAllUsesWith(all);
    load->eraseFromParent();
  }
}

bool usesLocal(const llvm::Function& kernel) {
  constexpr unsigned kLocalSpace = 3;
  return llvm::any_of(llvm::instructions(kernel), [](const llvm::Instruction& instruction) {
    return llvm::any_of(instruction.operands(), [](const llvm::Use& operand) {
      return operand->getType()->isPointerTy() && operand->getType()->getPointerAddressSpace() == kLocalSpace;
    });
  });
}

/// Moves variables to registers that may be there, with checks of reads before they are written.
void moveToRegisters(llvm::Function& function, Checker& checker, unsigned checks,
                     llvm::FunctionAnalysisManager& analyses) {
  if (checks & kCheckMemory) markReadsOfVariables(function);
  runRequired(llvm::SROAPass(llvm::SROAOptions::ModifyCFG), function, analyses);
  if (checks & kCheckMemory) reportUnwritten(function, checker);
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
}

/// Adds all checks to a function. Only kernels know their work-group.
void check(llvm::Function& function, Checker& checker, unsigned checks) {
  std::optional<GroupPhases> phases;
  checkBlocks(function, checker, checks);
  const std::vector<CheckedAccess> accesses = checkedAccesses(function);
  const std::vector<llvm::CallInst*> calls =
      isKernel(function) ? groupCallsOf(function) : std::vector<llvm::CallInst*>();
  const bool checksBarriers = (checks & kCheckBarrier) && !calls.empty();
  if (isKernel(function) &&
      (checksBarriers || (checks & kCheckRace) || ((checks & kCheckMemory) && usesLocal(function))))
    phases.emplace(function, calls);
  if (checks & kCheckValue) checkValues(function, checker);
  if (checks & kCheckMemory) checkImages(function, checker);
  CheckFacts facts = checkAccesses(function, checker, checks, phases ? &*phases : nullptr, accesses);
  if (checksBarriers) checkBarriers(function, checker, *phases, calls);
  if (!phases) return;
  phases->promote();
  facts.phases = phases->count();
  changeFacts(function, [&](KernelFacts& its) { its.checks = facts; });
}

} // namespace

llvm::PreservedAnalyses CheckKernelsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
  auto& functionAnalyses = analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  markInlined(module);
  removeUnused(module, functionAnalyses);
  Checker checker(module);
  // Variables in registers make functions much smaller, before they are copied to where they are called.
  const llvm::SmallVector<llvm::Function*, 8> functions = calleesFirst(module);
  for (llvm::Function* function : functions)
    moveToRegisters(*function, checker, checks_, functionAnalyses);
  for (llvm::Function* function : functions) {
    if (inlineCalls(*function, functionAnalyses)) moveToRegisters(*function, checker, checks_, functionAnalyses);
    leaveIfPure(*function, checks_, functionAnalyses);
    keepIfLarge(*function);
  }
  removeUnused(module, functionAnalyses);
  extendKeptFunctions(module);
  const llvm::SmallVector<llvm::Function*, 8> left = calleesFirst(module);
  for (llvm::Function* function : llvm::reverse(left))
    if (isKept(*function)) noteWhatCallsPass(*function);
  for (llvm::Function* function : left) {
    if (function->getName().starts_with(kFailedCheckPrefix)) continue; // those of the first loop
    loadElements(*function);
    moveToRegisters(*function, checker, checks_, functionAnalyses);
    runRequired(llvm::EarlyCSEPass(), *function, functionAnalyses);
    if (checks_ & kCheckLoop) checkLoops(*function, checker, functionAnalyses);
    check(*function, checker, checks_);
    functionAnalyses.invalidate(*function, llvm::PreservedAnalyses::none());
  }
  if (checker.sites() != 0) module.addModuleFlag(llvm::Module::Max, kCheckSitesFlag, checker.sites());
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
