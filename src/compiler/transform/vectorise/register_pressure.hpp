// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"

namespace clotho::compiler {

/// What is live at once, at most, of what differs from lane to lane: bits for each lane. Each element of a short vector
/// lives for itself, as it has a register of its own in the widened kernel: what only puts elements in another order
/// takes none, nor do elements that nobody reads, nor what is read from memory where it is used.
unsigned mostLive(const llvm::Function& kernel, const LaneShapes& shapes);

/// How many values that all lanes share arithmetic takes, each of which is in a register of its own where several
/// instructions take it: not counting integers, most of which are addresses.
unsigned sharedOperands(const llvm::Function& kernel, const LaneShapes& shapes);

} // namespace clotho::compiler
