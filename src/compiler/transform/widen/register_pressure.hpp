// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"

namespace llvm {
class LoopInfo;
} // namespace llvm

namespace clotho::compiler {

/// What is live at once, at most, of what differs from lane to lane: bits for each lane. Each element of a short vector
/// lives for itself, as it has a register of its own in the widened kernel. What only puts elements in another order
/// takes no register, nor do elements that are not read, nor what is read from memory where it is used.
unsigned mostLive(const llvm::Function& kernel, const LaneShapes& shapes);

/// How many registers operands of arithmetic take that all lanes share: one for each that stays, and as many as are
/// live at once of those that a loop of the kernel makes anew. Integers count only where sums and products take them,
/// since most are parts of addresses.
unsigned sharedOperands(const llvm::Function& kernel, const LaneShapes& shapes, const llvm::LoopInfo& loops);

} // namespace clotho::compiler
