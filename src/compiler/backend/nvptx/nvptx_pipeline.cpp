// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/nvptx/nvptx_pipeline.hpp"

#include "compiler/backend/nvptx/lower/adapt_builtins.hpp"
#include "compiler/backend/nvptx/lower/align_arrays.hpp"
#include "compiler/backend/nvptx/lower/exact_sums.hpp"
#include "compiler/backend/nvptx/lower/fast_division.hpp"
#include "compiler/backend/nvptx/lower/map_spaces.hpp"
#include "compiler/backend/nvptx/lower/order_atomics.hpp"
#include "compiler/backend/nvptx/lower/spell_out_constants.hpp"
#include "compiler/backend/nvptx/lower/unroll_loops.hpp"
#include "compiler/backend/nvptx/lower/warp_operations.hpp"
#include "compiler/backend/nvptx/lower/widen_saturation.hpp"
#include "compiler/backend/nvptx/nvptx_machine.hpp"
#include "compiler/backend/nvptx/ptxas_mistakes.hpp"
#include "compiler/backend/pass_managers.hpp"
#include "compiler/ir/reducible_flow.hpp"
#include "compiler/transform/lower/forget_blocks.hpp"
#include "compiler/transform/lower/hold_apart.hpp"
#include "compiler/transform/lower/inline_work_item_functions.hpp"
#include "compiler/transform/lower/keep_in_loops.hpp"
#include "compiler/transform/lower/lower_division.hpp"
#include "compiler/transform/lower/lower_printf.hpp"
#include "compiler/transform/lower/lower_sub_groups.hpp"
#include "compiler/transform/lower/lower_work_group_functions.hpp"
#include "compiler/transform/lower/lower_work_item.hpp"
#include "compiler/transform/lower/prepare_kernels.hpp"
#include "compiler/transform/simplify/fold_image_formats.hpp"
#include "compiler/transform/simplify/store_elements.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopStrengthReduce.h>
#include <llvm/Transforms/Scalar/LowerExpectIntrinsic.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

namespace clotho::compiler {
namespace {

/// Builds SSA form, so that format strings and arguments are where they are used. All else is for the pipeline of LLVM.
llvm::FunctionPassManager simplification() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::LowerExpectIntrinsicPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  // Arguments are in registers now; branches on image formats are folded by the passes below.
  passes.addPass(FoldImageFormatsPass());
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  return passes;
}

/// Skips passes of LLVM 22 that are wrong (docs/llvm.md) or do what is not wanted.
void skipPasses(llvm::PassInstrumentationCallbacks& callbacks) {
  callbacks.registerShouldRunOptionalPassCallback([](llvm::StringRef pass, const llvm::Any&) {
    // The second warns where a loop could not be unrolled, which the program has not always asked for.
    return !pass.contains("VectorCombinePass") && !pass.contains("WarnMissedTransformationsPass");
  });
}

/// Keeps of debug information what tells lines of the source. It becomes directives in the code, for profilers, and
/// does not make the assembler of NVIDIA leave out optimisations, as full information would.
void keepLines(llvm::Module& module) {
  llvm::NamedMDNode* units = module.getNamedMetadata("llvm.dbg.cu");
  if (units == nullptr) return;
  llvm::stripNonLineTableDebugInfo(module);
  llvm::DebugInfoFinder finder;
  finder.processModule(module);
  units->clearOperands();
  for (llvm::DICompileUnit* unit : finder.compile_units()) {
    auto* lines = llvm::DICompileUnit::getDistinct(
        module.getContext(), unit->getSourceLanguage(), unit->getFile(), unit->getProducer(), unit->isOptimized(),
        unit->getFlags(), unit->getRuntimeVersion(), unit->getSplitDebugFilename(),
        llvm::DICompileUnit::DebugDirectivesOnly, {}, {}, {}, {}, {}, unit->getDWOId(), unit->getSplitDebugInlining(),
        unit->getDebugInfoForProfiling(), unit->getNameTableKind(), unit->getRangesBaseAddress(), unit->getSysRoot(),
        unit->getSDK());
    for (llvm::DISubprogram* function : finder.subprograms())
      if (function->getUnit() == unit) function->replaceUnit(lines);
    units->addOperand(lines);
  }
}

constexpr int kTestedTogether = 6; ///< instructions of a condition that is evaluated though one before it decides

} // namespace

void lowerForNvptx(llvm::Module& module, llvm::TargetMachine& machine, bool optimise, EntryFacts& entries,
                   FindingsOfKernels& findings, bool makesParts, const PassObserver& observer) {
  using llvm::createModuleToFunctionPassAdaptor;
  keepLines(module);
  PassManagers passes(module, nullptr, observer);
  llvm::ModulePassManager manager;
  // Must run while the program's stores are visible, before variables are in registers.
  manager.addPass(createModuleToFunctionPassAdaptor(StoreElementsPass()));
  // Needs calls of builtins, with their arguments.
  manager.addPass(AdaptBuiltinsPass());
  // Must run first: all other passes know only the intrinsics.
  manager.addPass(LowerWorkItemPass());
  manager.addPass(LowerSubGroupsPass());
  manager.addPass(LowerWorkGroupFunctionsPass(SubGroupOrder::AtOnce));
  // Needs blocks in source order.
  manager.addPass(KeepInLoopsPass());
  // Must run before inlining: only internal functions disappear when they are inlined.
  manager.addPass(PrepareKernelsPass());
  // Must run before any optimisation: for LLVM a division by zero is undefined.
  manager.addPass(createModuleToFunctionPassAdaptor(LowerDivisionPass()));
  // Finds functions to inline by the intrinsics in them.
  manager.addPass(InlineWorkItemFunctionsPass());
  manager.addPass(llvm::AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/true));
  // Needs barriers inlined.
  manager.addPass(createModuleToFunctionPassAdaptor(HoldApartPass()));
  if (optimise)
    manager.addPass(createModuleToFunctionPassAdaptor(simplification()));
  else
    manager.addPass(createModuleToFunctionPassAdaptor(llvm::SROAPass(llvm::SROAOptions::PreserveCFG)));
  // Needs the calls of blocks inlined; GlobalDCE removes what it releases.
  manager.addPass(ForgetBlocksPass());
  manager.addPass(llvm::GlobalDCEPass());
  // Needs format strings propagated, and must run before entries are made, since it reads a fact of the launch.
  manager.addPass(LowerPrintfPass());
  manager.addPass(createModuleToFunctionPassAdaptor(CollectFindings(findings)));
  // Must run after that, which is about the program's ids.
  if (makesParts) manager.addPass(addPartArguments(findings));
  manager.addPass(MarkSubGroupsPass());
  // Loops of several entries have no one place where lanes meet.
  manager.addPass(createModuleToFunctionPassAdaptor(ReducibleFlowPass()));
  manager.addPass(WarpOperationsPass(/*hasRedux=*/architectureOf(machine) >= 80));
  manager.addPass(MakeEntriesPass(&entries));
  // Must run last of those that know OpenCL's address spaces.
  manager.addPass(NvptxAddressSpacesPass());
  passes.run(manager, module);
}

void optimiseForNvptx(llvm::Module& module, llvm::TargetMachine& machine, bool optimise, const PassObserver& observer) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  llvm::PipelineTuningOptions tuning;
  tuning.SLPVectorization = true;
  tuning.LoopVectorization = false;
  PassManagers passes(
      module, &machine,
      [&](llvm::PassInstrumentationCallbacks& callbacks) {
        if (observer) observer(callbacks);
        skipPasses(callbacks);
      },
      tuning);
  llvm::PassBuilder& builder = passes.builder();
  // Accesses by generic pointers, of kernels and of what is inlined into them.
  builder.registerPipelineEarlySimplificationEPCallback(
      [](llvm::ModulePassManager& manager, llvm::OptimizationLevel, llvm::ThinOrFullLTOPhase) {
        llvm::FunctionPassManager functions;
        functions.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
        functions.addPass(llvm::InferAddressSpacesPass());
        manager.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(functions)));
      });
  builder.registerScalarOptimizerLateEPCallback([](llvm::FunctionPassManager& functions, llvm::OptimizationLevel) {
    functions.addPass(llvm::InferAddressSpacesPass());
    // A branch costs more than a few instructions before it.
    functions.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions().bonusInstThreshold(kTestedTogether)));
    functions.addPass(llvm::LoopSimplifyPass());
    functions.addPass(llvm::LCSSAPass());
    functions.addPass(UnrollLoopsPass());
    functions.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    functions.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  });
  // Addresses of the iterations that are merged follow from each other then.
  builder.registerVectorizerStartEPCallback([](llvm::FunctionPassManager& functions, llvm::OptimizationLevel) {
    functions.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopStrengthReducePass()));
  });
  llvm::ModulePassManager manager = optimise ? builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
                                             : builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0);
  // LLVM knows no more of the instructions, so this runs when all else is done.
  manager.addPass(llvm::createModuleToFunctionPassAdaptor(WidenSaturationPass()));
  // Needs the arrays that are left in memory.
  manager.addPass(llvm::createModuleToFunctionPassAdaptor(AlignArraysPass()));
  manager.addPass(llvm::createModuleToFunctionPassAdaptor(FastDivisionPass()));
  // Must run before the pass that knows order and scope of atomics.
  manager.addPass(llvm::createModuleToFunctionPassAdaptor(ExactSumsPass()));
  // Runs late: the address spaces of atomics are known, and LLVM has seen their order.
  manager.addPass(llvm::createModuleToFunctionPassAdaptor(OrderAtomicsPass()));
  // Must run when no pass is left that jumps into loops.
  manager.addPass(llvm::createModuleToFunctionPassAdaptor(ReducibleFlowPass()));
  // Runs last, since LLVM has evaluated what loads from constants.
  manager.addPass(SpellOutConstantsPass());
  passes.run(manager, module);
}

llvm::Expected<std::string> emitPtx(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  // Functions of the program may share names with C library functions and are no such functions.
  llvm::TargetLibraryInfoImpl library(module.getTargetTriple());
  library.disableAllFunctions();
  passes.add(new llvm::TargetLibraryInfoWrapperPass(library));
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile, /*DisableVerify=*/true))
    return llvm::createStringError("LLVM's code generator for this GPU writes no PTX");
  passes.run(module);
  return withoutWhatPtxasMistakes(text);
}

} // namespace clotho::compiler
