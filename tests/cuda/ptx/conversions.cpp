// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cvt.
#include "handlers.hpp"
#include "reals.hpp"

#include <limits>
#include <type_traits>
#include <utility>

namespace ptx {

namespace {

/// Bits of `mode` beside those of reals.h.
inline constexpr std::uint8_t kToInteger = 32;

template <class To, class From> void integerToInteger(Thread& t, const Instruction& i) {
  t.set(i.to, static_cast<To>(t.get<From>(i.a)));
}
template <class To, class From> void saturatedInteger(Thread& t, const Instruction& i) {
  const From value = t.get<From>(i.a);
  using Limits = std::numeric_limits<To>;
  t.set(i.to, std::cmp_less(value, Limits::min())      ? Limits::min()
              : std::cmp_greater(value, Limits::max()) ? Limits::max()
                                                       : static_cast<To>(value));
}

double toWhole(double value, unsigned rounding) {
  switch (rounding) {
  case kToZero: return std::trunc(value);
  case kDown: return std::floor(value);
  case kUp: return std::ceil(value);
  default: return std::nearbyint(value);
  }
}

/// Numbers beyond the range become the nearest one in it.
template <class To, class F> void realToInteger(Thread& t, const Instruction& i) {
  auto bits = t.get<typename F::Bits>(i.a);
  if ((i.mode & kFlush) != 0) bits = flushed<F>(bits);
  using Limits = std::numeric_limits<To>;
  if (isNan<F>(bits)) {
    const bool isLong = sizeof(To) == 8 || sizeof(bits) == 8;
    return t.set(i.to, isLong ? static_cast<To>(std::uint64_t{1} << (8 * sizeof(To) - 1)) : To{0});
  }
  const double value = toWhole(static_cast<double>(F::load(bits)), i.mode & kRounding);
  const double below = static_cast<double>(Limits::min());
  const double above = std::ldexp(1.0, std::is_signed_v<To> ? 8 * sizeof(To) - 1 : 8 * sizeof(To));
  t.set(i.to, value < below ? Limits::min() : value >= above ? Limits::max() : static_cast<To>(value));
}

template <class F> typename F::Bits finish(typename F::Bits bits, unsigned mode) {
  if ((mode & kFlush) != 0) bits = flushed<F>(bits);
  if ((mode & kSaturate) != 0) bits = saturated<F>(bits);
  if ((mode & kRelu) != 0 && (bits & F::kSign) != 0 && !isNan<F>(bits)) bits = 0;
  return bits;
}

template <class F, class From> typename F::Bits narrowed(From value, unsigned mode) {
  const unsigned rounding = mode & kRounding;
  if constexpr (sizeof(typename F::Bits) == 2) {
    return F::store(static_cast<double>(value), rounding);
  } else {
    const HostRounding host(rounding);
    const volatile From kept = value;
    const volatile auto result = static_cast<typename F::Compute>(kept);
    return F::store(result, rounding);
  }
}

template <class F, class From> void integerToReal(Thread& t, const Instruction& i) {
  t.set(i.to, finish<F>(narrowed<F>(t.get<From>(i.a), i.mode), i.mode));
}
template <class F, class From> void realToReal(Thread& t, const Instruction& i) {
  auto bits = t.get<typename From::Bits>(i.a);
  if ((i.mode & kFlush) != 0 && sizeof(bits) == 4) bits = flushed<From>(bits);
  typename F::Bits result{};
  if constexpr (std::is_same_v<F, From>) {
    result = bits;
    if ((i.mode & kToInteger) != 0)
      result =
          F::store(static_cast<typename F::Compute>(toWhole(static_cast<double>(F::load(bits)), i.mode & 3)), kNearest);
    else if (isNan<F>(bits))
      result = sizeof(bits) == 8 ? bits : F::kNan;
  } else {
    result = narrowed<F>(From::load(bits), i.mode);
  }
  const unsigned mode = sizeof(result) == 4 ? i.mode : i.mode & ~unsigned{kFlush};
  t.set(i.to, finish<F>(result, mode));
}

template <class F> Handler toReal(Type from) {
  switch (from) {
  case Type::F16: return realToReal<F, Half>;
  case Type::BF16: return realToReal<F, BrainHalf>;
  case Type::F32: return realToReal<F, Single>;
  case Type::F64: return realToReal<F, Double>;
  default: return forInteger(from, [](auto v) -> Handler { return integerToReal<F, decltype(v)>; });
  }
}
template <class To> Handler toInteger(Type from, bool isSaturated) {
  switch (from) {
  case Type::F16: return realToInteger<To, Half>;
  case Type::BF16: return realToInteger<To, BrainHalf>;
  case Type::F32: return realToInteger<To, Single>;
  case Type::F64: return realToInteger<To, Double>;
  default:
    return forInteger(from, [&](auto v) -> Handler {
      return isSaturated ? saturatedInteger<To, decltype(v)> : integerToInteger<To, decltype(v)>;
    });
  }
}

/// Two reals become halves of a word, the first the upper one.
template <class F> void pack(Thread& t, const Instruction& i) {
  const auto one = [&](Slot slot) {
    return finish<F>(F::store(static_cast<double>(t.get<float>(slot)), i.mode & kRounding), i.mode);
  };
  t.set(i.to, std::uint32_t{one(i.b)} | std::uint32_t{one(i.a)} << 16);
}

void decodeConversion(Assembler& out, const Statement& it, Modifiers& m) {
  const int plain = m.takeOneOf({"rn", "rz", "rm", "rp"}), whole = m.takeOneOf({"rni", "rzi", "rmi", "rpi"});
  unsigned mode = plain >= 0 ? static_cast<unsigned>(plain) : whole >= 0 ? static_cast<unsigned>(whole) : kNearest;
  const bool isSaturated = m.take("sat");
  if (m.take("ftz")) mode |= kFlush;
  if (m.take("relu")) mode |= kRelu;
  if (isSaturated) mode |= kSaturate;
  const Type to = m.takeType(), from = m.takeType();
  if (to == Type::F16x2 || to == Type::BF16x2) {
    if (it.operands.size() != 3 || from != Type::F32) out.fail("no such conversion");
    emitSame(out, it, to == Type::F16x2 ? pack<Half> : pack<BrainHalf>, Type::F32, 2);
  } else {
    Handler run = nullptr;
    switch (to) {
    case Type::F16: run = toReal<Half>(from); break;
    case Type::BF16: run = toReal<BrainHalf>(from); break;
    case Type::F32: run = toReal<Single>(from); break;
    case Type::F64: run = toReal<Double>(from); break;
    default: run = forInteger(to, [&](auto v) -> Handler { return toInteger<decltype(v)>(from, isSaturated); });
    }
    if (whole >= 0) mode |= kToInteger;
    if (it.operands.size() != 2) out.fail("wrong number of operands");
    out.emit(run, out.target(it.operands[0]), out.source(it.operands[1], from));
  }
  out.function.code.back().mode = static_cast<std::uint8_t>(mode);
}

} // namespace

Entries conversionEntries() { return {{"cvt", decodeConversion}}; }

} // namespace ptx
