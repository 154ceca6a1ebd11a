// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each instruction set: PRECISION_SET is its namespace and the end of SLEEF's names, PRECISION_LANES
// its number of doubles. Loops over single elements are written for the compiler to vectorise.
#include "precision/peers.hpp"

#include "precision/division.hpp"
#include "precision/lanes.hpp"

#include <dlfcn.h>

namespace precision::PRECISION_SET {

namespace {

using V = double __attribute__((vector_size(8 * PRECISION_LANES)));
using Narrow = float __attribute__((vector_size(4 * PRECISION_LANES)));

// A function within 3.5 units of double will do, if there is one.
#define ONE_ARGUMENT(F)                                                                                                \
  F(acos, u35);                                                                                                        \
  F(asin, u35);                                                                                                        \
  F(atan, u35);                                                                                                        \
  F(cbrt, u35);                                                                                                        \
  F(cos, u35);                                                                                                         \
  F(cosh, u35);                                                                                                        \
  F(erf, u10);                                                                                                         \
  F(erfc, u15);                                                                                                        \
  F(exp, u10);                                                                                                         \
  F(exp2, u35);                                                                                                        \
  F(exp10, u35);                                                                                                       \
  F(expm1, u10);                                                                                                       \
  F(lgamma, u10);                                                                                                      \
  F(log, u35);                                                                                                         \
  F(log2, u35);                                                                                                        \
  F(log10, u10);                                                                                                       \
  F(log1p, u10);                                                                                                       \
  F(sin, u35);                                                                                                         \
  F(sinh, u35);                                                                                                        \
  F(tan, u35);                                                                                                         \
  F(tanh, u35);                                                                                                        \
  F(tgamma, u10)
#define TWO_ARGUMENTS(F)                                                                                               \
  F(atan2, u35);                                                                                                       \
  F(hypot, u35);                                                                                                       \
  F(pow, u10)

constexpr double kPi = 3.14159265358979323846;

struct Sleef {
#define MEMBER(name, precision) V (*name)(V) = nullptr
  ONE_ARGUMENT(MEMBER);
#undef MEMBER
#define MEMBER(name, precision) V (*name)(V, V) = nullptr
  TWO_ARGUMENTS(MEMBER);
#undef MEMBER
};
Sleef sleef;

#define TEXT_OF(text) #text
#define TEXT(text) TEXT_OF(text)

template <class F> bool find(void* library, const char* name, F*& function) {
  function = reinterpret_cast<F*>(dlsym(library, name));
  return function != nullptr;
}

bool findAll(void* library) {
  bool found = true;
#define FIND(name, precision)                                                                                          \
  found &= find(library, "Sleef_" #name "d" TEXT(PRECISION_LANES) "_" #precision TEXT(PRECISION_SUFFIX), sleef.name)
  ONE_ARGUMENT(FIND);
  TWO_ARGUMENTS(FIND);
#undef FIND
  return found;
}

V load(const float* x) {
  Narrow narrow;
  __builtin_memcpy(&narrow, x, sizeof narrow);
  return __builtin_convertvector(narrow, V);
}

V load(const double* x) {
  V v;
  __builtin_memcpy(&v, x, sizeof v);
  return v;
}

void store(double* out, V v) { __builtin_memcpy(out, &v, sizeof v); }

/// A function of SLEEF on a block.
template <class T> void apply(V (*function)(V), const T* x, double* out) {
  for (std::size_t i = 0; i < kBlock; i += PRECISION_LANES)
    store(out + i, function(load(x + i)));
}

template <class T, class U> void apply(V (*function)(V, V), const T* x, const U* y, double* out) {
  for (std::size_t i = 0; i < kBlock; i += PRECISION_LANES)
    store(out + i, function(load(x + i), load(y + i)));
}

#define SLEEF(name) [](const Block& b, double* out) { apply(sleef.name, b.x, out); }
/// SLEEF's function, and then `expression` of its result d, of the argument x, or of both.
#define SLEEF_THEN(name, expression)                                                                                   \
  [](const Block& b, double* out) {                                                                                    \
    apply(sleef.name, b.x, out);                                                                                       \
    each([=](std::size_t i) {                                                                                          \
      [[maybe_unused]] const double x = b.x[i], d = out[i];                                                            \
      out[i] = expression;                                                                                             \
    });                                                                                                                \
  }
#define OF_X(expression)                                                                                               \
  [](const Block& b, double* out) {                                                                                    \
    each([=](std::size_t i) {                                                                                          \
      const float x = b.x[i];                                                                                          \
      out[i] = static_cast<double>(expression);                                                                        \
    });                                                                                                                \
  }
#define OF_XY(expression)                                                                                              \
  [](const Block& b, double* out) {                                                                                    \
    each([=](std::size_t i) {                                                                                          \
      const float x = b.x[i], y = b.y[i];                                                                              \
      out[i] = static_cast<double>(expression);                                                                        \
    });                                                                                                                \
  }
#define OF_XYZ(expression)                                                                                             \
  [](const Block& b, double* out) {                                                                                    \
    each([=](std::size_t i) {                                                                                          \
      const float x = b.x[i], y = b.y[i], z = b.z[i];                                                                  \
      out[i] = static_cast<double>(expression);                                                                        \
    });                                                                                                                \
  }
#define OF_XK(expression)                                                                                              \
  [](const Block& b, double* out) {                                                                                    \
    each([=](std::size_t i) {                                                                                          \
      const float x = b.x[i];                                                                                          \
      const int k = b.k[i];                                                                                            \
      out[i] = static_cast<double>(expression);                                                                        \
    });                                                                                                                \
  }

enum class Place { Between, AllAbove, AllBelow, AllSmall };

/// Whether all of a block are above or below, or are so small that nothing but 1/x counts.
Place placeOf(const float* x, float below, float above) {
  bool isAbove = true, isBelow = true, isSmall = true;
  for (std::size_t i = 0; i < kBlock; ++i) {
    isAbove = all(isAbove, x[i] > above);
    isBelow = all(isBelow, x[i] < below);
    isSmall = all(isSmall, all(magnitude(x[i]) < 0x1p-60F, x[i] != 0));
  }
  return isAbove ? Place::AllAbove : isBelow ? Place::AllBelow : isSmall ? Place::AllSmall : Place::Between;
}

void gamma(const Block& b, double* out) {
  const Place place = placeOf(b.x, -180, 180);
  if (place == Place::AllAbove) return each([=](std::size_t i) { out[i] = isFinite(b.x[i]) ? kInfinity : kUnknown; });
  if (place == Place::AllSmall) return each([=](std::size_t i) { out[i] = 1.0 / b.x[i]; });
  if (place == Place::Between) apply(sleef.tgamma, b.x, out);
  each([=](std::size_t i) {
    const float x = b.x[i];
    const double below = x == __builtin_floorf(x) ? kUnknown : vanishingGamma(x);
    out[i] = x <= -180 ? below : out[i];
  });
}

/// SLEEF's error for negative numbers has an absolute limit, 10^-15, but no limit as a share of the result.
void logGamma(const Block& b, double* out) {
  const Place place = placeOf(b.x, -0x1p23F, 0x1p60F);
  if (place == Place::AllBelow) return each([=](std::size_t i) { out[i] = kInfinity; });
  if (place == Place::Between) {
    apply(sleef.lgamma, b.x, out);
    return each([=](std::size_t i) {
      const double x = b.x[i], d = out[i];
      out[i] = x <= -0x1p23 ? kInfinity : x < 0 && __builtin_fabs(d) < 0.0625 ? kUnknown : d;
    });
  }
  alignas(64) double magnitudes[kBlock];
  each([&](std::size_t i) { magnitudes[i] = magnitude(b.x[i]); });
  apply(sleef.log, magnitudes, out);
  each([&](std::size_t i) {
    const double large = isFinite(b.x[i]) ? magnitudes[i] * (out[i] - 1) : kUnknown;
    out[i] = place == Place::AllSmall ? -out[i] : large;
  });
}

/// asinh, acosh and atanh by log1p: SLEEF's own are made for doubles. What is added and divided here has no
/// cancellation.
template <class F> void byLogarithm(const Block& b, double* out, F&& argument) {
  alignas(64) double arguments[kBlock];
  each([&](std::size_t i) { arguments[i] = argument(static_cast<double>(magnitude(b.x[i]))); });
  apply(sleef.log1p, arguments, out);
}

void areaSine(const Block& b, double* out) {
  byLogarithm(b, out, [](double x) { return x + x * x / (1 + __builtin_sqrt(x * x + 1)); });
  each([=](std::size_t i) { out[i] = __builtin_copysign(out[i], static_cast<double>(b.x[i])); });
}

void areaCosine(const Block& b, double* out) {
  byLogarithm(b, out, [](double x) { return x - 1 + __builtin_sqrt((x - 1) * (x + 1)); });
  each([=](std::size_t i) { out[i] = b.x[i] >= 1 ? out[i] : kUnknown; });
}

void areaTangent(const Block& b, double* out) {
  byLogarithm(b, out, [](double x) { return 2 * x / (1 - x); });
  each([=](std::size_t i) { out[i] = __builtin_copysign(0.5 * out[i], static_cast<double>(b.x[i])); });
}

/// x less the nearest even number: exact, and all that functions of x times pi need.
double withoutTurns(double x) { return x - 2 * __builtin_rint(x * 0.5); }

/// A function of SLEEF of pi times what `fold` makes of x, which is at most 1/2.
template <class F> void ofAngle(V (*function)(V), const Block& b, double* out, F&& fold) {
  alignas(64) double angles[kBlock];
  each([&](std::size_t i) { angles[i] = kPi * fold(withoutTurns(b.x[i])); });
  apply(function, angles, out);
}

void sinPi(const Block& b, double* out) {
  ofAngle(sleef.sin, b, out, [](double turns) {
    const double a = __builtin_fabs(turns);
    return __builtin_copysign(a > 0.5 ? 1 - a : a, turns);
  });
  each([=](std::size_t i) {
    const double x = b.x[i];
    out[i] = all(x == __builtin_rint(x), isFinite(b.x[i])) ? __builtin_copysign(0.0, x) : out[i];
  });
}

void cosPi(const Block& b, double* out) {
  ofAngle(sleef.sin, b, out, [](double turns) { return 0.5 - __builtin_fabs(turns); });
  each([=](std::size_t i) { out[i] = __builtin_fabs(withoutTurns(b.x[i])) == 0.5 ? 0.0 : out[i]; });
}

/// By the reciprocal where that is smaller.
void tanPi(const Block& b, double* out) {
  const auto isSteep = [](double turns) { return __builtin_fabs(turns - __builtin_rint(turns)) > 0.25; };
  ofAngle(sleef.tan, b, out, [=](double turns) {
    const double r = turns - __builtin_rint(turns);
    return isSteep(turns) ? __builtin_copysign(0.5, r) - r : r;
  });
  each([=](std::size_t i) {
    const double x = b.x[i], turns = withoutTurns(x), size = __builtin_fabs(turns);
    const double zero = __builtin_copysign(0.0, turns == 0 ? x : -x);
    const double number = size == 0.5 ? kUnknown : isSteep(turns) ? 1 / out[i] : out[i];
    out[i] = any(turns == 0, size == 1) ? zero : number;
  });
}

/// fmod and its like of numbers.
template <class F> void dividing(const Block& b, double* out, F&& function) {
  for (std::size_t i = 0; i < kBlock; ++i)
    out[i] = isFinite(b.x[i]) && isFinite(b.y[i]) && b.y[i] != 0 ? function(b.x[i], b.y[i]) : kUnknown;
}

/// Powers of x by y, where that is a matter of numbers alone.
void power(const Block& b, double* out) {
  apply(sleef.pow, b.x, b.y, out);
  each([=](std::size_t i) { out[i] = isFinite(b.x[i]) && isFinite(b.y[i]) && b.x[i] != 0 ? out[i] : kUnknown; });
}

void powerOfPositive(const Block& b, double* out) {
  apply(sleef.pow, b.x, b.y, out);
  each([=](std::size_t i) { out[i] = isFinite(b.x[i]) && isFinite(b.y[i]) && b.x[i] > 0 ? out[i] : kUnknown; });
}

void powerOfInt(const Block& b, double* out) {
  alignas(64) double exponents[kBlock];
  each([&](std::size_t i) { exponents[i] = b.k[i]; });
  apply(sleef.pow, b.x, exponents, out);
  each([=](std::size_t i) { out[i] = isFinite(b.x[i]) && b.x[i] != 0 ? out[i] : kUnknown; });
}

/// 1/k is rounded by 2^-53 of it at most, which adds |log x| times as much to the error: no more than 2^-46.
void root(const Block& b, double* out) {
  alignas(64) double inverses[kBlock], magnitudes[kBlock];
  each([&](std::size_t i) {
    inverses[i] = 1.0 / b.k[i];
    magnitudes[i] = __builtin_fabs(static_cast<double>(b.x[i]));
  });
  apply(sleef.pow, magnitudes, inverses, out);
  each([=](std::size_t i) {
    const bool odd = (b.k[i] & 1) != 0, real = b.x[i] > 0 || odd;
    const bool number = isFinite(b.x[i]) && b.x[i] != 0 && b.k[i] != 0;
    out[i] = number && real ? __builtin_copysign(out[i], static_cast<double>(b.x[i])) : kUnknown;
  });
}

template <V (*Sleef::*function)(V, V)> void ofNumbers(const Block& b, double* out) {
  apply(sleef.*function, b.x, b.y, out);
  each([=](std::size_t i) {
    const bool known = isFinite(b.x[i]) && isFinite(b.y[i]) && b.x[i] != 0 && b.y[i] != 0;
    out[i] = known ? out[i] : kUnknown;
  });
}

constexpr Peer kPeers[] = {
    {"acos", SLEEF(acos), false, false, -1, 1},
    {"acosh", areaCosine, false, false, 1},
    {"acospi", SLEEF_THEN(acos, d / kPi), false, false, -1, 1},
    {"asin", SLEEF(asin), false, false, -1, 1},
    {"asinh", areaSine},
    {"asinpi", SLEEF_THEN(asin, d / kPi), false, false, -1, 1},
    {"atan", SLEEF(atan)},
    {"atanh", areaTangent, false, false, -1, 1},
    {"atanpi", SLEEF_THEN(atan, d / kPi)},
    {"atan2", ofNumbers<&Sleef::atan2>},
    {"atan2pi",
     [](const Block& b, double* out) {
       ofNumbers<&Sleef::atan2>(b, out);
       each([=](std::size_t i) { out[i] /= kPi; });
     }},
    {"cbrt", SLEEF(cbrt)},
    {"ceil", OF_X(__builtin_ceilf(x)), true, true},
    {"copysign", OF_XY(__builtin_copysignf(x, y)), true, true},
    {"cos", SLEEF(cos)},
    {"cosh", SLEEF(cosh)},
    {"cospi", cosPi, false, true},
    {"erf", SLEEF(erf)},
    {"erfc", SLEEF(erfc), false, true},
    {"exp", SLEEF(exp), false, true},
    {"exp2", SLEEF(exp2), false, true},
    {"exp10", SLEEF(exp10), false, true},
    {"expm1", SLEEF(expm1)},
    {"fabs", OF_X(__builtin_fabsf(x)), true, true},
    {"fdim",
     OF_XY(x > y    ? x - y
           : x <= y ? 0.0F
                    : kUnknownFloat),
     true, true},
    {"floor", OF_X(__builtin_floorf(x)), true, true},
    {"fma", OF_XYZ(__builtin_fmaf(x, y, z)), true, true},
    {"fmax", OF_XY(x < y || x != x ? y : x), true},
    {"fmin", OF_XY(y < x || x != x ? y : x), true},
    {"fmod", [](const Block& b, double* out) { dividing(b, out, [](float x, float y) { return restOf(x, y); }); }, true,
     true},
    {"fract", OF_X(isFinite(x) && x != 0 ? least(x - __builtin_floorf(x), 0x1.fffffep-1F) : kUnknownFloat), true, true},
    {"fract, second", OF_X(__builtin_floorf(x)), true, true},
    {"frexp", OF_X(isFinite(x) && x != 0 ? mantissa(x) : kUnknown), true},
    {"frexp, second", OF_X(isFinite(x) && x != 0 ? exponent(x) + 1 : kUnknown), true, true},
    {"hypot", ofNumbers<&Sleef::hypot>},
    {"ilogb", OF_X(isFinite(x) && x != 0 ? exponent(x) : kUnknown), true, true},
    {"ldexp", OF_XK(scaled(x, k)), true, true},
    {"lgamma", logGamma},
    {"lgamma_r, second", OF_X(isFinite(x) && x != 0 ? signOfGamma(x) : kUnknownFloat), true, true},
    {"log", SLEEF(log), false, false, 0},
    {"log2", SLEEF(log2), false, false, 0},
    {"log10", SLEEF(log10), false, false, 0},
    {"log1p", SLEEF(log1p), false, false, -1},
    {"logb", OF_X(isFinite(x) && x != 0 ? exponent(x) : kUnknown), true, true},
    {"mad", OF_XYZ(__builtin_fmaf(x, y, z)), true, true},
    {"maxmag",
     OF_XY(magnitude(x) > magnitude(y)   ? x
           : magnitude(y) > magnitude(x) ? y
           : x == y                      ? x
                                         : kUnknownFloat),
     true},
    {"minmag",
     OF_XY(magnitude(x) < magnitude(y)   ? x
           : magnitude(y) < magnitude(x) ? y
           : x == y                      ? x
                                         : kUnknownFloat),
     true},
    {"modf", OF_X(isFinite(x) ? __builtin_copysignf(x - __builtin_truncf(x), x) : kUnknownFloat), true, true},
    {"modf, second", OF_X(__builtin_truncf(x)), true, true},
    {"nextafter", OF_XY(x == x && y == y && x != y && x != 0 ? neighbour(x, y) : kUnknownFloat), true},
    {"pow", power},
    {"pown", powerOfInt},
    {"powr", powerOfPositive},
    {"remainder",
     [](const Block& b, double* out) { dividing(b, out, [](float x, float y) { return nearestOf(x, y).rest; }); }, true,
     true},
    {"remquo",
     [](const Block& b, double* out) { dividing(b, out, [](float x, float y) { return nearestOf(x, y).rest; }); }, true,
     true},
    {"remquo, second",
     [](const Block& b, double* out) { dividing(b, out, [](float x, float y) { return nearestOf(x, y).quotient; }); },
     true, true},
    {"rint", OF_X(__builtin_rintf(x)), true, true},
    {"rootn", root},
    {"round", OF_X(rounded(x)), true, true},
    {"rsqrt", OF_X(1 / __builtin_sqrt(static_cast<double>(x))), false, false, 0},
    {"sin", SLEEF(sin)},
    {"sinh", SLEEF(sinh)},
    {"sinpi", sinPi, false, true},
    {"sqrt", OF_X(__builtin_sqrt(static_cast<double>(x))), false, true, 0},
    {"tan", SLEEF(tan)},
    {"tanh", SLEEF(tanh)},
    {"tanpi", tanPi, false, true},
    {"tgamma", gamma, false, true, -0x1p23},
    {"trunc", OF_X(__builtin_truncf(x)), true, true},
    {"x + y", OF_XY(x + y), true, true},
    {"x - y", OF_XY(x - y), true, true},
    {"x * y", OF_XY(x * y), true, true},
    {"x / y", OF_XY(static_cast<double>(x) / static_cast<double>(y)), false, true},
    {"1 / x", OF_X(1 / static_cast<double>(x)), false, true},
};

} // namespace

bool loadPeers(void* library, Peers& peers) {
  peers = {kPeers, sizeof kPeers / sizeof *kPeers, compute, mark};
  return findAll(library);
}

} // namespace precision::PRECISION_SET
