// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"

namespace clotho::compiler {

/// Where lanes part by a comparison of places (`x + i < w`), though most sub-groups do not, a copy of the block that
/// accesses rows of short vectors is for those whose live lanes all go there: what is in it needs no mask then, which
/// for vectors would be made of the lanes'. The others go on as before. Needs: the form that SubGroupFlow needs. Gives:
/// a function in no particular form, with reductions of sub-groups. Returns whether anything changed.
bool agreeOnBranches(llvm::Function& function, const LaneShapes& shapes, const SubGroupFlow& flow);

} // namespace clotho::compiler
