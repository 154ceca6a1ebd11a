// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string_view>

namespace precision {

/// Arguments of a function; k is an int, the others are of the function's type.
enum class Arguments { X, XY, XYZ, XK };

/// Pairs of arguments that matter most, besides special values and random bits.
enum class Places {
  Any,
  Power, ///< where x^y is a finite number, and where it is just below a power of two near an end of the range
  Root,  ///< small k
  Near,  ///< of nearly the same magnitude
  Scale, ///< k such that x * 2^k is a finite number
};

/// Errors that -cl-unsafe-math-optimizations allows (OpenCL C 3.0, section "Relative Error as ULPs").
enum class Relaxed {
  Same, ///< as without the option
  Ulp4096,
  Ulp8192,
  Angle,     ///< absolute error 2^-11 on [-pi, pi]
  HalfTurns, ///< the same on [-1, 1]
  Exponent,  ///< 3 + floor(|2 x|)
  Logarithm, ///< absolute error 2^-21 on [0.5, 2], 3 elsewhere
  Quotient,  ///< 2.5 where numbers and result are neither tiny nor huge
};

/// Differences from the reference that are not wrong.
enum class Freedom {
  None,
  SignOfZero,  ///< results of 0 may have either sign
  SmallAngles, ///< half_ functions of angles: arguments from -2^16 to 2^16
};

constexpr double kNoLimit = -1; ///< the precision is the implementation's choice

/// One function or one result of a function. The references compute in a type with far more bits than the result.
struct Function {
  std::string_view name;
  std::string_view expression; ///< in OpenCL C, of x, y, z and k; the type is T
  Arguments arguments;
  double limits[2]; ///< in ulp, for float and for double; 0 for what must be exact
  Places places = Places::Any;
  Relaxed relaxed = Relaxed::Same;
  Freedom freedom = Freedom::None;
  double (*forFloat)(float x, float y, float z, int k) = nullptr;
  long double (*forDouble)(double x, double y, double z, int k) = nullptr; ///< null: there is no such function
  /// Much faster than forDouble, where there is one: normal numbers are within 16 units of long double,
  /// and exact where the limit is 0.
  long double (*nearDouble)(double x, double y, double z, int k) = nullptr;
};

std::span<const Function> functions();

} // namespace precision
