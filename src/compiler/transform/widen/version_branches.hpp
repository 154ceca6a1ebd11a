// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"

namespace clotho::compiler {

/// Uniform versioning of single branches: where a comparison of places (`x + i < w`) is divergent, though in most
/// sub-groups it is not, and the block behind it accesses rows of short vectors, whose elements need a mask that is
/// made of the lanes', a copy of the block runs for sub-groups whose live lanes all come to it. All lanes that were
/// live are live there, so that nothing is masked. Other sub-groups go on as before. Needs: the form that SubGroupFlow
/// needs. Gives: a function in no particular form, with reductions of sub-groups. Returns whether anything changed.
bool versionBranches(llvm::Function& function, const LaneShapes& shapes, const SubGroupFlow& flow);

} // namespace clotho::compiler
