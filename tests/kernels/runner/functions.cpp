// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "functions.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <numbers>

namespace {

using Real = long double;
using Integer = __int128;
using Args = std::vector<Number>;
using Function = Number (*)(const Args&);

template <Real (*F)(Real)> Number real1(const Args& a) { return Number::of(F(a[0].asReal())); }
template <Real (*F)(Real, Real)> Number real2(const Args& a) { return Number::of(F(a[0].asReal(), a[1].asReal())); }

template <class T> Number castInteger(const Args& a) { return Number::of(Integer(static_cast<T>(a[0].asInteger()))); }
template <class T> Number castReal(const Args& a) { return Number::of(Real(static_cast<T>(a[0].asReal()))); }

template <class To, class From> To bitsOf(From value) { return std::bit_cast<To>(value); }

bool anyReal(const Args& args) {
  return std::any_of(args.begin(), args.end(), [](const Number& n) { return n.isReal(); });
}

Number smaller(const Args& a) {
  if (anyReal(a)) return Number::of(std::fmin(a[0].asReal(), a[1].asReal()));
  return Number::of(std::min(a[0].integer, a[1].integer));
}
Number larger(const Args& a) {
  if (anyReal(a)) return Number::of(std::fmax(a[0].asReal(), a[1].asReal()));
  return Number::of(std::max(a[0].integer, a[1].integer));
}
Number clamp(const Args& a) { return smaller({larger({a[0], a[1]}), a[2]}); }
Number absolute(const Args& a) {
  return a[0].isReal() ? Number::of(std::fabs(a[0].real)) : Number::of(a[0].integer < 0 ? -a[0].integer : a[0].integer);
}

Real rsqrt(Real x) { return 1 / std::sqrt(x); }
Real exp10(Real x) { return std::pow(Real(10), x); }
Real pi() { return std::numbers::pi_v<Real>; }
/// sin(pi x) and cos(pi x), by exact reduction first: x may be large.
Real sinpi(Real x) {
  if (std::isinf(x)) return std::nan("");
  const Real r = std::remainder(x, Real(2));
  if (r == std::trunc(r)) return std::copysign(Real(0), x);
  return std::sin(r * pi());
}
Real cospi(Real x) {
  if (std::isinf(x)) return std::nan("");
  const Real r = std::fabs(std::remainder(x, Real(2)));
  return r == 0.5L || r == 1.5L ? 0 : std::cos(r * pi());
}
Real tanpi(Real x) { return sinpi(x) / cospi(x); }
Real asinpi(Real x) { return std::asin(x) / pi(); }
Real acospi(Real x) { return std::acos(x) / pi(); }
Real atanpi(Real x) { return std::atan(x) / pi(); }
Real atan2pi(Real y, Real x) { return std::atan2(y, x) / pi(); }
Real degrees(Real x) { return x * 180 / pi(); }
Real radians(Real x) { return x * pi() / 180; }
Real signOf(Real x) { return std::isnan(x) ? 0 : x > 0 ? 1 : x < 0 ? -1 : x; }
Real step(Real edge, Real x) { return x < edge ? 0 : 1; }
Real maxmag(Real a, Real b) {
  return std::fabs(a) > std::fabs(b) ? a : std::fabs(b) > std::fabs(a) ? b : std::fmax(a, b);
}
Real minmag(Real a, Real b) {
  return std::fabs(a) < std::fabs(b) ? a : std::fabs(b) < std::fabs(a) ? b : std::fmin(a, b);
}
Number smoothstep(const Args& a) {
  const Real t = std::clamp((a[2].asReal() - a[0].asReal()) / (a[1].asReal() - a[0].asReal()), Real(0), Real(1));
  return Number::of(t * t * (3 - 2 * t));
}
Number fma(const Args& a) { return Number::of(std::fma(a[0].asReal(), a[1].asReal(), a[2].asReal())); }
Number mix(const Args& a) { return Number::of(a[0].asReal() + (a[1].asReal() - a[0].asReal()) * a[2].asReal()); }
Number ldexp(const Args& a) { return Number::of(std::ldexp(a[0].asReal(), int(a[1].asInteger()))); }
Number pown(const Args& a) { return Number::of(std::pow(a[0].asReal(), Real(a[1].asInteger()))); }
Number rootn(const Args& a) {
  const Real x = a[0].asReal();
  const auto n = int(a[1].asInteger());
  if (n % 2 != 0) return Number::of(std::copysign(std::pow(std::fabs(x), 1 / Real(n)), x));
  return Number::of(std::pow(x == 0 ? Real(0) : x, 1 / Real(n)));
}

template <class T> Number leadingZeros(const Args& a) {
  return Number::of(Integer(std::countl_zero(T(a[0].asInteger()))));
}
template <class T> Number trailingZeros(const Args& a) {
  return Number::of(Integer(std::countr_zero(T(a[0].asInteger()))));
}
template <class T> Number population(const Args& a) { return Number::of(Integer(std::popcount(T(a[0].asInteger())))); }
template <class T> Number rotate(const Args& a) {
  return Number::of(Integer(std::rotl(T(a[0].asInteger()), int(a[1].asInteger() & (sizeof(T) * 8 - 1)))));
}

/// Converts to an integer as convert_T_sat and its rounding modes do: NaN becomes 0.
template <class T, Real (*Round)(Real)> Number saturate(const Args& a) {
  constexpr Integer kLowest = std::numeric_limits<T>::min(), kHighest = std::numeric_limits<T>::max();
  if (!a[0].isReal()) return Number::of(std::clamp(a[0].integer, kLowest, kHighest));
  const Real value = Round(a[0].real);
  if (std::isnan(value)) return Number::of(Integer(0));
  if (value <= Real(kLowest)) return Number::of(kLowest);
  if (value >= Real(kHighest)) return Number::of(kHighest);
  return Number::of(Integer(value));
}
Number isNan(const Args& a) { return Number::of(Integer(std::isnan(a[0].asReal()))); }
Number isInfinite(const Args& a) { return Number::of(Integer(std::isinf(a[0].asReal()))); }
Number isFinite(const Args& a) { return Number::of(Integer(std::isfinite(a[0].asReal()))); }
Number signBit(const Args& a) { return Number::of(Integer(std::signbit(a[0].asReal()))); }
Number floatBits(const Args& a) { return Number::of(Integer(bitsOf<std::uint32_t>(float(a[0].asReal())))); }
Number doubleBits(const Args& a) { return Number::of(Integer(bitsOf<std::uint64_t>(double(a[0].asReal())))); }
Number asFloat(const Args& a) { return Number::of(Real(bitsOf<float>(std::uint32_t(a[0].asInteger())))); }
Number asDouble(const Args& a) { return Number::of(Real(bitsOf<double>(std::uint64_t(a[0].asInteger())))); }
Number exponent(const Args& a) { return Number::of(Integer(std::ilogb(a[0].asReal()))); }
Number fractional(const Args& a) {
  const Real x = a[0].asReal();
  return Number::of(std::isinf(x) || x == 0 ? std::copysign(Real(0), x) : x - std::floor(x));
}
Number mantissa(const Args& a) {
  int exponent = 0;
  return Number::of(std::frexp(a[0].asReal(), &exponent));
}
Number frexpExponent(const Args& a) {
  int exponent = 0;
  (void)std::frexp(a[0].asReal(), &exponent);
  return Number::of(Integer(std::isfinite(a[0].asReal()) ? exponent : 0));
}
/// The next half, as neighbours of one sign differ by one as integers.
Number nextHalf(const Args& a) {
  const Real x = a[0].asReal(), y = a[1].asReal();
  if (std::isnan(x) || std::isnan(y)) return Number::of(x + y);
  if (x == y) return Number::of(y);
  if (x == 0) return Number::of(std::copysign(Real(0x1p-24), y));
  const auto bits = bitsOf<std::uint16_t>(_Float16(x));
  return Number::of(Real(bitsOf<_Float16>(std::uint16_t((x < y) == (x > 0) ? bits + 1 : bits - 1))));
}
/// The float with these half bits, and the half bits nearest a real (ties to even).
Number halfToReal(const Args& a) {
  const auto bits = std::uint16_t(a[0].asInteger());
  return Number::of(Real(bitsOf<_Float16>(bits)));
}
Number realToHalf(const Args& a) { return Number::of(Integer(bitsOf<std::uint16_t>(_Float16(a[0].asReal())))); }
/// To the half that is next to the number in one direction: towards zero (0), up (1) or down (-1).
template <int Direction> Number directedHalf(const Args& a) {
  const Real x = a[0].asReal();
  const auto nearest = _Float16(x);
  const Real back = nearest;
  const bool wrong = Direction == 0 ? std::fabs(back) > std::fabs(x) : Direction > 0 ? back < x : back > x;
  if (!wrong) return Number::of(back);
  const bool away = Direction != 0 && (Direction > 0) == !std::signbit(back);
  return Number::of(Real(bitsOf<_Float16>(std::uint16_t(bitsOf<std::uint16_t>(nearest) + (away ? 1 : -1)))));
}
Number skip(const Args&) { return Number::any(); }

struct Entry {
  std::size_t arity;
  Function function;
};

// NOLINTNEXTLINE(readability-function-size): a row a function
const std::map<std::string_view, Entry>& table() {
  static const std::map<std::string_view, Entry> entries = {
      {"char", {1, castInteger<std::int8_t>}},
      {"uchar", {1, castInteger<std::uint8_t>}},
      {"short", {1, castInteger<std::int16_t>}},
      {"ushort", {1, castInteger<std::uint16_t>}},
      {"int", {1, castInteger<std::int32_t>}},
      {"uint", {1, castInteger<std::uint32_t>}},
      {"long", {1, castInteger<std::int64_t>}},
      {"ulong", {1, castInteger<std::uint64_t>}},
      {"float", {1, castReal<float>}},
      {"double", {1, castReal<double>}},
      {"half", {1, castReal<_Float16>}},
      {"real", {1, castReal<Real>}},
      {"sat_char", {1, saturate<std::int8_t, std::trunc>}},
      {"sat_uchar", {1, saturate<std::uint8_t, std::trunc>}},
      {"sat_short", {1, saturate<std::int16_t, std::trunc>}},
      {"sat_ushort", {1, saturate<std::uint16_t, std::trunc>}},
      {"sat_int", {1, saturate<std::int32_t, std::trunc>}},
      {"sat_uint", {1, saturate<std::uint32_t, std::trunc>}},
      {"sat_long", {1, saturate<std::int64_t, std::trunc>}},
      {"sat_ulong", {1, saturate<std::uint64_t, std::trunc>}},
      {"sat_rte_int", {1, saturate<std::int32_t, std::nearbyint>}},
      {"sat_rte_uchar", {1, saturate<std::uint8_t, std::nearbyint>}},
      {"sat_rtp_int", {1, saturate<std::int32_t, std::ceil>}},
      {"sat_rtn_int", {1, saturate<std::int32_t, std::floor>}},
      {"min", {2, smaller}},
      {"max", {2, larger}},
      {"fmin", {2, smaller}},
      {"fmax", {2, larger}},
      {"clamp", {3, clamp}},
      {"abs", {1, absolute}},
      {"fabs", {1, absolute}},
      {"sin", {1, real1<std::sin>}},
      {"cos", {1, real1<std::cos>}},
      {"tan", {1, real1<std::tan>}},
      {"asin", {1, real1<std::asin>}},
      {"acos", {1, real1<std::acos>}},
      {"atan", {1, real1<std::atan>}},
      {"sinh", {1, real1<std::sinh>}},
      {"cosh", {1, real1<std::cosh>}},
      {"tanh", {1, real1<std::tanh>}},
      {"asinh", {1, real1<std::asinh>}},
      {"acosh", {1, real1<std::acosh>}},
      {"atanh", {1, real1<std::atanh>}},
      {"sinpi", {1, real1<sinpi>}},
      {"cospi", {1, real1<cospi>}},
      {"tanpi", {1, real1<tanpi>}},
      {"asinpi", {1, real1<asinpi>}},
      {"acospi", {1, real1<acospi>}},
      {"atanpi", {1, real1<atanpi>}},
      {"exp", {1, real1<std::exp>}},
      {"exp2", {1, real1<std::exp2>}},
      {"exp10", {1, real1<exp10>}},
      {"expm1", {1, real1<std::expm1>}},
      {"log", {1, real1<std::log>}},
      {"log2", {1, real1<std::log2>}},
      {"log10", {1, real1<std::log10>}},
      {"log1p", {1, real1<std::log1p>}},
      {"logb", {1, real1<std::logb>}},
      {"sqrt", {1, real1<std::sqrt>}},
      {"rsqrt", {1, real1<rsqrt>}},
      {"cbrt", {1, real1<std::cbrt>}},
      {"erf", {1, real1<std::erf>}},
      {"erfc", {1, real1<std::erfc>}},
      {"tgamma", {1, real1<std::tgamma>}},
      {"lgamma", {1, real1<std::lgamma>}},
      {"floor", {1, real1<std::floor>}},
      {"ceil", {1, real1<std::ceil>}},
      {"trunc", {1, real1<std::trunc>}},
      {"round", {1, real1<std::round>}},
      {"rint", {1, real1<std::nearbyint>}},
      {"degrees", {1, real1<degrees>}},
      {"radians", {1, real1<radians>}},
      {"sign", {1, real1<signOf>}},
      {"atan2", {2, real2<std::atan2>}},
      {"atan2pi", {2, real2<atan2pi>}},
      {"pow", {2, real2<std::pow>}},
      {"fmod", {2, real2<std::fmod>}},
      {"remainder", {2, real2<std::remainder>}},
      {"hypot", {2, real2<std::hypot>}},
      {"fdim", {2, real2<std::fdim>}},
      {"copysign", {2, real2<std::copysign>}},
      {"step", {2, real2<step>}},
      {"maxmag", {2, real2<maxmag>}},
      {"minmag", {2, real2<minmag>}},
      {"fma", {3, fma}},
      {"mix", {3, mix}},
      {"smoothstep", {3, smoothstep}},
      {"ldexp", {2, ldexp}},
      {"pown", {2, pown}},
      {"rootn", {2, rootn}},
      {"fract", {1, fractional}},
      {"mantissa", {1, mantissa}},
      {"frexp_exponent", {1, frexpExponent}},
      {"ilogb", {1, exponent}},
      {"clz8", {1, leadingZeros<std::uint8_t>}},
      {"clz16", {1, leadingZeros<std::uint16_t>}},
      {"clz32", {1, leadingZeros<std::uint32_t>}},
      {"clz64", {1, leadingZeros<std::uint64_t>}},
      {"ctz32", {1, trailingZeros<std::uint32_t>}},
      {"ctz64", {1, trailingZeros<std::uint64_t>}},
      {"popcount8", {1, population<std::uint8_t>}},
      {"popcount32", {1, population<std::uint32_t>}},
      {"popcount64", {1, population<std::uint64_t>}},
      {"rotate8", {2, rotate<std::uint8_t>}},
      {"rotate32", {2, rotate<std::uint32_t>}},
      {"rotate64", {2, rotate<std::uint64_t>}},
      {"isnan", {1, isNan}},
      {"isinf", {1, isInfinite}},
      {"isfinite", {1, isFinite}},
      {"signbit", {1, signBit}},
      {"float_bits", {1, floatBits}},
      {"double_bits", {1, doubleBits}},
      {"as_float", {1, asFloat}},
      {"as_double", {1, asDouble}},
      {"half_to_real", {1, halfToReal}},
      {"real_to_half", {1, realToHalf}},
      {"next_half", {2, nextHalf}},
      {"half_rtz", {1, directedHalf<0>}},
      {"half_rtp", {1, directedHalf<1>}},
      {"half_rtn", {1, directedHalf<-1>}},
      {"skip", {0, skip}},
  };
  return entries;
}

} // namespace

std::optional<Number> callFunction(std::string_view name, const std::vector<Number>& args) {
  const auto entry = table().find(name);
  if (entry == table().end() || entry->second.arity != args.size()) return std::nullopt;
  for (const Number& arg : args)
    if (arg.isAny()) return Number::any();
  return entry->second.function(args);
}
