// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"

namespace clotho::compiler {

/// Uniform versioning of single branches. A comparison of positions (`x + i < w`) is formally divergent but uniform in
/// most sub-groups. If the guarded block accesses short vectors, whose elements need a mask expanded from the lanes', a
/// copy of the block runs for sub-groups whose active lanes all reach it, without masks of its own. Other sub-groups
/// run as before.
/// Needs: the form that SubGroupFlow needs.  Gives: a function in no particular form, with reductions of sub-groups.
/// Returns whether anything changed.
bool versionBranches(llvm::Function& function, const LaneShapes& shapes, const SubGroupFlow& flow);

} // namespace clotho::compiler
