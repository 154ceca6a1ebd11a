// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "precision/division.hpp"
#include "precision/references.hpp"

#include <cmath>

/// Quick tests that decide before the references do, as Function::nearDouble says; NaN where they do not know.
namespace precision {

inline long double nearPower(long double x, long double y) { return std::pow(x, y); }

inline bool canDivide(double x, double y) { return std::isfinite(x) && std::isfinite(y) && y != 0; }
inline long double nearRest(double x, double y) { return canDivide(x, y) ? restOf(x, y) : kNan<double>; }
inline long double nearRemainder(double x, double y) { return canDivide(x, y) ? nearestOf(x, y).rest : kNan<double>; }
inline long double nearQuotient(double x, double y) {
  return canDivide(x, y) ? nearestOf(x, y).quotient : kNan<double>;
}

} // namespace precision
