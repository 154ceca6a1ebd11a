// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/pass_pipeline.hpp"

#include "compiler/backend/cpu/lower/blend_stores.hpp"
#include "compiler/backend/cpu/lower/call_divisions.hpp"
#include "compiler/backend/cpu/lower/estimate_reciprocals.hpp"
#include "compiler/backend/cpu/lower/flatten_address_spaces.hpp"
#include "compiler/backend/cpu/lower/hold_masked_loads.hpp"
#include "compiler/backend/cpu/lower/lower_half_arithmetic.hpp"
#include "compiler/backend/cpu/lower/lower_half_atomics.hpp"
#include "compiler/backend/cpu/lower/lower_work_item.hpp"
#include "compiler/backend/cpu/lower/non_temporal_stores.hpp"
#include "compiler/backend/cpu/lower/part_bit_selects.hpp"
#include "compiler/backend/cpu/lower/skip_far_accesses.hpp"
#include "compiler/backend/cpu/lower/store_single_lanes.hpp"
#include "compiler/backend/cpu/lower/whole_loads.hpp"
#include "compiler/backend/cpu/lower/whole_stores.hpp"
#include "compiler/backend/cpu/lower/wide_masks.hpp"
#include "compiler/backend/cpu/pipeline_passes.hpp"
#include "compiler/backend/pass_managers.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/sub_group_operations.hpp"
#include "compiler/transform/groups/align_strided_loops.hpp"
#include "compiler/transform/groups/hoist_above_barriers.hpp"
#include "compiler/transform/groups/interchange_columns.hpp"
#include "compiler/transform/groups/interchange_sweeps.hpp"
#include "compiler/transform/groups/promote_local_arrays.hpp"
#include "compiler/transform/groups/redundant_barriers.hpp"
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
#include "compiler/transform/lower/prepare_kernels.hpp"
#include "compiler/transform/lower/remainder_kernels.hpp"
#include "compiler/transform/lower/yield_in_waiting_loops.hpp"
#include "compiler/transform/memory/assume_apart.hpp"
#include "compiler/transform/memory/change_at_once.hpp"
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
#include "compiler/transform/simplify/sink_into_branches.hpp"
#include "compiler/transform/simplify/store_elements.hpp"
#include "compiler/transform/simplify/wanted_values.hpp"
#include "compiler/transform/widen/vectorise_kernels.hpp"

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

/// LLVM's InstCombine would move masked loads that are not held.
void combineInstructions(llvm::FunctionPassManager& passes) {
  passes.addPass(HoldMaskedLoadsPass());
  passes.addPass(llvm::InstCombinePass());
}

/// Into SSA form and simple, with few passes: the full set runs later, on what the kernel has become.
llvm::FunctionPassManager simplification() {
  llvm::FunctionPassManager passes;
  // While what is expected is what branches ask for.
  passes.addPass(llvm::LowerExpectIntrinsicPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  // Arguments are in registers now, and branches by formats disappear below.
  passes.addPass(FoldImageFormatsPass());
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  combineInstructions(passes);
  passes.addPass(llvm::SimplifyCFGPass());
  return passes;
}

/// Compilers that optimise before they write SPIR-V hide loops and arrays from all that follows, which looks for what
/// programs are written like.
void undoOptimisations(llvm::FunctionPassManager& passes) {
  // Before addresses are made of counters.
  passes.addPass(NarrowCountersPass());
  passes.addPass(IndexAddressesPass());
  // Once it can be told how arrays are accessed, and those that are only read are constants.
  passes.addPass(LowerCopiesPass());
  // Before indices are extended where they are used.
  passes.addPass(SinkIntoBranchesPass());
  // Once counters are narrow, by which a guard is known.
  passes.addPass(HeadTestsPass());
}

/// Simplifies the work-item before it is widened: what is simple for one is simple for all lanes. Short inner loops are
/// unrolled, so that what they index in private arrays becomes registers.
void simplifyWorkItem(llvm::FunctionPassManager& passes) {
  using llvm::createFunctionToLoopPassAdaptor;
  passes.addPass(ExtendIndicesPass());
  llvm::LoopPassManager invariants;
  invariants.addPass(llvm::LoopRotatePass(/*EnableHeaderDuplication=*/true, /*PrepareForLTO=*/false));
  invariants.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(invariants), /*UseMemorySSA=*/true));
  // What both sides of a branch do is done by all lanes at once, before they part.
  passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions().hoistCommonInsts(true)));
  combineInstructions(passes);
  llvm::LoopPassManager inductions;
  inductions.addPass(llvm::IndVarSimplifyPass());
  inductions.addPass(llvm::LoopDeletionPass());
  inductions.addPass(UnrollWorkItemLoops());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(inductions)));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  // Without phis that stand for what a branch knows: an index behind one is no lane's number plus something any more.
  passes.addPass(llvm::GVNPass(llvm::GVNOptions().setPRE(false)));
  combineInstructions(passes);
  passes.addPass(llvm::DSEPass());
  passes.addPass(llvm::ADCEPass());
  // What both sides of a branch store to one place is one store of what is chosen, and lanes that part meet before it.
  passes.addPass(llvm::MergedLoadStoreMotionPass());
  passes.addPass(llvm::SimplifyCFGPass());
}

/// Simplifies the loops of work-group functions.
void simplifyLoops(llvm::FunctionPassManager& passes, const ProcessorModel& cpu) {
  using llvm::createFunctionToLoopPassAdaptor;
  // Uniform values of the work-group leave their stack slots, and what regions repeat is shared.
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  combineInstructions(passes);
  llvm::FunctionPassManager writtenOut;
  writtenOut.addPass(PromoteLocalArraysPass(cpu));
  passes.addPass(ForWholeCode(std::move(writtenOut)));
  passes.addPass(SplitSubGroupLoopsPass());
  // Uniform work moves out of the loops over work-items.
  llvm::LoopPassManager invariants;
  invariants.addPass(llvm::LoopRotatePass(/*EnableHeaderDuplication=*/true, /*PrepareForLTO=*/false));
  invariants.addPass(llvm::LICMPass(llvm::LICMOptions()));
  invariants.addPass(llvm::SimpleLoopUnswitchPass());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(invariants), /*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(BlendStoresPass(cpu));
  passes.addPass(WholeLoadsPass(cpu));
  // What is wide has hardly changed.
  llvm::FunctionPassManager scalar;
  combineInstructions(scalar);
  passes.addPass(ForScalarFunctions(std::move(scalar)));
  llvm::LoopPassManager inductions;
  inductions.addPass(llvm::LoopDeletionPass());
  inductions.addPass(UnrollCountedLoops());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(inductions)));
  // Private arrays whose loops are unrolled become registers.
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::MemCpyOptPass());
  passes.addPass(llvm::BDCEPass());
  combineInstructions(passes);
  passes.addPass(llvm::DSEPass());
  passes.addPass(createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(llvm::ADCEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  // Halves of loops over sub-groups (SplitSubGroupLoopsPass) that have nothing left to do.
  passes.addPass(createFunctionToLoopPassAdaptor(llvm::LoopDeletionPass()));
  // Once a round is one block, and nothing would simplify the loops that it makes.
  passes.addPass(InterchangeColumnsPass());
}

/// Improves kernels that run one work-item at a time. LLVM 22's loop vectoriser is not among the passes: it takes the
/// address of a[(i + 3) & 7] for consecutive and reads past the eighth element (tests/kernels/memory/wrapped_index).
/// Nor is VectorCombine, which is wrong about vectors of three (docs/llvm.md).
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
  // Flags that tell how a loop is left, and choices by what a branch has asked, as loops of exchanges have them.
  passes.addPass(llvm::JumpThreadingPass());
  passes.addPass(llvm::CorrelatedValuePropagationPass());
  passes.addPass(llvm::SLPVectorizerPass());
  // Loops whose trip count is known at run time only are not unrolled: what stays scalar are short loops of varying
  // trip counts, and the loop for the remainder is one more branch that no processor predicts.
  passes.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(/*OptLevel=*/2).setRuntime(false)));
  combineInstructions(passes);
  passes.addPass(createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(llvm::DivRemPairsPass());
  passes.addPass(llvm::SimplifyCFGPass());
}

/// Larger than for C++: functions of OpenCL programs are written to be inlined, and calls cost more than on a GPU.
constexpr int kInlineThreshold = 500;

} // namespace

void lowerKernels(llvm::Module& module, bool optimise, const VectoriseOptions& vectorise,
                  std::vector<VectorisationReport>* reports, const PassObserver& observer) {
  using llvm::createModuleToFunctionPassAdaptor;
  PassManagers passes(module, nullptr, observer);
  llvm::ModulePassManager manager;
  // Before anything derives an alignment from another.
  manager.addPass(ElementAlignmentPass());
  // While it can be told what the program stores, before variables are in registers.
  manager.addPass(createModuleToFunctionPassAdaptor(StoreElementsPass()));
  // Before anything looks at calls: intrinsics are what the rest knows.
  manager.addPass(LowerWorkItemPass());
  manager.addPass(LowerSubGroupsPass());
  manager.addPass(LowerWorkGroupFunctionsPass());
  // While blocks are in the order of the source.
  manager.addPass(KeepInLoopsPass());
  // Before inlining: only what is internal disappears when inlined.
  manager.addPass(PrepareKernelsPass());
  // Before any optimisation: to LLVM a division by zero is undefined.
  manager.addPass(createModuleToFunctionPassAdaptor(LowerDivisionPass()));
  // After work-item functions are intrinsics, by which it finds who must be inlined.
  manager.addPass(InlineWorkItemFunctionsPass());
  // Kernels' bodies, small builtins, and all that asks where it stands.
  manager.addPass(llvm::AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/true));
  manager.addPass(createModuleToFunctionPassAdaptor(HoldApartPass()));
  if (optimise) {
    // Values in registers, so that few live across barriers; private arrays that inlining makes local go too.
    llvm::InlineParams parameters = llvm::getInlineParams(kInlineThreshold);
    // Else long builtins count as too long before the inliner comes to what they are marked with.
    parameters.ComputeFullInlineCost = true;
    llvm::ModuleInlinerWrapperPass inliner(parameters, /*MandatoryFirst=*/false);
    inliner.getPM().addPass(llvm::createCGSCCToFunctionPassAdaptor(simplification()));
    manager.addPass(std::move(inliner));
  } else {
    manager.addPass(createModuleToFunctionPassAdaptor(PlainRegisters()));
  }
  // Once blocks that are called are inlined; what is forgotten goes with the rest.
  manager.addPass(ForgetBlocksPass());
  // Functions whose calls are all inlined, and builtins that no kernel calls in the end, go away.
  manager.addPass(llvm::GlobalDCEPass());
  // After simplification, which propagates formats; before regions, since it asks for a fact of the launch.
  manager.addPass(LowerPrintfPass());
  // Before what asks for the address spaces of atomics.
  if (optimise) manager.addPass(createModuleToFunctionPassAdaptor(NamedAtomicsPass()));
  // Once values are in registers, by which both find what ends a loop; a loop that is one operation waits for nothing.
  if (optimise) manager.addPass(createModuleToFunctionPassAdaptor(ChangeAtOncePass()));
  manager.addPass(createModuleToFunctionPassAdaptor(YieldInWaitingLoopsPass()));
  if (optimise) {
    llvm::FunctionPassManager undo;
    undoOptimisations(undo);
    manager.addPass(createModuleToFunctionPassAdaptor(std::move(undo)));
  }
  // Before anything looks for ids in what addresses are made of.
  if (optimise) manager.addPass(createModuleToFunctionPassAdaptor(ScalariseElementsPass()));
  if (optimise) manager.addPass(createModuleToFunctionPassAdaptor(NameGlobalIdsPass()));
  if (optimise) manager.addPass(createModuleToFunctionPassAdaptor(WantedValuesPass()));
  // Which may make two dimensions of one.
  if (optimise) manager.addPass(createModuleToFunctionPassAdaptor(DelinearisePass()));
  // Once values are in registers, by which it finds what is next to what; before anything counts on dimension 0, and
  // before a kernel has copies, whose dimensions are the kernel's.
  if (optimise) manager.addPass(createModuleToFunctionPassAdaptor(ExchangeDimensionsPass()));
  if (optimise) manager.addPass(createModuleToFunctionPassAdaptor(ReshapeGroupsPass()));
  // Copies what is simple by now; before the required size is put to use.
  manager.addPass(RemainderKernelsPass());
  // Before loops are rotated, while what ends them is at their head.
  if (optimise) {
    llvm::FunctionPassManager barriers;
    barriers.addPass(RedundantBarriersPass());
    barriers.addPass(AlignStridedLoopsPass());
    // After what finds loops that step by the size of a work-group.
    barriers.addPass(RequiredSizesPass());
    manager.addPass(createModuleToFunctionPassAdaptor(std::move(barriers)));
  }
  manager.addPass(MarkSubGroupsPass());
  if (optimise) manager.addPass(createModuleToFunctionPassAdaptor(InterchangeSweepsPass()));
  const bool requiresWidth =
      llvm::any_of(module, [](const llvm::Function& function) { return requiredSubGroupSize(function) > 1; });
  if (optimise && (vectorise.width != 1 || requiresWidth)) {
    // Before what knows of barriers is done to kernels that then have none.
    if (vectorise.makesFaster) manager.addPass(DirectKernelsPass());
    manager.addPass(PrivatiseCountersPass());
    // Before sums could be in registers.
    manager.addPass(AssumeApartPass());
    llvm::FunctionPassManager simplify;
    // Before loops are unrolled and indices are looked at.
    simplify.addPass(IntegerCoordinatesPass());
    simplifyWorkItem(simplify);
    simplify.addPass(NarrowArithmeticPass());
    // Once barriers that need not be are gone.
    simplify.addPass(HoistAboveBarriersPass());
    simplify.addPass(MarkNonTemporalStoresPass());
    manager.addPass(createModuleToFunctionPassAdaptor(std::move(simplify)));
    manager.addPass(ExpandGlobalIdsPass());
    // After all that is easier said of one work-item, before barriers cut the kernel: what lives across them is then
    // kept a vector at a time.
    manager.addPass(VectoriseKernelsPass(vectorise, reports));
  } else {
    manager.addPass(ExpandGlobalIdsPass());
  }
  // Sub-groups of kernels that have not been vectorised are one work-item each.
  manager.addPass(SubGroupsOfOnePass());
  // Last before the work-group function, for other passes merge blocks again.
  manager.addPass(createModuleToFunctionPassAdaptor(IsolateBarriersPass()));
  manager.addPass(WorkGroupFunctionPass());
  // After the work-group function, which marks accesses by address space.
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
  // What variables turn out to hold.
  if (!module.global_empty()) manager.addPass(llvm::GlobalOptPass());
  // Which functions only compute, so that calls of those left can move.
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
    // InstCombine has run for the last time.
    functions.addPass(ReleaseMaskedLoadsPass());
    manager.addPass(createModuleToFunctionPassAdaptor(std::move(functions)));
    llvm::FunctionPassManager last;
    last.addPass(TouchFirst());
    if (module.getTargetTriple().isX86()) last.addPass(NonTemporalStoresPass());
    manager.addPass(createModuleToFunctionPassAdaptor(std::move(last)));
    manager.addPass(llvm::GlobalDCEPass());
  }
  // Makes arithmetic of halves.
  manager.addPass(createModuleToFunctionPassAdaptor(LowerHalfAtomicsPass()));
  // After all that would simplify what it makes.
  const bool isX86 = machine.getTargetTriple().isX86();
  const llvm::MCSubtargetInfo& features = *machine.getMCSubtargetInfo();
  if (!isX86 || !features.checkFeatures("+avx512fp16")) {
    const bool hasConversions = !isX86 || features.checkFeatures("+f16c");
    manager.addPass(createModuleToFunctionPassAdaptor(LowerHalfArithmeticPass(hasConversions)));
  }
  if (isX86 && features.checkFeatures("+avx512f"))
    manager.addPass(createModuleToFunctionPassAdaptor(PartBitSelectsPass()));
  // Last: these make masks and addresses as instructions take them.
  if (optimise) {
    const ProcessorModel cpu = processorModel(machine);
    if (isX86) manager.addPass(createModuleToFunctionPassAdaptor(EstimateReciprocalsPass(cpu)));
    manager.addPass(createModuleToFunctionPassAdaptor(WholeStoresPass(cpu)));
    manager.addPass(createModuleToFunctionPassAdaptor(WideMasksPass(cpu)));
    if (isX86) manager.addPass(createModuleToFunctionPassAdaptor(SkipFarAccessesPass(cpu)));
  }
  manager.addPass(createModuleToFunctionPassAdaptor(StoreSingleLanesPass()));
  // Once nothing looks at what is computed.
  if (optimise) manager.addPass(CallDivisionsPass());
  passes.run(manager, module);
}

} // namespace clotho::compiler
