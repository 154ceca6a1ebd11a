// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/barrier_regions.hpp"
#include "compiler/analysis/work_item_uniformity.hpp"

namespace clotho::compiler {

/// A uniform branch at which the region should also end: all work-items pass it exactly once, and it chooses between
/// different ends. Null if there is none.
llvm::BasicBlock* findUniformDecision(const BarrierRegion& region, const BarrierRegions& all,
                                      const WorkItemUniformity& uniformity);

/// Whether a divergent branch decides between returning and going on. A branch whose paths meet again before they leave
/// the region does not.
bool itemsMayPart(const BarrierRegion& region, const BarrierRegions& all, const WorkItemUniformity& uniformity);

} // namespace clotho::compiler
