// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"
#include "compiler/compiler.hpp"
#include "compiler/transform/widen/vectorise_kernels.hpp"

namespace llvm {
class ScalarEvolution;
}

namespace clotho::compiler {

/// Gathers, and what runs a lane at a time, are for no more lanes than there are of 32 bits.
constexpr unsigned kUsualBits = 32;

/// The most lanes that are chosen where operations do not wait for each other. Where they do, kMostLanes are: sixteen
/// vectors of float.
constexpr unsigned kMostUsualLanes = 64;

struct WidthChoice {
  unsigned width = 1;
  unsigned shortRows = 1;        ///< for rows that are no multiple of the width
  bool fitsRequiredSize = false; ///< the kernel says its local size, whose rows are a multiple of the width
  unsigned registers = 0;        ///< what is live at once, at most; only with `evolution`
};

/// How many work-items of the kernel to run at once: as many as the target's vectors hold of the widest type that
/// differs from lane to lane, but no more than its rows are long. Given `evolution`, several vectors for each value
/// where that keeps the processor busy, which several rows at once do as well. `hasEdges`: lanes part at both ends of
/// each row, where few lanes go together. `mergesRows`: what several rows access is transposed in registers.
WidthChoice chooseWidth(const llvm::Function& kernel, const LaneShapes& shapes, const SubGroupFlow& flow,
                        const VectoriseOptions& options, llvm::ScalarEvolution* evolution, unsigned rows = 1,
                        bool hasEdges = false, bool mergesRows = false);

/// The loops that `specialise` has put around the kernel are all that there are.
bool isRowLoopOnly(const SubGroupFlow& flow);

} // namespace clotho::compiler
