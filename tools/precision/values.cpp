// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "precision/values.hpp"

#include <algorithm>
#include <bit>
#include <climits>
#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

namespace precision {

namespace {

template <class T> using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
template <class T> using Limits = std::numeric_limits<T>;

/// A bijection of 64-bit numbers whose values look random (the finaliser of SplitMix64).
std::uint64_t scramble(std::uint64_t n) {
  n += 0x9e3779b97f4a7c15U;
  n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9U;
  n = (n ^ (n >> 27)) * 0x94d049bb133111ebU;
  return n ^ (n >> 31);
}

double unit(std::uint64_t random) { return static_cast<double>(random >> 11) * 0x1p-53; }

/// A random number of magnitude 2^-range to 2^range.
template <class T> T moderate(std::uint64_t random, int range) {
  const int e = static_cast<int>((random >> 53) % (2 * static_cast<unsigned>(range))) - range;
  const T x = std::ldexp(static_cast<T>(1 + unit(random << 11)), e);
  return (random & 1) != 0 ? -x : x;
}

/// Arguments at which functions change or have exact results.
constexpr double kTurningPoints[] = {1e-5,
                                     0.25,
                                     1.0 / 3,
                                     0.5,
                                     0.7853981633974483,
                                     1.0,
                                     1.25,
                                     1.4142135623730951,
                                     1.5,
                                     1.5707963267948966,
                                     2.0,
                                     2.5,
                                     2.718281828459045,
                                     3.0,
                                     3.141592653589793,
                                     4.0,
                                     5.0,
                                     7.5,
                                     10.0,
                                     33.0,
                                     64.0,
                                     88.72283,
                                     104.0,
                                     127.0,
                                     128.0,
                                     150.0,
                                     709.78271,
                                     745.2,
                                     1024.0,
                                     65536.0,
                                     131072.0,
                                     8388607.5,
                                     8388608.0,
                                     16777215.0,
                                     16777216.0,
                                     16777218.0,
                                     2147483648.0,
                                     4294967296.0,
                                     4503599627370495.5,
                                     9007199254740991.0,
                                     9007199254740992.0,
                                     0x1p62,
                                     0x1p63,
                                     0x1p64,
                                     0x1p100,
                                     0x1.8p126};

template <class T> std::vector<T> specialValues() {
  std::vector<T> values = {0,
                           Limits<T>::denorm_min(),
                           7 * Limits<T>::denorm_min(),
                           Limits<T>::min() - Limits<T>::denorm_min(),
                           Limits<T>::min(),
                           Limits<T>::min() * 3,
                           Limits<T>::epsilon() / 4,
                           Limits<T>::epsilon(),
                           Limits<T>::max(),
                           Limits<T>::infinity()};
  for (double x : kTurningPoints) {
    const T value = static_cast<T>(x);
    values.push_back(value);
    if (x == 0.5 || x == 1.0 || x == 2.0 || x == 0x1p64) {
      values.push_back(std::nextafter(value, T(0)));
      values.push_back(std::nextafter(value, Limits<T>::infinity()));
    }
  }
  const std::size_t positive = values.size();
  for (std::size_t i = 0; i < positive; ++i)
    values.push_back(-values[i]);
  values.push_back(Limits<T>::quiet_NaN());
  return values;
}

/// Floats that a random pair seldom has: three arguments would make too many combinations of all special values.
template <class T> std::vector<T> fewSpecialValues() {
  const T max = Limits<T>::max(), least = Limits<T>::denorm_min(), min = Limits<T>::min();
  return {0,
          -T(0),
          least,
          -least,
          min - least,
          min,
          -min,
          0.5,
          1,
          -1,
          1 + Limits<T>::epsilon(),
          T(-1.5),
          3,
          1e10,
          -1e10,
          max,
          -max,
          max / 2,
          Limits<T>::infinity(),
          -Limits<T>::infinity(),
          Limits<T>::quiet_NaN()};
}

} // namespace

template <class T>
ArgumentList<T>::ArgumentList(const Function& function, std::uint64_t samples, std::uint64_t stride)
    : function_(function), specials_(function.arguments == Arguments::XYZ ? fewSpecialValues<T>() : specialValues<T>()),
      ints_({0,
             1,
             -1,
             2,
             -2,
             3,
             -3,
             4,
             5,
             7,
             -8,
             17,
             64,
             -100,
             127,
             -127,
             128,
             150,
             -150,
             277,
             -300,
             1023,
             -1074,
             1075,
             2098,
             -2200,
             65535,
             1 << 20,
             (1 << 24) + 1,
             1 << 30,
             -(1 << 30) - 1,
             INT_MAX,
             INT_MAX - 1,
             INT_MIN,
             INT_MIN + 1}),
      stride_(stride) {
  const std::uint64_t n = specials_.size();
  switch (function.arguments) {
  case Arguments::X: special_ = n; break;
  case Arguments::XY: special_ = n * n; break;
  case Arguments::XYZ: special_ = n * n * n; break;
  case Arguments::XK: special_ = n * ints_.size(); break;
  }
  if (function.arguments == Arguments::X && sizeof(T) == 4) samples = std::uint64_t(1) << 32;
  rest_ = (samples + stride - 1) / stride;
}

template <class T> Values<T> ArgumentList<T>::operator[](std::uint64_t index) const {
  return index < special_ ? specialAt(index) : sampleAt(index - special_);
}

template <class T> void ArgumentList<T>::fill(std::uint64_t first, std::size_t count, T* x, T* y, T* z, int* k) const {
  if (function_.arguments == Arguments::X && sizeof(T) == 4 && first >= special_) {
    const auto bits = static_cast<Bits<T>>((first - special_) * stride_), step = static_cast<Bits<T>>(stride_);
    for (std::size_t i = 0; i < count; ++i)
      x[i] = std::bit_cast<T>(static_cast<Bits<T>>(bits + static_cast<Bits<T>>(i) * step));
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Values<T> values = (*this)[first + i];
    x[i] = values.x;
    if (function_.arguments == Arguments::XY || function_.arguments == Arguments::XYZ) y[i] = values.y;
    if (function_.arguments == Arguments::XYZ) z[i] = values.z;
    if (function_.arguments == Arguments::XK) k[i] = values.k;
  }
}

template <class T> Values<T> ArgumentList<T>::specialAt(std::uint64_t index) const {
  const std::uint64_t n = specials_.size();
  Values<T> values;
  values.x = specials_[index % n];
  if (function_.arguments == Arguments::XK) {
    values.k = ints_[index / n];
  } else {
    values.y = specials_[index / n % n];
    values.z = specials_[index / n / n % n];
  }
  return values;
}

template <class T> int ArgumentList<T>::intAt(std::uint64_t random, T x) const {
  const auto any = static_cast<int>(random >> 32);
  switch (random % 4) {
  case 0: return any;
  case 1: return any % 40;
  default: break;
  }
  const double range = 1.05 * Limits<T>::max_exponent;
  const double where = 2 * unit(random << 2) - 1;
  if (function_.places == Places::Scale) return static_cast<int>(where * 2.2 * range);
  if (function_.places == Places::Root) return any % 1000;
  const double bits = std::fabs(std::log2(std::fabs(static_cast<double>(x))));
  const double k = where * range / std::max(bits, 1e-7);
  return std::isfinite(k) ? static_cast<int>(std::clamp(k, -2e9, 2e9)) : any;
}

/// Arguments for which the function's values are neither trivial nor out of range.
template <class T> Values<T> ArgumentList<T>::placeAt(std::uint64_t random, std::uint64_t more) const {
  const std::uint64_t third = scramble(more);
  Values<T> values{moderate<T>(random, 20), moderate<T>(more, 20), moderate<T>(third, 20), 0};
  const bool close = (third & 2) != 0;
  // Near 1, by 2^-k.
  if (close && function_.places == Places::Power)
    values.x = 1 + std::ldexp(static_cast<T>(unit(random) - 0.5), -static_cast<int>(third >> 59));
  if (function_.places == Places::Power) {
    const double bits = std::log2(std::fabs(static_cast<double>(values.x)));
    const double y = (2 * unit(more) - 1) * 1.05 * Limits<T>::max_exponent / (bits != 0 ? bits : 1);
    values.y = static_cast<T>(y);
    values.x = (third & 4) != 0 ? std::fabs(values.x) : values.x;
    if ((third & 24) == 0) values.y = std::rint(values.y);
  }
  if (close && function_.places == Places::Near)
    values.y = values.x * (1 + std::ldexp(static_cast<T>(unit(more) - 0.5), 2 - static_cast<int>(third >> 59)));
  if (function_.arguments == Arguments::XYZ && close) // cancellation
    values.z =
        -values.x * values.y * (1 + std::ldexp(static_cast<T>(unit(third) - 0.5), -static_cast<int>(third >> 58)));
  return values;
}

/// Arguments for which x^y is just below a power of two near an end of the range. There y magnifies the error of the
/// logarithm most, and an ulp is the smallest part of the result. The logarithm itself is hardest before x is scaled by
/// another power.
template <class T> Values<T> ArgumentList<T>::belowPowerOfTwoAt(std::uint64_t random, std::uint64_t more) const {
  const bool isAboveOne = (random & 1) != 0;
  const double first = isAboveOne ? 1.3 : 0.69, end = isAboveOne ? std::numbers::sqrt2 : std::numbers::sqrt2 / 2;
  double x = first + unit(random << 1) * (end - first);
  const auto fromEnd = static_cast<int>(more & 3);
  const int e = (more & 4) != 0 ? Limits<T>::max_exponent - fromEnd : Limits<T>::min_exponent + fromEnd;
  const double wanted = e - std::ldexp(unit(more << 8), -4 - static_cast<int>(more >> 3 & 7));
  Values<T> values;
  values.k = static_cast<int>(std::rint(wanted / std::log2(x)));
  if (function_.arguments == Arguments::XK) x = std::exp2(wanted / values.k);
  values.x = static_cast<T>(x);
  values.y = static_cast<T>(wanted / std::log2(static_cast<double>(values.x)));
  return values;
}

template <class T> Values<T> ArgumentList<T>::sampleAt(std::uint64_t index) const {
  if (function_.arguments == Arguments::X && sizeof(T) == 4) {
    Values<T> values;
    values.x = std::bit_cast<T>(static_cast<Bits<T>>(index * stride_));
    return values;
  }
  const std::uint64_t random = scramble(index * stride_), more = scramble(random);
  if (function_.places == Places::Power && index % 8 == 7) return belowPowerOfTwoAt(random, more);
  Values<T> values;
  if (index % 2 == 0) {
    values.x = std::bit_cast<T>(static_cast<Bits<T>>(random));
    values.y = std::bit_cast<T>(static_cast<Bits<T>>(more));
    values.z = std::bit_cast<T>(static_cast<Bits<T>>(scramble(more)));
  } else {
    values = placeAt(random, more);
  }
  if (function_.arguments == Arguments::XK) values.k = intAt(scramble(more), values.x);
  return values;
}

template class ArgumentList<float>;
template class ArgumentList<double>;

} // namespace precision
