// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/barrier_regions.hpp"
#include "compiler/analysis/work_item_uniformity.hpp"

namespace clotho::compiler {

/// The branch at which a region should end as well: all work-items pass it exactly once, they agree there, and it
/// chooses between different ways out. Null if there is none.
llvm::BasicBlock* findUniformDecision(const BarrierRegion& region, const BarrierRegions& all,
                                      const WorkItemUniformity& uniformity);

/// Whether a branch on which work-items differ decides between a return and going on. If the paths from a branch
/// meet again before they leave the region, then it does not: what follows is one decision for all.
bool itemsMayPart(const BarrierRegion& region, const BarrierRegions& all, const WorkItemUniformity& uniformity);

} // namespace clotho::compiler
