// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"

namespace llvm {
class LoopInfo;
} // namespace llvm

namespace clotho::compiler {

/// Maximum number of bits of varying values that are live at once, for each lane. Each element of a short vector counts
/// by itself, since it has a register of its own in the widened kernel. Rearrangements of elements, unused elements and
/// loads that fold into their user take no register.
unsigned mostLive(const llvm::Function& kernel, const LaneShapes& shapes);

/// Number of registers for uniform operands of arithmetic: one for each loop-invariant operand, and as many as are live
/// at once among those recomputed in loops of the kernel. Integers count only as operands of sums and products, since
/// most are parts of addresses.
unsigned sharedOperands(const llvm::Function& kernel, const LaneShapes& shapes, const llvm::LoopInfo& loops);

} // namespace clotho::compiler
