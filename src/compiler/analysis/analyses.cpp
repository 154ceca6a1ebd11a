// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/analyses.hpp"

#include "compiler/analysis/barrier_regions.hpp"
#include "compiler/analysis/footprints.hpp"
#include "compiler/analysis/index_bounds.hpp"
#include "compiler/analysis/lane_shapes.hpp"
#include "compiler/analysis/small_ranges.hpp"
#include "compiler/analysis/sub_group_flow.hpp"
#include "compiler/analysis/value_numbers.hpp"
#include "compiler/analysis/waiting_loops.hpp"
#include "compiler/analysis/work_count.hpp"
#include "compiler/analysis/work_item_uniformity.hpp"

namespace clotho::compiler {

void registerAnalyses(llvm::FunctionAnalysisManager& analyses) {
#define FUNCTION_ANALYSIS(name, construct) analyses.registerPass([] { return construct; });
#include "compiler/analysis/analyses.def"
}

} // namespace clotho::compiler
