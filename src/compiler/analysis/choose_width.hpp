// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"
#include "compiler/analysis/processor_model.hpp"
#include "compiler/analysis/sub_group_flow.hpp"

namespace llvm {
class ScalarEvolution;
}

namespace clotho::compiler {

/// Lane width in bits for gathers and lane-by-lane code, which get no more lanes for narrower types.
constexpr unsigned kUsualBits = 32;

/// Most lanes if operations do not form dependent chains. If they do, the limit is kMostLanes: sixteen vectors of
/// float.
constexpr unsigned kMostUsualLanes = 64;

struct WidthChoice {
  unsigned width = 1;
  unsigned shortRows = 1;        ///< Width for rows that are no multiple of `width`
  bool fitsRequiredSize = false; ///< Whether the rows of a required local size are a multiple of the width
  unsigned registers = 0;        ///< highest register pressure; only with `evolution`
};

/// The function for which a width is chosen.
struct WidthRequest {
  unsigned width = 0;      ///< width that the user wants; 0: free
  unsigned rows = 1;       ///< rows that the function runs at once
  bool hasEdges = false;   ///< lanes diverge at both ends of each row, so few lanes stay together
  bool mergesRows = false; ///< accesses of several rows are transposed in registers
};

/// Chooses how many work-items run at once: as many as the target's vectors have lanes of the widest varying type, but
/// no more than a row has. Given `evolution`, several vectors for each value if that keeps the processor busy; several
/// rows at once do so as well.
WidthChoice chooseWidth(const llvm::Function& kernel, const LaneShapes& shapes, const SubGroupFlow& flow,
                        const ProcessorModel& cpu, llvm::ScalarEvolution* evolution, const WidthRequest& request);

/// Whether the kernel has no loops but those that `specialise` has added.
bool isRowLoopOnly(const SubGroupFlow& flow);

} // namespace clotho::compiler
