// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "precision/quad.hpp"

#include "precision/error.hpp"
#include "precision/references.hpp"

#include <algorithm>
#include <cmath>

namespace precision {

namespace {

using Quad = __float128;

// The C library has them for programs that can name the type as C does.
extern "C" {
Quad acosf128(Quad) noexcept;
Quad acoshf128(Quad) noexcept;
Quad asinf128(Quad) noexcept;
Quad asinhf128(Quad) noexcept;
Quad atanf128(Quad) noexcept;
Quad atanhf128(Quad) noexcept;
Quad cbrtf128(Quad) noexcept;
Quad cosf128(Quad) noexcept;
Quad coshf128(Quad) noexcept;
Quad erff128(Quad) noexcept;
Quad erfcf128(Quad) noexcept;
Quad expf128(Quad) noexcept;
Quad exp2f128(Quad) noexcept;
Quad exp10f128(Quad) noexcept;
Quad expm1f128(Quad) noexcept;
Quad fabsf128(Quad) noexcept;
Quad logf128(Quad) noexcept;
Quad log2f128(Quad) noexcept;
Quad log10f128(Quad) noexcept;
Quad log1pf128(Quad) noexcept;
Quad sinf128(Quad) noexcept;
Quad sinhf128(Quad) noexcept;
Quad sqrtf128(Quad) noexcept;
Quad tanf128(Quad) noexcept;
Quad tanhf128(Quad) noexcept;
Quad tgammaf128(Quad) noexcept;
Quad atan2f128(Quad, Quad) noexcept;
Quad hypotf128(Quad, Quad) noexcept;
Quad lgammaf128_r(Quad, int*) noexcept; // NOLINT(readability-identifier-naming): the C library's
Quad frexpf128(Quad, int*) noexcept;
Quad scalbnf128(Quad, int) noexcept;
}

/// The nearest long double and what that lacks.
const Quad kPiQuad = static_cast<Quad>(3.14159265358979323851280895940618620443274267017841L) +
                     static_cast<Quad>(-5.0165576126683320235573270803307570e-20L);

/// x = n/2 + r; the sine or cosine of pi r, with the sign that n gives it.
Quad ofHalfTurns(double x, bool isSine) {
  int n = 0;
  const Quad angle = kPiQuad * static_cast<Quad>(lessHalves(x, &n));
  if (!isSine) n += 1; // cos(a) = sin(a + pi/2)
  const Quad y = n % 2 != 0 ? cosf128(angle) : sinf128(angle);
  return n % 4 >= 2 ? -y : y;
}

Quad logGammaOf(Quad x) {
  int sign = 0;
  return lgammaf128_r(x, &sign);
}

Quad rootOf(Quad x, int k) {
  const Quad y = powf128(fabsf128(x), static_cast<Quad>(1) / k);
  return x < 0 ? -y : y;
}

struct Reference {
  std::string_view name;
  Quad (*value)(double x, double y, int k);
};

#define IN_QUAD(...)                                                                                                   \
  [](double xs, double ys, int k) -> Quad {                                                                            \
    [[maybe_unused]] const Quad x = xs, y = ys;                                                                        \
    static_cast<void>(k);                                                                                              \
    return __VA_ARGS__;                                                                                                \
  }

constexpr Reference kReferences[] = {
    {"acos", IN_QUAD(acosf128(x))},
    {"acosh", IN_QUAD(acoshf128(x))},
    {"acospi", IN_QUAD(acosf128(x) / kPiQuad)},
    {"asin", IN_QUAD(asinf128(x))},
    {"asinh", IN_QUAD(asinhf128(x))},
    {"asinpi", IN_QUAD(asinf128(x) / kPiQuad)},
    {"atan", IN_QUAD(atanf128(x))},
    {"atanh", IN_QUAD(atanhf128(x))},
    {"atanpi", IN_QUAD(atanf128(x) / kPiQuad)},
    {"atan2", IN_QUAD(atan2f128(x, y))},
    {"atan2pi", IN_QUAD(atan2f128(x, y) / kPiQuad)},
    {"cbrt", IN_QUAD(cbrtf128(x))},
    {"cos", IN_QUAD(cosf128(x))},
    {"cosh", IN_QUAD(coshf128(x))},
    {"cospi", IN_QUAD(ofHalfTurns(xs, false))},
    {"erf", IN_QUAD(erff128(x))},
    {"erfc", IN_QUAD(erfcf128(x))},
    {"exp", IN_QUAD(expf128(x))},
    {"exp2", IN_QUAD(exp2f128(x))},
    {"exp10", IN_QUAD(exp10f128(x))},
    {"expm1", IN_QUAD(expm1f128(x))},
    {"hypot", IN_QUAD(hypotf128(x, y))},
    {"lgamma", IN_QUAD(logGammaOf(x))},
    {"lgamma_r", IN_QUAD(logGammaOf(x))},
    {"log", IN_QUAD(logf128(x))},
    {"log2", IN_QUAD(log2f128(x))},
    {"log10", IN_QUAD(log10f128(x))},
    {"log1p", IN_QUAD(log1pf128(x))},
    {"pow", IN_QUAD(powf128(x, y))},
    {"pown", IN_QUAD(powf128(x, k))},
    {"powr", IN_QUAD(powf128(x, y))},
    {"rootn", IN_QUAD(rootOf(x, k))},
    {"rsqrt", IN_QUAD(1 / sqrtf128(x))},
    {"sin", IN_QUAD(sinf128(x))},
    {"sincos", IN_QUAD(sinf128(x))},
    {"sincos, second", IN_QUAD(cosf128(x))},
    {"sinh", IN_QUAD(sinhf128(x))},
    {"sinpi", IN_QUAD(ofHalfTurns(xs, true))},
    {"tan", IN_QUAD(tanf128(x))},
    {"tanh", IN_QUAD(tanhf128(x))},
    {"tanpi", IN_QUAD(ofHalfTurns(xs, true) / ofHalfTurns(xs, false))},
    {"tgamma", IN_QUAD(tgammaf128(x))},
};

bool isNumber(double x) { return std::isfinite(x) && x != 0; }

} // namespace

std::optional<double> errorInQuad(const Function& function, const Values<double>& values, double got) {
  const auto* reference = std::find_if(std::begin(kReferences), std::end(kReferences),
                                       [&](const Reference& one) { return one.name == function.name; });
  if (reference == std::end(kReferences) || !isNumber(got)) return std::nullopt;
  const Quad wanted = reference->value(values.x, values.y, values.k);
  if (!isNumber(static_cast<double>(wanted))) return std::nullopt;
  constexpr int kDigits = 53, kLeast = -1021, kMost = 1024; // exponents of numbers from 1/2 to 1
  int e = 0;
  static_cast<void>(frexpf128(wanted, &e));
  e = std::clamp(e, kLeast, kMost);
  return static_cast<double>(scalbnf128(fabsf128(static_cast<Quad>(got) - wanted), kDigits - e));
}

void confirm(const Function& function, Result& result) {
  const auto ulp = errorInQuad(function, result.values, result.got);
  if (!ulp || result.worst < 0) return;
  const double limit = function.limits[1];
  result.ulp = *ulp;
  result.worst = shareOf({*ulp, limit == kNoLimit ? kWrong : limit}, limit);
}

} // namespace precision
