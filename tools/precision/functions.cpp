// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "precision/functions.hpp"

#include "precision/quick_references.hpp"
#include "precision/references.hpp"

namespace precision {

namespace {

/// One formula, in double for floats and in long double for doubles: T is the function's type, W the wider one.
#define IN_DOUBLE(...)                                                                                                 \
  [](float xs, float ys, float zs, int k) -> double {                                                                  \
    using T [[maybe_unused]] = float;                                                                                  \
    using W [[maybe_unused]] = double;                                                                                 \
    [[maybe_unused]] const W x = xs, y = ys, z = zs;                                                                   \
    static_cast<void>(k);                                                                                              \
    return __VA_ARGS__;                                                                                                \
  }
#define IN_LONG_DOUBLE(...)                                                                                            \
  [](double xs, double ys, double zs, int k) -> long double {                                                          \
    using T [[maybe_unused]] = double;                                                                                 \
    using W [[maybe_unused]] = long double;                                                                            \
    [[maybe_unused]] const W x = xs, y = ys, z = zs;                                                                   \
    static_cast<void>(k);                                                                                              \
    return __VA_ARGS__;                                                                                                \
  }
#define BOTH(...) IN_DOUBLE(__VA_ARGS__), IN_LONG_DOUBLE(__VA_ARGS__)
#define FLOAT_ONLY(...) IN_DOUBLE(__VA_ARGS__), nullptr

using enum Arguments;
using enum Places;
using P = Places;
using R = Relaxed;
using F = Freedom;

constexpr Function kFunctions[] = {
    {"acos", "acos(x)", X, {4, 4}, Any, R::Ulp4096, F::None, BOTH(std::acos(x))},
    {"acosh", "acosh(x)", X, {4, 4}, Any, R::Same, F::None, BOTH(std::acosh(x))},
    {"acospi", "acospi(x)", X, {5, 5}, Any, R::Same, F::None, BOTH(std::acos(x) / kPi<W>)},
    {"asin", "asin(x)", X, {4, 4}, Any, R::Ulp4096, F::None, BOTH(std::asin(x))},
    {"asinh", "asinh(x)", X, {4, 4}, Any, R::Same, F::None, BOTH(std::asinh(x))},
    {"asinpi", "asinpi(x)", X, {5, 5}, Any, R::Same, F::None, BOTH(std::asin(x) / kPi<W>)},
    {"atan", "atan(x)", X, {5, 5}, Any, R::Ulp4096, F::None, BOTH(std::atan(x))},
    {"atanh", "atanh(x)", X, {5, 5}, Any, R::Same, F::None, BOTH(std::atanh(x))},
    {"atanpi", "atanpi(x)", X, {5, 5}, Any, R::Same, F::None, BOTH(std::atan(x) / kPi<W>)},
    {"atan2", "atan2(x, y)", XY, {6, 6}, Near, R::Same, F::None, BOTH(std::atan2(x, y))},
    {"atan2pi", "atan2pi(x, y)", XY, {6, 6}, Near, R::Same, F::None, BOTH(std::atan2(x, y) / kPi<W>)},
    {"cbrt", "cbrt(x)", X, {2, 2}, Any, R::Same, F::None, BOTH(std::cbrt(x))},
    {"ceil", "ceil(x)", X, {0, 0}, Any, R::Same, F::None, BOTH(std::ceil(x))},
    {"copysign", "copysign(x, y)", XY, {0, 0}, Any, R::Same, F::None, BOTH(std::copysign(x, y))},
    {"cos", "cos(x)", X, {4, 4}, Any, R::Angle, F::None, BOTH(std::cos(x))},
    {"cosh", "cosh(x)", X, {4, 4}, Any, R::Same, F::None, BOTH(std::cosh(x))},
    {"cospi", "cospi(x)", X, {4, 4}, Any, R::HalfTurns, F::None, BOTH(cosPi(x))},
    {"erf", "erf(x)", X, {16, 16}, Any, R::Same, F::None, BOTH(std::erf(x))},
    {"erfc", "erfc(x)", X, {16, 16}, Any, R::Same, F::None, BOTH(std::erfc(x))},
    {"exp", "exp(x)", X, {3, 3}, Any, R::Exponent, F::None, BOTH(std::exp(x))},
    {"exp2", "exp2(x)", X, {3, 3}, Any, R::Exponent, F::None, BOTH(std::exp2(x))},
    {"exp10", "exp10(x)", X, {3, 3}, Any, R::Ulp8192, F::None, BOTH(exponential10(x))},
    {"expm1", "expm1(x)", X, {3, 3}, Any, R::Same, F::None, BOTH(std::expm1(x))},
    {"fabs", "fabs(x)", X, {0, 0}, Any, R::Same, F::None, BOTH(std::fabs(x))},
    {"fdim",
     "fdim(x, y)",
     XY,
     {0, 0},
     Near,
     R::Same,
     F::SignOfZero,
     BOTH(x > y    ? W(T(x) - T(y))
          : x <= y ? W(0)
                   : std::fdim(x, y))},
    {"floor", "floor(x)", X, {0, 0}, Any, R::Same, F::None, BOTH(std::floor(x))},
    {"fma", "fma(x, y, z)", XYZ, {0, 0}, Any, R::Same, F::None, BOTH(W(std::fma(T(x), T(y), T(z))))},
    {"fmax", "fmax(x, y)", XY, {0, 0}, Near, R::Same, F::SignOfZero, BOTH(std::fmax(x, y))},
    {"fmin", "fmin(x, y)", XY, {0, 0}, Near, R::Same, F::SignOfZero, BOTH(std::fmin(x, y))},
    {"fmod",
     "fmod(x, y)",
     XY,
     {0, 0},
     Near,
     R::Same,
     F::None,
     BOTH(W(std::fmod(T(x), T(y)))),
     IN_LONG_DOUBLE(nearRest(T(x), T(y)))},
    {"fract", "fract(x, &p)", X, {0, 0}, Any, R::Same, F::None, BOTH(W(fraction(T(x))))},
    {"fract, second", "(fract(x, &p), p)", X, {0, 0}, Any, R::Same, F::None, BOTH(std::floor(x))},
    {"frexp", "frexp(x, &q)", X, {0, 0}, Any, R::Same, F::None, BOTH(mantissa(x))},
    {"frexp, second", "(frexp(x, &q), (T)q)", X, {0, 0}, Any, R::Same, F::None, BOTH(exponent(x))},
    {"hypot", "hypot(x, y)", XY, {4, 4}, Near, R::Same, F::None, BOTH(std::hypot(x, y))},
    {"ilogb", "(T)ilogb(x)", X, {0, 0}, Any, R::Same, F::None, BOTH(W(T(intExponent(x))))},
    {"ldexp", "ldexp(x, k)", XK, {0, 0}, Scale, R::Same, F::None, BOTH(W(std::ldexp(T(x), k)))},
    {"lgamma", "lgamma(x)", X, {kNoLimit, kNoLimit}, Any, R::Same, F::None, BOTH(logGamma(x))},
    {"lgamma_r", "lgamma_r(x, &q)", X, {kNoLimit, kNoLimit}, Any, R::Same, F::None, BOTH(logGamma(x))},
    {"lgamma_r, second",
     "(lgamma_r(x, &q), isnan(x) || x == -INFINITY ? 0 : (T)q)",
     X,
     {0, 0},
     Any,
     R::Same,
     F::None,
     BOTH(signOfGamma(x))},
    {"log", "log(x)", X, {3, 3}, Any, R::Logarithm, F::None, BOTH(std::log(x))},
    {"log2", "log2(x)", X, {3, 3}, Any, R::Logarithm, F::None, BOTH(std::log2(x))},
    {"log10", "log10(x)", X, {3, 3}, Any, R::Logarithm, F::None, BOTH(std::log10(x))},
    {"log1p", "log1p(x)", X, {2, 2}, Any, R::Same, F::None, BOTH(std::log1p(x))},
    {"logb", "logb(x)", X, {0, 0}, Any, R::Same, F::None, BOTH(std::logb(x))},
    {"mad", "mad(x, y, z)", XYZ, {kNoLimit, kNoLimit}, Any, R::Same, F::None, BOTH(W(std::fma(T(x), T(y), T(z))))},
    {"maxmag", "maxmag(x, y)", XY, {0, 0}, Near, R::Same, F::SignOfZero, BOTH(largerMagnitude(x, y))},
    {"minmag", "minmag(x, y)", XY, {0, 0}, Near, R::Same, F::SignOfZero, BOTH(smallerMagnitude(x, y))},
    {"modf", "modf(x, &p)", X, {0, 0}, Any, R::Same, F::None, BOTH(fractionTowardsZero(x))},
    {"modf, second", "(modf(x, &p), p)", X, {0, 0}, Any, R::Same, F::None, BOTH(std::trunc(x))},
    {"nextafter", "nextafter(x, y)", XY, {0, 0}, Near, R::Same, F::None, BOTH(W(std::nextafter(T(x), T(y))))},
    {"pow", "pow(x, y)", XY, {16, 16}, Power, R::Ulp8192, F::None, BOTH(power(x, y)), IN_LONG_DOUBLE(nearPower(x, y))},
    {"pown",
     "pown(x, k)",
     XK,
     {16, 16},
     Power,
     R::Ulp8192,
     F::None,
     BOTH(power(x, W(k))),
     IN_LONG_DOUBLE(nearPower(x, W(k)))},
    {"powr",
     "powr(x, y)",
     XY,
     {16, 16},
     Power,
     R::Ulp8192,
     F::None,
     BOTH(powerOfPositive(x, y)),
     IN_LONG_DOUBLE(powerOfPositive(x, y, nearPower))},
    {"remainder",
     "remainder(x, y)",
     XY,
     {0, 0},
     Near,
     R::Same,
     F::None,
     BOTH(W(std::remainder(T(x), T(y)))),
     IN_LONG_DOUBLE(nearRemainder(T(x), T(y)))},
    {"remquo",
     "remquo(x, y, &q)",
     XY,
     {0, 0},
     Near,
     R::Same,
     F::None,
     BOTH(W(std::remainder(T(x), T(y)))),
     IN_LONG_DOUBLE(nearRemainder(T(x), T(y)))},
    {"remquo, second",
     "(remquo(x, y, &q), (T)q)",
     XY,
     {0, 0},
     Near,
     R::Same,
     F::SignOfZero,
     BOTH(lowBitsOfQuotient(T(x), T(y))),
     IN_LONG_DOUBLE(nearQuotient(T(x), T(y)))},
    {"rint", "rint(x)", X, {0, 0}, Any, R::Same, F::None, BOTH(std::rint(x))},
    {"rootn",
     "rootn(x, k)",
     XK,
     {16, 16},
     P::Root,
     R::Ulp8192,
     F::None,
     BOTH(root(x, k)),
     IN_LONG_DOUBLE(root(x, k, nearPower))},
    {"round", "round(x)", X, {0, 0}, Any, R::Same, F::None, BOTH(std::round(x))},
    {"rsqrt", "rsqrt(x)", X, {2, 2}, Any, R::Same, F::None, BOTH(1 / std::sqrt(x))},
    {"sin", "sin(x)", X, {4, 4}, Any, R::Angle, F::None, BOTH(std::sin(x))},
    {"sincos", "sincos(x, &p)", X, {4, 4}, Any, R::Angle, F::None, BOTH(std::sin(x))},
    {"sincos, second", "(sincos(x, &p), p)", X, {4, 4}, Any, R::Angle, F::None, BOTH(std::cos(x))},
    {"sinh", "sinh(x)", X, {4, 4}, Any, R::Same, F::None, BOTH(std::sinh(x))},
    {"sinpi", "sinpi(x)", X, {4, 4}, Any, R::HalfTurns, F::None, BOTH(sinPi(x))},
    {"sqrt", "sqrt(x)", X, {3, 0}, Any, R::Same, F::None, BOTH(exactForDouble(std::sqrt(T(x)), std::sqrt(x)))},
    {"tan", "tan(x)", X, {5, 5}, Any, R::Ulp8192, F::None, BOTH(std::tan(x))},
    {"tanh", "tanh(x)", X, {5, 5}, Any, R::Same, F::None, BOTH(std::tanh(x))},
    {"tanpi", "tanpi(x)", X, {6, 6}, Any, R::Same, F::None, BOTH(tanPi(x))},
    {"tgamma", "tgamma(x)", X, {16, 16}, Any, R::Same, F::None, BOTH(gammaFunction(x))},
    {"trunc", "trunc(x)", X, {0, 0}, Any, R::Same, F::None, BOTH(std::trunc(x))},
    {"x + y", "x + y", XY, {0, 0}, Near, R::Same, F::None, BOTH(W(T(x) + T(y)))},
    {"x - y", "x - y", XY, {0, 0}, Near, R::Same, F::None, BOTH(W(T(x) - T(y)))},
    {"x * y", "x * y", XY, {0, 0}, Any, R::Same, F::None, BOTH(W(T(x) * T(y)))},
    {"x / y", "x / y", XY, {2.5, 0}, Near, R::Quotient, F::None, BOTH(exactForDouble(T(x) / T(y), x / y))},
    {"1 / x", "1 / x", X, {2.5, 0}, Any, R::Quotient, F::None, BOTH(exactForDouble(T(1) / T(x), 1 / x))},

    {"half_cos", "half_cos(x)", X, {8192, 0}, Any, R::Same, F::SmallAngles, FLOAT_ONLY(std::cos(x))},
    {"half_divide", "half_divide(x, y)", XY, {8192, 0}, Near, R::Same, F::None, FLOAT_ONLY(x / y)},
    {"half_exp", "half_exp(x)", X, {8192, 0}, Any, R::Same, F::None, FLOAT_ONLY(std::exp(x))},
    {"half_exp2", "half_exp2(x)", X, {8192, 0}, Any, R::Same, F::None, FLOAT_ONLY(std::exp2(x))},
    {"half_exp10", "half_exp10(x)", X, {8192, 0}, Any, R::Same, F::None, FLOAT_ONLY(exponential10(x))},
    {"half_log", "half_log(x)", X, {8192, 0}, Any, R::Same, F::None, FLOAT_ONLY(std::log(x))},
    {"half_log2", "half_log2(x)", X, {8192, 0}, Any, R::Same, F::None, FLOAT_ONLY(std::log2(x))},
    {"half_log10", "half_log10(x)", X, {8192, 0}, Any, R::Same, F::None, FLOAT_ONLY(std::log10(x))},
    {"half_powr", "half_powr(x, y)", XY, {8192, 0}, Power, R::Same, F::None, FLOAT_ONLY(powerOfPositive(x, y))},
    {"half_recip", "half_recip(x)", X, {8192, 0}, Any, R::Same, F::None, FLOAT_ONLY(1 / x)},
    {"half_rsqrt", "half_rsqrt(x)", X, {8192, 0}, Any, R::Same, F::None, FLOAT_ONLY(1 / std::sqrt(x))},
    {"half_sin", "half_sin(x)", X, {8192, 0}, Any, R::Same, F::SmallAngles, FLOAT_ONLY(std::sin(x))},
    {"half_sqrt", "half_sqrt(x)", X, {8192, 0}, Any, R::Same, F::None, FLOAT_ONLY(std::sqrt(x))},
    {"half_tan", "half_tan(x)", X, {8192, 0}, Any, R::Same, F::SmallAngles, FLOAT_ONLY(std::tan(x))},

    {"native_cos", "native_cos(x)", X, {kNoLimit, 0}, Any, R::Same, F::SmallAngles, FLOAT_ONLY(std::cos(x))},
    {"native_divide", "native_divide(x, y)", XY, {kNoLimit, 0}, Near, R::Same, F::None, FLOAT_ONLY(x / y)},
    {"native_exp", "native_exp(x)", X, {kNoLimit, 0}, Any, R::Same, F::None, FLOAT_ONLY(std::exp(x))},
    {"native_exp2", "native_exp2(x)", X, {kNoLimit, 0}, Any, R::Same, F::None, FLOAT_ONLY(std::exp2(x))},
    {"native_exp10", "native_exp10(x)", X, {kNoLimit, 0}, Any, R::Same, F::None, FLOAT_ONLY(exponential10(x))},
    {"native_log", "native_log(x)", X, {kNoLimit, 0}, Any, R::Same, F::None, FLOAT_ONLY(std::log(x))},
    {"native_log2", "native_log2(x)", X, {kNoLimit, 0}, Any, R::Same, F::None, FLOAT_ONLY(std::log2(x))},
    {"native_log10", "native_log10(x)", X, {kNoLimit, 0}, Any, R::Same, F::None, FLOAT_ONLY(std::log10(x))},
    {"native_powr", "native_powr(x, y)", XY, {kNoLimit, 0}, Power, R::Same, F::None, FLOAT_ONLY(powerOfPositive(x, y))},
    {"native_recip", "native_recip(x)", X, {kNoLimit, 0}, Any, R::Same, F::None, FLOAT_ONLY(1 / x)},
    {"native_rsqrt", "native_rsqrt(x)", X, {kNoLimit, 0}, Any, R::Same, F::None, FLOAT_ONLY(1 / std::sqrt(x))},
    {"native_sin", "native_sin(x)", X, {kNoLimit, 0}, Any, R::Same, F::SmallAngles, FLOAT_ONLY(std::sin(x))},
    {"native_sqrt", "native_sqrt(x)", X, {kNoLimit, 0}, Any, R::Same, F::None, FLOAT_ONLY(std::sqrt(x))},
    {"native_tan", "native_tan(x)", X, {kNoLimit, 0}, Any, R::Same, F::SmallAngles, FLOAT_ONLY(std::tan(x))},
};

} // namespace

std::span<const Function> functions() { return kFunctions; }

} // namespace precision
