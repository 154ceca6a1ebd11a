// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/pass_pipeline.hpp"

#include "compiler/backend/cpu/lower/access_all_lanes.hpp"
#include "compiler/backend/cpu/lower/blend_stores.hpp"
#include "compiler/backend/cpu/lower/constant_offsets.hpp"
#include "compiler/backend/cpu/lower/count_by_select.hpp"
#include "compiler/backend/cpu/lower/estimate_reciprocals.hpp"
#include "compiler/backend/cpu/lower/flatten_address_spaces.hpp"
#include "compiler/backend/cpu/lower/hold_masked_loads.hpp"
#include "compiler/backend/cpu/lower/lower_half_arithmetic.hpp"
#include "compiler/backend/cpu/lower/lower_half_atomics.hpp"
#include "compiler/backend/cpu/lower/non_temporal_stores.hpp"
#include "compiler/backend/cpu/lower/part_bit_selects.hpp"
#include "compiler/backend/cpu/lower/skip_far_accesses.hpp"
#include "compiler/backend/cpu/lower/store_single_lanes.hpp"
#include "compiler/backend/cpu/lower/whole_loads.hpp"
#include "compiler/backend/cpu/lower/whole_stores.hpp"
#include "compiler/backend/cpu/lower/wide_masks.hpp"
#include "compiler/backend/cpu/pipeline_passes.hpp"
#include "compiler/backend/pass_managers.hpp"
#include "compiler/ir/checks.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/sub_group_operations.hpp"
#include "compiler/transform/check/check_races.hpp"
#include "compiler/transform/groups/align_strided_loops.hpp"
#include "compiler/transform/groups/interchange_columns.hpp"
#include "compiler/transform/groups/interchange_streaming_loops.hpp"
#include "compiler/transform/groups/promote_local_arrays.hpp"
#include "compiler/transform/groups/split_sub_group_loops.hpp"
#include "compiler/transform/groups/work_group_function.hpp"
#include "compiler/transform/layout/delinearise.hpp"
#include "compiler/transform/layout/exchange_dimensions.hpp"
#include "compiler/transform/layout/expand_global_ids.hpp"
#include "compiler/transform/layout/required_sizes.hpp"
#include "compiler/transform/layout/reshape_groups.hpp"
#include "compiler/transform/lower/element_alignment.hpp"
#include "compiler/transform/lower/forget_blocks.hpp"
#include "compiler/transform/lower/hold_apart.hpp"
#include "compiler/transform/lower/inline_work_item_functions.hpp"
#include "compiler/transform/lower/isolate_barriers.hpp"
#include "compiler/transform/lower/keep_in_loops.hpp"
#include "compiler/transform/lower/lower_division.hpp"
#include "compiler/transform/lower/lower_printf.hpp"
#include "compiler/transform/lower/lower_sub_groups.hpp"
#include "compiler/transform/lower/lower_work_group_functions.hpp"
#include "compiler/transform/lower/lower_work_item.hpp"
#include "compiler/transform/lower/prepare_kernels.hpp"
#include "compiler/transform/lower/remainder_kernels.hpp"
#include "compiler/transform/lower/yield_in_waiting_loops.hpp"
#include "compiler/transform/memory/assume_apart.hpp"
#include "compiler/transform/memory/direct_kernels.hpp"
#include "compiler/transform/memory/named_atomics.hpp"
#include "compiler/transform/memory/privatise_counters.hpp"
#include "compiler/transform/simplify/extend_indices.hpp"
#include "compiler/transform/simplify/fold_image_formats.hpp"
#include "compiler/transform/simplify/head_tests.hpp"
#include "compiler/transform/simplify/index_addresses.hpp"
#include "compiler/transform/simplify/integer_coordinates.hpp"
#include "compiler/transform/simplify/lower_copies.hpp"
#include "compiler/transform/simplify/narrow_arithmetic.hpp"
#include "compiler/transform/simplify/narrow_counters.hpp"
#include "compiler/transform/simplify/scalarise_elements.hpp"
#include "compiler/transform/simplify/store_elements.hpp"
#include "compiler/transform/simplify/uniform_bounds.hpp"
#include "compiler/transform/simplify/wanted_values.hpp"
#include "compiler/transform/widen/vectorise_kernels.hpp"
#include "compiler/transform/widen/vote_on_bounds.hpp"
#include "compiler/transform/widen/vote_on_checks.hpp"

#include <llvm/Analysis/InlineCost.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/FunctionAttrs.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/IPO/GlobalOpt.h>
#include <llvm/Transforms/IPO/Inliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/BDCE.h>
#include <llvm/Transforms/Scalar/CorrelatedValuePropagation.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/DivRemPairs.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/JumpThreading.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopDeletion.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/LowerExpectIntrinsic.h>
#include <llvm/Transforms/Scalar/MemCpyOptimizer.h>
#include <llvm/Transforms/Scalar/MergedLoadStoreMotion.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>

namespace clotho::compiler {
namespace {

/// Runs InstCombine, which would move masked loads that are not held.
void combineInstructions(llvm::FunctionPassManager& passes) {
  passes.addPass(HoldMaskedLoadsPass());
  passes.addPass(llvm::InstCombinePass());
}

/// Builds SSA form and simplifies with few passes: the full set runs later, on the inlined kernel.
llvm::FunctionPassManager simplification() {
  llvm::FunctionPassManager passes;
  // Lowers llvm.expect while its operand is still a branch condition.
  passes.addPass(llvm::LowerExpectIntrinsicPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  // Arguments are in registers now; branches on image formats are folded by the passes below.
  passes.addPass(FoldImageFormatsPass());
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  // Must run before InstCombine, which forgets that (i + 1) * 64 does not wrap around.
  passes.addPass(UniformBoundsPass(/*isLast=*/false));
  combineInstructions(passes);
  passes.addPass(llvm::SimplifyCFGPass());
  return passes;
}

/// Undoes optimisations of compilers that write SPIR-V: they hide loops and arrays from later passes, which expect code
/// as programmers write it.
void undoOptimisations(llvm::FunctionPassManager& passes) {
  // Must run before counters are turned into addresses.
  passes.addPass(NarrowCountersPass());
  passes.addPass(IndexAddressesPass());
  // Must run once array accesses are known and read-only arrays are constants.
  passes.addPass(LowerCopiesPass());
  // Needs narrow counters, by which a guard is recognised.
  passes.addPass(HeadTestsPass());
}

/// Simplifies the work-item before it is widened, since that simplifies all lanes. Short inner loops are unrolled, so
/// that private arrays that they index become registers.
void simplifyWorkItem(llvm::FunctionPassManager& passes) {
  using llvm::createFunctionToLoopPassAdaptor;
  passes.addPass(ExtendIndicesPass());
  llvm::LoopPassManager invariants;
  invariants.addPass(llvm::LoopRotatePass(/*EnableHeaderDuplication=*/true, /*PrepareForLTO=*/false));
  invariants.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(invariants), /*UseMemorySSA=*/true));
  // Hoists common code out of both sides of a branch, so that all lanes run it before they diverge.
  passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions().hoistCommonInsts(true)));
  combineInstructions(passes);
  llvm::LoopPassManager inductions;
  inductions.addPass(llvm::IndVarSimplifyPass());
  inductions.addPass(llvm::LoopDeletionPass());
  inductions.addPass(UnrollWorkItemLoops());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(inductions)));
  passes.addPass(VoteOnGuardsPass());
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  // Runs without PRE, whose phis would hide that an index is a lane's number plus a uniform value.
  passes.addPass(llvm::GVNPass(llvm::GVNOptions().setPRE(false)));
  combineInstructions(passes);
  passes.addPass(llvm::DSEPass());
  passes.addPass(llvm::ADCEPass());
  // Merges stores of both sides of a branch to one address into one store of a select, so that divergent lanes
  // reconverge before it.
  passes.addPass(llvm::MergedLoadStoreMotionPass());
  passes.addPass(llvm::SimplifyCFGPass());
}

/// Simplifies the loops of work-group functions.
void simplifyLoops(llvm::FunctionPassManager& passes, const ProcessorModel& cpu) {
  using llvm::createFunctionToLoopPassAdaptor;
  // Promotes the work-group's uniform values to registers and shares what regions recompute.
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  combineInstructions(passes);
  llvm::FunctionPassManager writtenOut;
  writtenOut.addPass(PromoteLocalArraysPass(cpu));
  passes.addPass(ForWholeCode(std::move(writtenOut)));
  passes.addPass(SplitSubGroupLoopsPass());
  // Must run before LICM, which would move the sum of each constant out of the loop.
  passes.addPass(ConstantOffsetsPass());
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
  // Hoists uniform work out of the loops over work-items.
  llvm::LoopPassManager invariants;
  invariants.addPass(llvm::LoopRotatePass(/*EnableHeaderDuplication=*/true, /*PrepareForLTO=*/false));
  invariants.addPass(llvm::LICMPass(llvm::LICMOptions()));
  invariants.addPass(llvm::SimpleLoopUnswitchPass());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(invariants), /*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(BlendStoresPass(cpu));
  passes.addPass(WholeLoadsPass(cpu));
  // Wide functions have hardly changed.
  llvm::FunctionPassManager scalar;
  combineInstructions(scalar);
  passes.addPass(ForScalarFunctions(std::move(scalar)));
  llvm::LoopPassManager inductions;
  inductions.addPass(llvm::LoopDeletionPass());
  inductions.addPass(UnrollCountedLoops());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(inductions)));
  // Promotes private arrays whose loops were unrolled.
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::MemCpyOptPass());
  passes.addPass(llvm::BDCEPass());
  combineInstructions(passes);
  passes.addPass(llvm::DSEPass());
  passes.addPass(createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(llvm::ADCEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  // Deletes halves of split loops over sub-groups (SplitSubGroupLoopsPass) that have become empty.
  passes.addPass(createFunctionToLoopPassAdaptor(llvm::LoopDeletionPass()));
  // Needs iterations of one block; no later pass would simplify the loops that it makes.
  passes.addPass(InterchangeColumnsPass());
}

/// Optimises kernels that run one work-item at a time. LLVM 22's loop vectoriser is not used: it takes the address of
/// a[(i + 3) & 7] for consecutive and reads past the eighth element (tests/kernels/memory/wrapped_index). Nor is
/// VectorCombine, which miscompiles vectors of three (docs/llvm.md).
void improveScalar(llvm::FunctionPassManager& passes) {
  using llvm::createFunctionToLoopPassAdaptor;
  passes.addPass(createFunctionToLoopPassAdaptor(llvm::LoopRotatePass()));
  combineInstructions(passes);
  passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions()
                                           .forwardSwitchCondToPhi(true)
                                           .convertSwitchRangeToICmp(true)
                                           .convertSwitchToLookupTable(true)
                                           .needCanonicalLoops(false)
                                           .hoistCommonInsts(true)
                                           .sinkCommonInsts(true)));
  // Removes flags that record how a loop ended, and selects on conditions that a branch has tested, as in
  // compare-exchange loops.
  passes.addPass(llvm::JumpThreadingPass());
  passes.addPass(llvm::CorrelatedValuePropagationPass());
  passes.addPass(llvm::SLPVectorizerPass());
  // Loops whose trip count is known only at run time are not unrolled: scalar code has short loops of varying trip
  // counts, where the remainder loop is one more branch that is predicted badly.
  passes.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(/*OptLevel=*/2).setRuntime(false)));
  combineInstructions(passes);
  passes.addPass(createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(llvm::DivRemPairsPass());
  passes.addPass(llvm::SimplifyCFGPass());
}

/// Larger than for C++: OpenCL functions are written to be inlined, and calls cost more than on a GPU.
constexpr int kInlineThreshold = 500;

} // namespace

void lowerKernels(llvm::Module& module, bool optimise, const VectoriseOptions& vectorise,
                  std::vector<VectorisationReport>* reports, const PassObserver& observer, FindingsOfKernels* findings,
                  bool makesParts) {
  using llvm::createModuleToFunctionPassAdaptor;
  PassManagers passes(module, nullptr, observer);
  llvm::ModulePassManager manager;
  // Must run before any alignment is derived from another.
  manager.addPass(ElementAlignmentPass());
  // Must run while the program's stores are visible, before variables are in registers.
  manager.addPass(createModuleToFunctionPassAdaptor(StoreElementsPass()));
  // Must run first: all other passes know only the intrinsics.
  manager.addPass(LowerWorkItemPass());
  manager.addPass(LowerSubGroupsPass());
  manager.addPass(LowerWorkGroupFunctionsPass());
  // Needs blocks in source order.
  manager.addPass(KeepInLoopsPass());
  // Must run before inlining: only internal functions disappear when they are inlined.
  manager.addPass(PrepareKernelsPass());
  // Must run before any optimisation: for LLVM a division by zero is undefined.
  manager.addPass(createModuleToFunctionPassAdaptor(LowerDivisionPass()));
  // Finds functions to inline by the intrinsics in them.
  manager.addPass(InlineWorkItemFunctionsPass());
  // Inlines kernels' bodies, small builtins, and all functions that use ids or sizes.
  manager.addPass(llvm::AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/true));
  manager.addPass(createModuleToFunctionPassAdaptor(HoldApartPass()));
  if (optimise) {
    // Promotes values to registers, so that few are live across barriers, including private arrays that inlining makes
    // local.
    llvm::InlineParams parameters = llvm::getInlineParams(kInlineThreshold);
    // Without this, long builtins exceed the threshold before the inliner sees their attributes.
    parameters.ComputeFullInlineCost = true;
    llvm::ModuleInlinerWrapperPass inliner(parameters, /*MandatoryFirst=*/false);
    inliner.getPM().addPass(llvm::createCGSCCToFunctionPassAdaptor(simplification()));
    manager.addPass(std::move(inliner));
  } else {
    manager.addPass(createModuleToFunctionPassAdaptor(PlainRegisters()));
  }
  // Needs the calls of blocks inlined; GlobalDCE removes what it releases.
  manager.addPass(ForgetBlocksPass());
  // Removes functions whose calls are all inlined, and unused builtins.
  manager.addPass(llvm::GlobalDCEPass());
  // Must run after simplification, which propagates format strings, and before regions are found, since it reads a fact
  // of the launch.
  manager.addPass(LowerPrintfPass());
  // Counts what the program says, before work-items share any of it.
  if (findings != nullptr) manager.addPass(createModuleToFunctionPassAdaptor(CollectFindings(*findings)));
  // Must run after that, which is about the program's ids.
  if (findings != nullptr && makesParts) manager.addPass(addPartArguments(*findings));
  // Must run before passes that look at the address spaces of atomics.
  if (optimise) manager.addPass(createModuleToFunctionPassAdaptor(NamedAtomicsPass()));
  // Needs values in registers to find a loop's exit condition.
  manager.addPass(createModuleToFunctionPassAdaptor(YieldInWaitingLoopsPass()));
  if (optimise) {
    llvm::FunctionPassManager undo;
    undoOptimisations(undo);
    manager.addPass(createModuleToFunctionPassAdaptor(std::move(undo)));
  }
  // Must run before passes that look for ids in addresses.
  if (optimise) manager.addPass(createModuleToFunctionPassAdaptor(ScalariseElementsPass()));
  if (optimise) manager.addPass(createModuleToFunctionPassAdaptor(NameGlobalIdsPass()));
  if (optimise) manager.addPass(createModuleToFunctionPassAdaptor(WantedValuesPass()));
  // May split one dimension into two.
  if (optimise) manager.addPass(createModuleToFunctionPassAdaptor(DelinearisePass()));
  // Needs values in registers, to compare addresses. Must run before passes that rely on dimension 0, and before
  // kernels are cloned, since clones have the kernel's dimensions.
  if (optimise) manager.addPass(createModuleToFunctionPassAdaptor(ExchangeDimensionsPass()));
  if (optimise) manager.addPass(createModuleToFunctionPassAdaptor(ReshapeGroupsPass()));
  // Clones simplified kernels, before the required size is used.
  manager.addPass(RemainderKernelsPass());
  // Must run before loop rotation, while exit conditions are in the headers.
  if (optimise) {
    llvm::FunctionPassManager loops;
    loops.addPass(AlignStridedLoopsPass());
    // Must run after passes that recognise loops with the work-group's size as their step.
    loops.addPass(RequiredSizesPass());
    manager.addPass(createModuleToFunctionPassAdaptor(std::move(loops)));
  }
  manager.addPass(MarkSubGroupsPass());
  if (optimise) manager.addPass(createModuleToFunctionPassAdaptor(InterchangeStreamingLoopsPass()));
  // Must run once no pass simplifies what a work-item does in memory.
  const auto addTouches = [&] {
    if (module.getModuleFlag(kCheckSitesFlag) != nullptr)
      manager.addPass(createModuleToFunctionPassAdaptor(ExpandTouchesPass()));
  };
  const bool requiresWidth =
      llvm::any_of(module, [](const llvm::Function& function) { return requiredSubGroupSize(function) > 1; });
  if (optimise && (vectorise.width != 1 || requiresWidth)) {
    // Must run before passes for barriers, since kernels may lose theirs.
    if (vectorise.makesFaster) manager.addPass(DirectKernelsPass());
    manager.addPass(PrivatiseCountersPass());
    // Must run before sums are promoted to registers.
    manager.addPass(AssumeApartPass());
    llvm::FunctionPassManager simplify;
    // Must run before loops are unrolled and indices are analysed.
    simplify.addPass(IntegerCoordinatesPass());
    // Runs again for loops of functions that have been inlined. Must run before loops are unrolled.
    simplify.addPass(UniformBoundsPass());
    simplify.addPass(VoteOnBoundsPass());
    simplifyWorkItem(simplify);
    simplify.addPass(NarrowArithmeticPass());
    simplify.addPass(MarkNonTemporalStoresPass());
    manager.addPass(createModuleToFunctionPassAdaptor(std::move(simplify)));
  }
  addTouches();
  manager.addPass(ExpandGlobalIdsPass());
  // Unoptimised code has vectors on request, with which debuggers show the variables of all lanes.
  if (optimise ? vectorise.width != 1 || requiresWidth : vectorise.width > 1) {
    // Must run last, since no other pass knows that lanes decide together.
    if (module.getModuleFlag(kCheckSitesFlag) != nullptr)
      manager.addPass(createModuleToFunctionPassAdaptor(VoteOnChecksPass()));
    // Runs after all that is easier for a single work-item, and before barriers divide the kernel, so that values live
    // across barriers are stored as vectors.
    manager.addPass(VectoriseKernelsPass(vectorise, reports));
  }
  // In kernels that have not been vectorised, each sub-group is one work-item.
  manager.addPass(SubGroupsOfOnePass());
  // Runs last before the work-group function, since other passes merge blocks again.
  manager.addPass(createModuleToFunctionPassAdaptor(IsolateBarriersPass()));
  manager.addPass(WorkGroupFunctionPass());
  // Must run after WorkGroupFunctionPass, which decides by address space which accesses are parallel (access groups).
  manager.addPass(FlattenAddressSpacesPass());
  passes.run(manager, module);
}

void optimiseVariables(llvm::Module& module, llvm::TargetMachine& machine, bool optimise,
                       const PassObserver& observer) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  if (!optimise) return;
  PassManagers passes(module, &machine, observer);
  llvm::ModulePassManager manager;
  // Finds the constant contents of variables.
  if (!module.global_empty()) manager.addPass(llvm::GlobalOptPass());
  // Finds functions without side effects, so that remaining calls can move.
  manager.addPass(llvm::createModuleToPostOrderCGSCCPassAdaptor(llvm::PostOrderFunctionAttrsPass()));
  passes.run(manager, module);
}

void optimiseFunctions(llvm::Module& module, llvm::TargetMachine& machine, bool optimise,
                       const PassObserver& observer) {
  using llvm::createModuleToFunctionPassAdaptor;
  llvm::PipelineTuningOptions tuning;
  tuning.SLPVectorization = true;
  tuning.LoopInterleaving = true;
  PassManagers passes(module, &machine, observer, tuning);
  llvm::ModulePassManager manager;
  if (optimise) {
    llvm::FunctionPassManager functions, scalar;
    simplifyLoops(functions, processorModel(machine));
    improveScalar(scalar);
    functions.addPass(ForScalarFunctions(std::move(scalar)));
    // The last InstCombine has run.
    functions.addPass(ReleaseMaskedLoadsPass());
    manager.addPass(createModuleToFunctionPassAdaptor(std::move(functions)));
    if (module.getTargetTriple().isX86()) manager.addPass(createModuleToFunctionPassAdaptor(NonTemporalStoresPass()));
    manager.addPass(llvm::GlobalDCEPass());
  }
  // Emits half arithmetic, for LowerHalfArithmeticPass.
  manager.addPass(createModuleToFunctionPassAdaptor(LowerHalfAtomicsPass()));
  // Must run after all simplification.
  const bool isX86 = machine.getTargetTriple().isX86();
  const llvm::MCSubtargetInfo& features = *machine.getMCSubtargetInfo();
  if (!isX86 || !features.checkFeatures("+avx512fp16")) {
    const bool hasConversions = !isX86 || features.checkFeatures("+f16c");
    manager.addPass(createModuleToFunctionPassAdaptor(LowerHalfArithmeticPass(hasConversions)));
  }
  if (isX86 && features.checkFeatures("+avx512f")) {
    manager.addPass(createModuleToFunctionPassAdaptor(PartBitSelectsPass()));
    manager.addPass(createModuleToFunctionPassAdaptor(CountBySelectPass()));
  }
  // Run last: these shape masks and addresses as instructions take them.
  if (optimise) {
    const ProcessorModel cpu = processorModel(machine);
    if (isX86) manager.addPass(createModuleToFunctionPassAdaptor(EstimateReciprocalsPass(cpu)));
    manager.addPass(createModuleToFunctionPassAdaptor(WholeStoresPass(cpu)));
    manager.addPass(createModuleToFunctionPassAdaptor(AccessAllLanesPass()));
    manager.addPass(createModuleToFunctionPassAdaptor(WideMasksPass(cpu)));
    if (isX86) manager.addPass(createModuleToFunctionPassAdaptor(SkipFarAccessesPass(cpu)));
  }
  manager.addPass(createModuleToFunctionPassAdaptor(StoreSingleLanesPass()));
  passes.run(manager, module);
}

} // namespace clotho::compiler
