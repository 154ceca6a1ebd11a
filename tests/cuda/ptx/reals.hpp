// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The formats of reals, and rounding.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ptx {

enum Rounding : std::uint8_t { kNearest, kToZero, kDown, kUp };
/// What an instruction's mode has beside the rounding.
inline constexpr std::uint8_t kRounding = 3, kFlush = 4, kSaturate = 8, kRelu = 16;

/// Sets the host's rounding while it lives.
class HostRounding {
 public:
  explicit HostRounding(unsigned rounding) : isSet_(rounding != kNearest) {
    constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    if (isSet_) std::fesetround(kModes[rounding]);
  }
  HostRounding(const HostRounding&) = delete;
  HostRounding& operator=(const HostRounding&) = delete;
  ~HostRounding() {
    if (isSet_) std::fesetround(FE_TONEAREST);
  }

 private:
  bool isSet_;
};

/// A format of 16 bits with so many bits of exponent and of fraction. It is computed with as double.
template <int exponentBits, int fractionBits> struct Short {
  using Bits = std::uint16_t;
  using Compute = double;
  static constexpr Bits kSign = 0x8000, kNan = 0x7fff;
  static constexpr int kBias = (1 << (exponentBits - 1)) - 1;
  static constexpr Bits kInfinity = static_cast<Bits>(((1 << exponentBits) - 1) << fractionBits);
  static constexpr Bits kSmallest = static_cast<Bits>(1 << fractionBits); ///< normal

  static double load(Bits bits) {
    const int exponent = (bits & ~kSign) >> fractionBits;
    const int fraction = bits & ((1 << fractionBits) - 1);
    double value = 0;
    if (exponent == (1 << exponentBits) - 1)
      value = fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    else if (exponent == 0)
      value = std::ldexp(fraction, 1 - kBias - fractionBits);
    else
      value = std::ldexp(fraction + (1 << fractionBits), exponent - kBias - fractionBits);
    return (bits & kSign) != 0 ? -value : value;
  }
  static Bits store(double value, unsigned rounding) {
    if (std::isnan(value)) return kNan;
    const Bits sign = std::signbit(value) ? kSign : Bits{0};
    const double size = std::fabs(value);
    const bool isUp = (rounding == kUp && !sign) || (rounding == kDown && sign);
    const auto result = [sign](int bits) { return static_cast<Bits>(sign | bits); };
    if (std::isinf(size)) return result(kInfinity);
    if (size == 0) return sign;
    int exponent = std::max(std::ilogb(size), 1 - kBias);
    const double units = std::ldexp(size, fractionBits - exponent); // the last bit is 1
    const double below = std::floor(units);
    auto whole = static_cast<int>(below);
    const double rest = units - below;
    if (rounding == kNearest ? rest > 0.5 || (rest == 0.5 && (whole & 1) != 0) : isUp && rest > 0) ++whole;
    // `whole` has its leading bit, if it is normal, which counts as one more of the exponent; it may carry.
    if (whole >= 2 << fractionBits) {
      whole >>= 1;
      ++exponent;
    }
    if (exponent > kBias) return result(rounding == kNearest || isUp ? kInfinity : kInfinity - 1);
    return result(((exponent + kBias - 1) << fractionBits) + whole);
  }
};
using Half = Short<5, 10>;
using BrainHalf = Short<8, 7>;

template <class T, class B, B sign, B nan, B infinity, B smallest> struct Native {
  using Bits = B;
  using Compute = T;
  static constexpr Bits kSign = sign, kNan = nan, kInfinity = infinity, kSmallest = smallest;
  static T load(Bits bits) { return std::bit_cast<T>(bits); }
  static Bits store(T value, unsigned) {
    // Results of 32 bits that are no number are one and the same.
    if (sizeof(T) == 4 && value != value) return kNan;
    return std::bit_cast<Bits>(value);
  }
};
using Single = Native<float, std::uint32_t, 0x8000'0000, 0x7fff'ffff, 0x7f80'0000, 0x80'0000>;
using Double = Native<double, std::uint64_t, 0x8000'0000'0000'0000, 0xfff8'0000'0000'0000, 0x7ff0'0000'0000'0000,
                      0x10'0000'0000'0000>;

template <class F> bool isNan(typename F::Bits bits) {
  return static_cast<typename F::Bits>(bits & ~F::kSign) > F::kInfinity;
}
/// Subnormal numbers become zeros of their sign.
template <class F> typename F::Bits flushed(typename F::Bits bits) {
  using B = typename F::Bits;
  return static_cast<B>(bits & ~F::kSign) < F::kSmallest ? static_cast<B>(bits & F::kSign) : bits;
}
/// From 0 to 1; 0 for what is no number.
template <class F> typename F::Bits saturated(typename F::Bits bits) {
  if (isNan<F>(bits) || (bits & F::kSign) != 0) return 0;
  const auto one = F::store(1, kNearest);
  return bits > one ? one : bits;
}

} // namespace ptx
