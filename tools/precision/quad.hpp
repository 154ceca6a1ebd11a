// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "precision/functions.hpp"
#include "precision/sweep.hpp"
#include "precision/values.hpp"

#include <optional>

namespace precision {

/// How many units in the last place a double result is off, by a reference of 113 bits. The one of 64 bits finds what
/// may be the worst, within some thousandths of a unit; this says what it is. Nothing where that reference is exact, or
/// where result or reference is no number or zero.
std::optional<double> errorInQuad(const Function& function, const Values<double>& values, double got);

/// Puts that error into a result.
void confirm(const Function& function, Result& result);

} // namespace precision
