// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/small_ranges.hpp"

namespace clotho::compiler {

/// Turns sums and products of floats that were converted from integers into integer arithmetic with one conversion; see
/// NarrowArithmeticPass. Returns whether something changed.
bool sumAsIntegers(llvm::Function& function, SmallRanges& ranges);

} // namespace clotho::compiler
