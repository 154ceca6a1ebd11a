// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/small_ranges.hpp"

namespace clotho::compiler {

/// Sums and products of floats that are converted integers become integers, converted once; see NarrowArithmeticPass.
/// True when something changed.
bool sumAsIntegers(llvm::Function& function, SmallRanges& ranges);

} // namespace clotho::compiler
