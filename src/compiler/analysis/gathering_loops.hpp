// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"

namespace clotho::compiler {

/// Whether a kernel is better run one work-item at a time: it has a loop that lanes leave in different rounds and that
/// does little but load from where each lane likes. A gather takes the processor longer than the loads that it stands
/// for, and here nothing makes up for that: no branch that a processor would guess wrongly, no load that has to wait
/// for the round before.
bool gathersMoreThanItComputes(const LaneShapes& shapes, const SubGroupFlow& flow, unsigned width);

} // namespace clotho::compiler
