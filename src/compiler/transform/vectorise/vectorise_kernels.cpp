// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/vectorise/vectorise_kernels.hpp"

#include "compiler/analysis/kernel_arguments.hpp"
#include "compiler/analysis/waiting_loops.hpp"
#include "compiler/transform/primitives.hpp"
#include "compiler/transform/vectorise/choose_width.hpp"
#include "compiler/transform/vectorise/merge_accesses.hpp"
#include "compiler/transform/vectorise/restore_extensions.hpp"
#include "compiler/transform/vectorise/widener.hpp"
#include "compiler/transform/work_group_function.hpp"

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Transforms/Utils/BreakCriticalEdges.h>
#include <llvm/Transforms/Utils/FixIrreducible.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>
#include <llvm/Transforms/Utils/UnifyFunctionExitNodes.h>

namespace clotho::compiler {
namespace {

/// For each work-item; the stack of a worker holds them for all lanes.
constexpr std::uint64_t kPrivateLimit = 64 << 10;

/// What keeps a kernel from being vectorised; empty when nothing does.
std::string obstacle(const llvm::Function& kernel) {
  std::uint64_t privateBytes = 0;
  for (const llvm::BasicBlock& block : kernel) {
    if (!llvm::isa<llvm::BranchInst, llvm::SwitchInst, llvm::ReturnInst, llvm::UnreachableInst>(block.getTerminator()))
      return "it jumps to computed places";
    for (const llvm::Instruction& instruction : block)
      if (const auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
        if (!memory->isStaticAlloca()) return "it has private variables of unknown size";
        privateBytes += memory->getAllocationSize(kernel.getDataLayout())->getFixedValue();
      }
  }
  if (privateBytes > kPrivateLimit) return "its private variables take " + std::to_string(privateBytes) + " bytes";
  return {};
}

/// Into the form that SubGroupFlow needs.
void prepare(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  restoreExtensions(kernel);
  llvm::removeUnreachableBlocks(kernel);
  analyses.invalidate(kernel, llvm::PreservedAnalyses::none());
  llvm::LowerSwitchPass().run(kernel, analyses);
  // What cannot be reached ends the work-item, like everything else.
  for (llvm::BasicBlock& block : kernel)
    if (auto* end = llvm::dyn_cast<llvm::UnreachableInst>(block.getTerminator())) {
      llvm::ReturnInst::Create(kernel.getContext(), nullptr, end->getIterator());
      end->eraseFromParent();
    }
  analyses.invalidate(kernel, llvm::PreservedAnalyses::none());
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::UnifyFunctionExitNodesPass());
  passes.addPass(llvm::FixIrreduciblePass());
  passes.addPass(llvm::LoopSimplifyPass());
  passes.addPass(llvm::BreakCriticalEdgesPass());
  passes.addPass(llvm::LoopSimplifyPass());
  passes.addPass(llvm::LCSSAPass());
  passes.run(kernel, analyses);
}

bool hasEndlessLoop(const llvm::Function& kernel, const llvm::LoopInfo& loops) {
  for (const llvm::Loop* loop : loops.getLoopsInPreorder())
    if (!loop->isLoopSimplifyForm() || loop->hasNoExitBlocks()) return true;
  return llvm::none_of(
      kernel, [](const llvm::BasicBlock& block) { return llvm::isa<llvm::ReturnInst>(block.getTerminator()); });
}

llvm::Function* declareLike(llvm::Function& kernel) {
  auto* function = llvm::Function::Create(kernel.getFunctionType(), kernel.getLinkage(), kernel.getAddressSpace(), "",
                                          kernel.getParent());
  function->copyAttributesFrom(&kernel);
  function->copyMetadata(&kernel, 0);
  return function;
}

class KernelVectoriser {
 public:
  KernelVectoriser(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses, const VectoriseOptions& options,
                   VectorisationReport& report)
      : kernel_(kernel), analyses_(analyses), options_(options), report_(report) {}

  void run() {
    report_.kernel = kernel_.getName().str();
    report_.scalarBecause = obstacle(kernel_);
    if (!report_.scalarBecause.empty()) return;
    const WidthChoice choice = chooseWidth(kernel_, options_);
    report_.scalarBecause = choice.scalarBecause;
    if (choice.width == 1) return;
    if (waitsForOthers(kernel_, analyses_.getResult<llvm::LoopAnalysis>(kernel_))) {
      report_.scalarBecause = "it has a loop that may wait for another work-item";
      return;
    }
    prepare(kernel_, analyses_);
    if (hasEndlessLoop(kernel_, loops())) {
      report_.scalarBecause = "it has a loop without an end";
      return;
    }
    auto facts = std::make_unique<Facts>(kernel_, loops());
    // What brings accesses together changes the kernel, so it is looked at again.
    if (unrollWalks(kernel_, facts->shapes, facts->flow, analyses_)) {
      prepare(kernel_, analyses_);
      facts = std::make_unique<Facts>(kernel_, loops());
    }
    if (mergeAccesses(kernel_, facts->shapes)) {
      prepare(kernel_, analyses_);
      facts = std::make_unique<Facts>(kernel_, loops());
    }
    const auto& [uniformity, flow, shapes] = *facts;
    if (!shapes.areConsistent(kernel_, uniformity)) {
      report_.scalarBecause = "its control flow is beyond the analysis";
      return;
    }
    const PrivateArrays arrays(kernel_);
    const PackedVectors packed(kernel_, shapes, arrays, loops(), choice.width);
    report_.width = choice.width;

    llvm::Function* full = declareLike(kernel_);
    widen({kernel_, flow, shapes, arrays, packed, choice.width, /*masked=*/false}, *full,
          options_.mayReport ? &report_ : nullptr);
    if (!choice.fitsRequiredSize) {
      llvm::Function* twin = declareLike(kernel_);
      twin->setName(kernel_.getName() + kTwinSuffix);
      twin->setLinkage(llvm::GlobalValue::InternalLinkage);
      twin->setCallingConv(llvm::CallingConv::SPIR_FUNC);
      widen({kernel_, flow, shapes, arrays, packed, choice.width, /*masked=*/true}, *twin, nullptr);
      twin->setSubprogram(nullptr); // which only one function may be
      llvm::stripDebugInfo(*twin);
    }
    full->takeName(&kernel_);
    kernel_.replaceAllUsesWith(full);
  }

 private:
  /// What the analyses say of the kernel as it is.
  struct Facts {
    Facts(llvm::Function& kernel, const llvm::LoopInfo& loops)
        : uniformity(kernel, UniformityScope::SubGroup), flow(kernel, loops, uniformity),
          shapes(kernel, uniformity, flow) {}
    WorkItemUniformity uniformity;
    SubGroupFlow flow;
    LaneShapes shapes;
  };
  const llvm::LoopInfo& loops() { return analyses_.getResult<llvm::LoopAnalysis>(kernel_); }

  static void widen(const Widener::Plan& plan, llvm::Function& target, VectorisationReport* report) {
    target.addFnAttr(kWidthAttribute, std::to_string(plan.width));
    Widener(plan, target, report).run();
#ifndef NDEBUG
    if (llvm::verifyFunction(target, &llvm::errs())) {
      target.print(llvm::errs());
      llvm::report_fatal_error("the vectoriser made a wrong function");
    }
#endif
  }

  llvm::Function& kernel_;
  llvm::FunctionAnalysisManager& analyses_;
  const VectoriseOptions& options_;
  VectorisationReport& report_;
};

} // namespace

llvm::PreservedAnalyses VectoriseKernelsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager& moduleAnalyses) {
  auto& analyses = moduleAnalyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  llvm::SmallVector<llvm::Function*, 8> kernels;
  for (llvm::Function& function : module)
    if (isKernel(function) && !function.isDeclaration()) kernels.push_back(&function);
  for (llvm::Function* kernel : kernels) {
    VectorisationReport report;
    KernelVectoriser(*kernel, analyses, options_, report).run();
    if (report.width > 1) {
      analyses.clear(*kernel, kernel->getName());
      kernel->eraseFromParent();
    }
    if (reports_ != nullptr) reports_->push_back(std::move(report));
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
