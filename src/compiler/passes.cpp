// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/passes.hpp"

#include "compiler/analysis/analyses.hpp"
#include "compiler/analysis/print_analyses.hpp"
#include "compiler/backend/collect_findings.hpp"
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
#include "compiler/backend/nvptx/lower/adapt_builtins.hpp"
#include "compiler/backend/nvptx/lower/align_arrays.hpp"
#include "compiler/backend/nvptx/lower/exact_sums.hpp"
#include "compiler/backend/nvptx/lower/fast_division.hpp"
#include "compiler/backend/nvptx/lower/make_entries.hpp"
#include "compiler/backend/nvptx/lower/map_spaces.hpp"
#include "compiler/backend/nvptx/lower/order_atomics.hpp"
#include "compiler/backend/nvptx/lower/spell_out_constants.hpp"
#include "compiler/backend/nvptx/lower/unroll_loops.hpp"
#include "compiler/backend/nvptx/lower/warp_operations.hpp"
#include "compiler/backend/nvptx/lower/widen_saturation.hpp"
#include "compiler/builtins/builtin_passes.hpp"
#include "compiler/ir/reducible_flow.hpp"
#include "compiler/transform/check/check_kernels.hpp"
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
#include "compiler/transform/layout/part_arguments.hpp"
#include "compiler/transform/layout/required_sizes.hpp"
#include "compiler/transform/layout/reshape_groups.hpp"
#include "compiler/transform/lower/element_alignment.hpp"
#include "compiler/transform/lower/forget_blocks.hpp"
#include "compiler/transform/lower/hold_apart.hpp"
#include "compiler/transform/lower/inline_work_item_functions.hpp"
#include "compiler/transform/lower/isolate_barriers.hpp"
#include "compiler/transform/lower/keep_in_loops.hpp"
#include "compiler/transform/lower/lower_division.hpp"
#include "compiler/transform/lower/lower_enqueue.hpp"
#include "compiler/transform/lower/lower_objects.hpp"
#include "compiler/transform/lower/lower_printf.hpp"
#include "compiler/transform/lower/lower_sub_groups.hpp"
#include "compiler/transform/lower/lower_work_group_functions.hpp"
#include "compiler/transform/lower/lower_work_item.hpp"
#include "compiler/transform/lower/prepare_kernels.hpp"
#include "compiler/transform/lower/program_scope_kernels.hpp"
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
#include "compiler/transform/widen/sub_group_form.hpp"
#include "compiler/transform/widen/vectorise_kernels.hpp"
#include "compiler/transform/widen/vote_on_bounds.hpp"
#include "compiler/transform/widen/vote_on_checks.hpp"

#include <llvm/IR/PassInstrumentation.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LoopIdiomRecognize.h>

namespace clotho::compiler {
namespace {

template <class Pass> constexpr bool isRequired() {
  if constexpr (requires { Pass::isRequired(); })
    return Pass::isRequired();
  else
    return false;
}

using Elements = llvm::ArrayRef<llvm::PassBuilder::PipelineElement>;

std::string textOf(Elements pipeline) {
  std::string text;
  for (const auto& [name, inner] : pipeline) {
    if (!text.empty()) text += ',';
    text += name;
    if (!inner.empty()) text += '(' + textOf(inner) + ')';
  }
  return text;
}

bool addAnalysisPass(llvm::StringRef given, llvm::FunctionPassManager& passes) {
#define FUNCTION_ANALYSIS(name, construct)                                                                             \
  if (given == "print<" name ">") {                                                                                    \
    passes.addPass(PrintAnalysisPass<decltype(construct)>(name, llvm::errs()));                                        \
    return true;                                                                                                       \
  }                                                                                                                    \
  if (given == "require<" name ">") {                                                                                  \
    passes.addPass(llvm::RequireAnalysisPass<decltype(construct), llvm::Function>());                                  \
    return true;                                                                                                       \
  }                                                                                                                    \
  if (given == "invalidate<" name ">") {                                                                               \
    passes.addPass(llvm::InvalidateAnalysisPass<decltype(construct)>());                                               \
    return true;                                                                                                       \
  }
#include "compiler/analysis/analyses.def"
  return false;
}

bool addPass(llvm::StringRef given, llvm::ModulePassManager& passes) {
#define MODULE_PASS(name, construct)                                                                                   \
  if (given == name) {                                                                                                 \
    passes.addPass(construct);                                                                                         \
    return true;                                                                                                       \
  }
#include "compiler/passes.def"
  return false;
}

bool addPass(llvm::StringRef given, llvm::FunctionPassManager& passes, Elements inner, llvm::PassBuilder& builder) {
#define FUNCTION_PASS(name, construct)                                                                                 \
  if (given == name) {                                                                                                 \
    passes.addPass(construct);                                                                                         \
    return true;                                                                                                       \
  }
#define FUNCTION_PASS_OF_PASSES(name, construct)                                                                       \
  if (given == name) {                                                                                                 \
    llvm::FunctionPassManager own;                                                                                     \
    if (llvm::Error error = builder.parsePassPipeline(own, textOf(inner))) {                                           \
      llvm::consumeError(std::move(error));                                                                            \
      return false;                                                                                                    \
    }                                                                                                                  \
    passes.addPass(construct(std::move(own)));                                                                         \
    return true;                                                                                                       \
  }
#include "compiler/passes.def"
  return addAnalysisPass(given, passes);
}

bool addPass(llvm::StringRef given, llvm::LoopPassManager& passes) {
#define LOOP_PASS(name, construct)                                                                                     \
  if (given == name) {                                                                                                 \
    passes.addPass(construct);                                                                                         \
    return true;                                                                                                       \
  }
#include "compiler/passes.def"
  return false;
}

} // namespace

void registerPasses(llvm::PassBuilder& builder) {
  builder.registerAnalysisRegistrationCallback(
      [](llvm::FunctionAnalysisManager& analyses) { registerAnalyses(analyses); });
  builder.registerPipelineParsingCallback(
      [](llvm::StringRef given, llvm::ModulePassManager& passes, Elements) { return addPass(given, passes); });
  builder.registerPipelineParsingCallback(
      [&builder](llvm::StringRef given, llvm::FunctionPassManager& passes, Elements inner) {
        return addPass(given, passes, inner, builder);
      });
  builder.registerPipelineParsingCallback(
      [](llvm::StringRef given, llvm::LoopPassManager& passes, Elements) { return addPass(given, passes); });
}

bool isNamedPart(llvm::StringRef name) {
#define BUILD_PASS(text, type)                                                                                         \
  if (name == text) return true;
#include "compiler/passes.def"
#define STEP(text, pass)                                                                                               \
  if (name == text) return true;
#include "compiler/steps.def"
  return false;
}

bool isRequiredPass(llvm::StringRef name) {
#define MODULE_PASS(text, construct)                                                                                   \
  if (name == text) return isRequired<decltype(construct)>();
#define FUNCTION_PASS(text, construct)                                                                                 \
  if (name == text) return isRequired<decltype(construct)>();
#define FUNCTION_PASS_OF_PASSES(text, type)                                                                            \
  if (name == text) return isRequired<type>();
#define LOOP_PASS(text, construct)                                                                                     \
  if (name == text) return isRequired<decltype(construct)>();
#define BUILD_PASS(text, type)                                                                                         \
  if (name == text) return isRequired<type>();
#include "compiler/passes.def"
  return false;
}

std::vector<llvm::StringRef> skippablePasses() {
  std::vector<llvm::StringRef> names = {
#define MODULE_PASS(text, construct) text,
#define FUNCTION_PASS(text, construct) text,
#define LOOP_PASS(text, construct) text,
#define BUILD_PASS(text, type) text,
#include "compiler/passes.def"
#define STEP(text, pass) text,
#include "compiler/steps.def"
  };
  llvm::erase_if(names, isRequiredPass);
  return names;
}

void namePasses(llvm::PassInstrumentationCallbacks& callbacks) {
#define MODULE_PASS(text, construct) callbacks.addClassToPassName(decltype(construct)::name(), text);
#define FUNCTION_PASS(text, construct) callbacks.addClassToPassName(decltype(construct)::name(), text);
#define FUNCTION_PASS_OF_PASSES(text, construct) callbacks.addClassToPassName(construct::name(), text);
#define LOOP_PASS(text, construct) callbacks.addClassToPassName(decltype(construct)::name(), text);
#define BUILD_PASS(text, type) callbacks.addClassToPassName(type::name(), text);
#include "compiler/passes.def"
}

} // namespace clotho::compiler
