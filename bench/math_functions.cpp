// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "math_functions.hpp"

#include <cmath>
#include <dlfcn.h>
#include <string>
#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace bench {

namespace {

using F1 = float (*)(float);
using F2 = float (*)(float, float);

MathFunction one(const char* name, const char* expression, double from, double to, F1 scalar, const char* sleef) {
  return {name, expression, from, to, 0, 0, scalar, nullptr, sleef, nullptr};
}

MathFunction two(const char* name, const char* expression, double from, double to, double from2, double to2, F2 scalar,
                 const char* sleef) {
  return {name, expression, from, to, from2, to2, nullptr, scalar, nullptr, sleef};
}

const MathFunction kFunctions[] = {
    one("sin", "sin(x)", -30, 30, sinf, "sin u10"),
    one("cos", "cos(x)", -30, 30, cosf, "cos u10"),
    one("tan", "tan(x)", -30, 30, tanf, "tan u10"),
    one("sinpi", "sinpi(x)", -30, 30, nullptr, "sinpi u05"),
    one("cospi", "cospi(x)", -30, 30, nullptr, "cospi u05"),
    one("tanpi", "tanpi(x)", -30, 30, nullptr, nullptr),
    one("asin", "asin(x)", -1, 1, asinf, "asin u10"),
    one("acos", "acos(x)", -1, 1, acosf, "acos u10"),
    one("atan", "atan(x)", -10, 10, atanf, "atan u10"),
    one("asinpi", "asinpi(x)", -1, 1, nullptr, nullptr),
    one("acospi", "acospi(x)", -1, 1, nullptr, nullptr),
    one("atanpi", "atanpi(x)", -10, 10, nullptr, nullptr),
    two("atan2", "atan2(x, y)", -10, 10, -10, 10, atan2f, "atan2 u10"),
    two("atan2pi", "atan2pi(x, y)", -10, 10, -10, 10, nullptr, nullptr),
    one("sinh", "sinh(x)", -20, 20, sinhf, "sinh u10"),
    one("cosh", "cosh(x)", -20, 20, coshf, "cosh u10"),
    one("tanh", "tanh(x)", -5, 5, tanhf, "tanh u10"),
    one("asinh", "asinh(x)", -100, 100, asinhf, "asinh u10"),
    one("acosh", "acosh(x)", 1, 100, acoshf, "acosh u10"),
    one("atanh", "atanh(x)", -0.999, 0.999, atanhf, "atanh u10"),
    one("exp", "exp(x)", -80, 80, expf, "exp u10"),
    one("exp2", "exp2(x)", -100, 100, exp2f, "exp2 u10"),
    one("exp10", "exp10(x)", -35, 35, exp10f, "exp10 u10"),
    one("expm1", "expm1(x)", -10, 10, expm1f, "expm1 u10"),
    one("log", "log(x)", 0.001, 1000, logf, "log u10"),
    one("log2", "log2(x)", 0.001, 1000, log2f, "log2 u10"),
    one("log10", "log10(x)", 0.001, 1000, log10f, "log10 u10"),
    one("log1p", "log1p(x)", -0.9, 100, log1pf, "log1p u10"),
    two("pow", "pow(x, y)", 0.1, 10, -20, 20, powf, "pow u10"),
    two("powr", "powr(x, y)", 0.1, 10, -20, 20, powf, "pow u10"),
    two("pown", "pown(x, k)", 0.1, 10, -20, 20, powf, "pow u10"),
    two("rootn", "rootn(x, k)", 0.1, 10, 2, 20, [](float x, float y) { return powf(x, 1.0F / y); }, "pow u10"),
    one("sqrt", "sqrt(x)", 0, 100, sqrtf, "sqrt u05"),
    one("rsqrt", "rsqrt(x)", 0.1, 100, [](float x) { return 1.0F / sqrtf(x); }, nullptr),
    one("cbrt", "cbrt(x)", -100, 100, cbrtf, "cbrt u10"),
    two("hypot", "hypot(x, y)", -100, 100, -100, 100, hypotf, "hypot u05"),
    one("erf", "erf(x)", -5, 5, erff, "erf u10"),
    one("erfc", "erfc(x)", -5, 9, erfcf, "erfc u15"),
    one("tgamma", "tgamma(x)", -10, 30, tgammaf, "tgamma u10"),
    one("lgamma", "lgamma(x)", -10, 100, [](float x) {
          int s;
          return lgammaf_r(x, &s); }, "lgamma u10"),
    two("fmod", "fmod(x, y)", -1000, 1000, 0.1, 10, fmodf, "fmod "),
    two("remainder", "remainder(x, y)", -1000, 1000, 0.1, 10, remainderf, "remainder "),
    two("remquo", "remquo(x, y, &q) + q", -1000, 1000, 0.1, 10, [](float x, float y) {
          int q;
          return remquof(x, y, &q) + static_cast<float>(q); }, nullptr),
    two("fdim", "fdim(x, y)", -10, 10, -10, 10, fdimf, "fdim "),
    two("nextafter", "nextafter(x, y)", -10, 10, -10, 10, nextafterf, "nextafter "),
    two("ldexp", "ldexp(x, k)", -10, 10, -20, 20, [](float x, float y) { return ldexpf(x, static_cast<int>(y)); }, nullptr),
    two("fma", "fma(x, y, x)", -10, 10, -10, 10, [](float x, float y) { return fmaf(x, y, x); }, nullptr),
    two("fmax", "fmax(x, y)", -10, 10, -10, 10, fmaxf, "fmax "),
    two("maxmag", "maxmag(x, y)", -10, 10, -10, 10, nullptr, nullptr),
    two("copysign", "copysign(x, y)", -10, 10, -10, 10, copysignf, "copysign "),
    one("fract", "fract(x, &p) + p", -10, 10, nullptr, nullptr),
    one("modf", "modf(x, &p) + p", -10, 10, [](float x) {
          float p;
          const float f = modff(x, &p);
          return f + p; }, nullptr),
    one("frexp", "frexp(x, &q) + q", -10, 10, [](float x) {
          int q;
          const float f = frexpf(x, &q);
          return f + static_cast<float>(q); }, nullptr),
    one("ilogb", "ilogb(x)", -10, 10, [](float x) { return static_cast<float>(ilogbf(x)); }, nullptr),
    one("logb", "logb(x)", -10, 10, logbf, nullptr),
    one("sincos", "sincos(x, &p) + p", -30, 30, [](float x) {
          float s;
          float c;
          sincosf(x, &s, &c);
          return s + c; }, nullptr),
    one("round", "round(x)", -10, 10, roundf, "round "),
    one("rint", "rint(x)", -10, 10, rintf, "rint "),
    one("trunc", "trunc(x)", -10, 10, truncf, "trunc "),
    two("divide", "x / y", -10, 10, 1, 10, [](float x, float y) { return x / y; }, nullptr),
    one("native_sin", "native_sin(x)", -30, 30, sinf, "sin u10"),
    one("native_cos", "native_cos(x)", -30, 30, cosf, "cos u10"),
    one("native_tan", "native_tan(x)", -30, 30, tanf, "tan u10"),
    one("native_exp", "native_exp(x)", -80, 80, expf, "exp u10"),
    one("native_exp2", "native_exp2(x)", -100, 100, exp2f, "exp2 u10"),
    one("native_exp10", "native_exp10(x)", -35, 35, exp10f, "exp10 u10"),
    one("native_log", "native_log(x)", 0.001, 1000, logf, "log u10"),
    one("native_log2", "native_log2(x)", 0.001, 1000, log2f, "log2 u10"),
    one("native_log10", "native_log10(x)", 0.001, 1000, log10f, "log10 u10"),
    two("native_powr", "native_powr(x, y)", 0.1, 10, -20, 20, powf, "pow u10"),
    one("native_sqrt", "native_sqrt(x)", 0, 100, sqrtf, "sqrt u05"),
    one("native_rsqrt", "native_rsqrt(x)", 0.1, 100, [](float x) { return 1.0F / sqrtf(x); }, nullptr),
    one("native_recip", "native_recip(x)", 0.1, 100, [](float x) { return 1.0F / x; }, nullptr),
    two("native_divide", "native_divide(x, y)", -10, 10, 1, 10, [](float x, float y) { return x / y; }, nullptr),
    one("half_sin", "half_sin(x)", -30, 30, sinf, "sin u10"),
    one("half_cos", "half_cos(x)", -30, 30, cosf, "cos u10"),
    one("half_tan", "half_tan(x)", -30, 30, tanf, "tan u10"),
    one("half_exp", "half_exp(x)", -80, 80, expf, "exp u10"),
    one("half_log", "half_log(x)", 0.001, 1000, logf, "log u10"),
    two("half_powr", "half_powr(x, y)", 0.1, 10, -20, 20, powf, "pow u10"),
};

#ifdef __x86_64__
__attribute__((target("avx512f"))) void apply16(void* function, bool two, const float* x, const float* y,
                                                float* results, unsigned n) {
  const auto f1 = reinterpret_cast<__m512 (*)(__m512)>(function);
  const auto f2 = reinterpret_cast<__m512 (*)(__m512, __m512)>(function);
  for (unsigned i = 0; i < n; i += 16) {
    const __m512 a = _mm512_loadu_ps(x + i);
    _mm512_storeu_ps(results + i, two ? f2(a, _mm512_loadu_ps(y + i)) : f1(a));
  }
}

__attribute__((target("avx2"))) void apply8(void* function, bool two, const float* x, const float* y, float* results,
                                            unsigned n) {
  const auto f1 = reinterpret_cast<__m256 (*)(__m256)>(function);
  const auto f2 = reinterpret_cast<__m256 (*)(__m256, __m256)>(function);
  for (unsigned i = 0; i < n; i += 8) {
    const __m256 a = _mm256_loadu_ps(x + i);
    _mm256_storeu_ps(results + i, two ? f2(a, _mm256_loadu_ps(y + i)) : f1(a));
  }
}
#endif

} // namespace

std::span<const MathFunction> mathFunctions() { return kFunctions; }

Sleef::Sleef() {
#ifdef __x86_64__
  wide_ = __builtin_cpu_supports("avx512f");
  if (wide_ || __builtin_cpu_supports("avx2")) library_ = dlopen("libsleef.so.3", RTLD_NOW);
#endif
}

Sleef::~Sleef() {
  if (library_ != nullptr) dlclose(library_);
}

const char* Sleef::instructions() const { return wide_ ? "AVX-512" : "AVX2"; }

void* Sleef::find(const char* name) const {
  if (library_ == nullptr || name == nullptr) return nullptr;
  const std::string whole = name;
  const std::size_t space = whole.find(' ');
  return dlsym(library_, ("Sleef_" + whole.substr(0, space) + (wide_ ? "f16_" : "f8_") + whole.substr(space + 1) +
                          (wide_ ? "avx512f" : "avx2"))
                             .c_str());
}

void Sleef::apply(void* function, bool two, const float* x, const float* y, float* results, unsigned n) const {
#ifdef __x86_64__
  (wide_ ? apply16 : apply8)(function, two, x, y, results, n);
#else
  static_cast<void>(function), static_cast<void>(two), static_cast<void>(x), static_cast<void>(y);
  static_cast<void>(results), static_cast<void>(n);
#endif
}

} // namespace bench
