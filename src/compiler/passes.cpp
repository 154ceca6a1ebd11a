// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/passes.hpp"

#include "compiler/backend/cpu/lower_work_item.hpp"
#include "compiler/transform/groups/local_tiles.hpp"
#include "compiler/transform/groups/whole_groups.hpp"
#include "compiler/transform/groups/work_group_function.hpp"
#include "compiler/transform/loops/align_strided_loops.hpp"
#include "compiler/transform/loops/end_sub_group_loops.hpp"
#include "compiler/transform/loops/extend_indices.hpp"
#include "compiler/transform/loops/fuse_regions.hpp"
#include "compiler/transform/loops/fuse_steps.hpp"
#include "compiler/transform/loops/interchange_columns.hpp"
#include "compiler/transform/loops/interchange_sweeps.hpp"
#include "compiler/transform/loops/neighbour_loads.hpp"
#include "compiler/transform/loops/specialise_strides.hpp"
#include "compiler/transform/loops/split_sub_group_loops.hpp"
#include "compiler/transform/loops/unroll_kept_rows.hpp"
#include "compiler/transform/lower/expand_global_ids.hpp"
#include "compiler/transform/lower/flatten_address_spaces.hpp"
#include "compiler/transform/lower/inline_work_item_functions.hpp"
#include "compiler/transform/lower/isolate_barriers.hpp"
#include "compiler/transform/lower/lower_division.hpp"
#include "compiler/transform/lower/lower_half_arithmetic.hpp"
#include "compiler/transform/lower/lower_half_atomics.hpp"
#include "compiler/transform/lower/lower_printf.hpp"
#include "compiler/transform/lower/prepare_kernels.hpp"
#include "compiler/transform/lower/remainder_kernels.hpp"
#include "compiler/transform/lower/yield_in_waiting_loops.hpp"
#include "compiler/transform/memory/direct_kernels.hpp"
#include "compiler/transform/memory/spread_counters.hpp"
#include "compiler/transform/memory/streamed_stores.hpp"
#include "compiler/transform/narrow/narrow_arithmetic.hpp"
#include "compiler/transform/sub_groups/keep_in_loops.hpp"
#include "compiler/transform/sub_groups/lower_sub_groups.hpp"
#include "compiler/transform/sub_groups/lower_work_group_functions.hpp"
#include "compiler/transform/sub_groups/redundant_barriers.hpp"
#include "compiler/transform/vectorise/vectorise_kernels.hpp"

#include <llvm/Passes/PassBuilder.h>

namespace clotho::compiler {

void registerPasses(llvm::PassBuilder& builder) {
  using Elements = llvm::ArrayRef<llvm::PassBuilder::PipelineElement>;
  builder.registerPipelineParsingCallback([](llvm::StringRef given, llvm::ModulePassManager& passes, Elements) {
#define MODULE_PASS(name, construct)                                                                                   \
  if (given == name) {                                                                                                 \
    passes.addPass(construct);                                                                                         \
    return true;                                                                                                       \
  }
#include "compiler/passes.def"
    return false;
  });
  builder.registerPipelineParsingCallback([](llvm::StringRef given, llvm::FunctionPassManager& passes, Elements) {
#define FUNCTION_PASS(name, construct)                                                                                 \
  if (given == name) {                                                                                                 \
    passes.addPass(construct);                                                                                         \
    return true;                                                                                                       \
  }
#include "compiler/passes.def"
    return false;
  });
}

} // namespace clotho::compiler
