// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic of reals.
#include "handlers.hpp"
#include "reals.hpp"

#include <algorithm>

namespace ptx {

namespace {

template <class F> using BitsOf = typename F::Bits;

/// Operations get what they compute with, behind a rounding that is set; volatile keeps them there.
struct Add {
  template <class T> static T of(T a, T b, T) {
    const volatile T x = a, y = b;
    return x + y;
  }
};
struct Sub {
  template <class T> static T of(T a, T b, T) {
    const volatile T x = a, y = b;
    return x - y;
  }
};
struct Mul {
  template <class T> static T of(T a, T b, T) {
    const volatile T x = a, y = b;
    return x * y;
  }
};
struct Div {
  template <class T> static T of(T a, T b, T) {
    const volatile T x = a, y = b;
    return x / y;
  }
};
struct Fma {
  template <class T> static T of(T a, T b, T c) {
    const volatile T x = a, y = b, z = c;
    return std::fma(x, y, z);
  }
};
struct Sqrt {
  template <class T> static T of(T a, T, T) {
    const volatile T x = a;
    return std::sqrt(x);
  }
};
struct Rcp {
  template <class T> static T of(T a, T, T) {
    const volatile T x = a, one = 1;
    return one / x;
  }
};
/// Approximations are computed more exactly than the hardware does.
template <auto function> struct Approximate {
  template <class T> static T of(T a, T, T) { return static_cast<T>(function(static_cast<double>(a))); }
};
using Sin = Approximate<+[](double x) { return std::sin(x); }>;
using Cos = Approximate<+[](double x) { return std::cos(x); }>;
using Exp2 = Approximate<+[](double x) { return std::exp2(x); }>;
using Log2 = Approximate<+[](double x) { return std::log2(x); }>;
using Tanh = Approximate<+[](double x) { return std::tanh(x); }>;
using Rsqrt = Approximate<+[](double x) { return 1 / std::sqrt(x); }>;

template <class F> typename F::Bits finish(typename F::Bits bits, unsigned mode) {
  if ((mode & kFlush) != 0) bits = flushed<F>(bits);
  if ((mode & kSaturate) != 0) bits = saturated<F>(bits);
  if ((mode & kRelu) != 0 && (bits & F::kSign) != 0 && !isNan<F>(bits)) bits = 0;
  return bits;
}

template <class F, class Op> BitsOf<F> compute(BitsOf<F> a, BitsOf<F> b, BitsOf<F> c, unsigned mode) {
  if ((mode & kFlush) != 0) {
    a = flushed<F>(a);
    b = flushed<F>(b);
    c = flushed<F>(c);
  }
  if (mode == 0) return F::store(Op::of(F::load(a), F::load(b), F::load(c)), kNearest);
  typename F::Compute result;
  {
    const HostRounding host(sizeof(BitsOf<F>) == 2 ? kNearest : mode & kRounding);
    result = Op::of(F::load(a), F::load(b), F::load(c));
  }
  return finish<F>(F::store(result, mode & kRounding), mode);
}

template <class F, class Op> void arithmetic(Thread& t, const Instruction& i) {
  using B = BitsOf<F>;
  t.set(i.to, compute<F, Op>(t.get<B>(i.a), t.get<B>(i.b), t.get<B>(i.c), i.mode));
}
/// Applies a function to both halves of a word.
template <class Function> std::uint32_t halves(Function apply) {
  return apply(0) | static_cast<std::uint32_t>(apply(16)) << 16;
}
template <class F, class Op> void packed(Thread& t, const Instruction& i) {
  const auto a = t.get<std::uint32_t>(i.a), b = t.get<std::uint32_t>(i.b), c = t.get<std::uint32_t>(i.c);
  t.set(i.to, halves([&](unsigned at) {
          return compute<F, Op>(static_cast<std::uint16_t>(a >> at), static_cast<std::uint16_t>(b >> at),
                                static_cast<std::uint16_t>(c >> at), i.mode);
        }));
}

template <class Op> Handler handlerFor(Type type) {
  switch (type) {
  case Type::F16: return arithmetic<Half, Op>;
  case Type::BF16: return arithmetic<BrainHalf, Op>;
  case Type::F16x2: return packed<Half, Op>;
  case Type::BF16x2: return packed<BrainHalf, Op>;
  case Type::F32: return arithmetic<Single, Op>;
  case Type::F64: return arithmetic<Double, Op>;
  default: return nullptr;
  }
}

/// Takes .rn and so on, .ftz, .sat and .relu.
std::uint8_t takeMode(Modifiers& m) {
  const int rounding = m.takeOneOf({"rn", "rz", "rm", "rp"});
  unsigned mode = rounding < 0 ? kNearest : static_cast<unsigned>(rounding);
  if (m.take("ftz")) mode |= kFlush;
  if (m.take("sat")) mode |= kSaturate;
  if (m.take("relu")) mode |= kRelu;
  return static_cast<std::uint8_t>(mode);
}

template <class Op, unsigned sources> void decodeArithmetic(Assembler& out, const Statement& it, Modifiers& m) {
  const std::uint8_t mode = takeMode(m);
  m.takeOneOf({"approx", "full"});
  const Type type = m.takeType();
  emitSame(out, it, handlerFor<Op>(type), type, sources);
  out.function.code.back().mode = mode;
}

/// The lesser or greater; of two that are not numbers, none. Zeros have an order.
template <class F, bool isMax> BitsOf<F> extremum(BitsOf<F> a, BitsOf<F> b, unsigned mode, bool keepsNan) {
  if ((mode & kFlush) != 0) {
    a = flushed<F>(a);
    b = flushed<F>(b);
  }
  const bool isNanA = isNan<F>(a), isNanB = isNan<F>(b);
  if ((isNanA && isNanB) || ((isNanA || isNanB) && keepsNan)) return sizeof(a) == 8 ? (isNanA ? a : b) : F::kNan;
  if (isNanA) return b;
  if (isNanB) return a;
  const auto x = F::load(a), y = F::load(b);
  if (x == y) return ((a & F::kSign) != 0) == isMax ? b : a;
  return (x < y) == isMax ? b : a;
}
inline constexpr std::uint8_t kKeepsNan = 32;
template <class F, bool isMax> void leastOrMost(Thread& t, const Instruction& i) {
  using B = BitsOf<F>;
  t.set(i.to, extremum<F, isMax>(t.get<B>(i.a), t.get<B>(i.b), i.mode, (i.mode & kKeepsNan) != 0));
}
template <class F, bool isMax> void packedLeastOrMost(Thread& t, const Instruction& i) {
  const auto a = t.get<std::uint32_t>(i.a), b = t.get<std::uint32_t>(i.b);
  t.set(i.to, halves([&](unsigned at) {
          return extremum<F, isMax>(static_cast<std::uint16_t>(a >> at), static_cast<std::uint16_t>(b >> at), i.mode,
                                    (i.mode & kKeepsNan) != 0);
        }));
}
template <bool isMax> void decodeExtremum(Assembler& out, const Statement& it, Modifiers& m) {
  unsigned mode = m.take("ftz") ? kFlush : 0;
  if (m.take("NaN")) mode |= kKeepsNan;
  const Type type = m.takeType();
  Handler run = nullptr;
  switch (type) {
  case Type::F16: run = leastOrMost<Half, isMax>; break;
  case Type::BF16: run = leastOrMost<BrainHalf, isMax>; break;
  case Type::F16x2: run = packedLeastOrMost<Half, isMax>; break;
  case Type::BF16x2: run = packedLeastOrMost<BrainHalf, isMax>; break;
  case Type::F32: run = leastOrMost<Single, isMax>; break;
  case Type::F64: run = leastOrMost<Double, isMax>; break;
  default: break;
  }
  emitSame(out, it, run, type, 2);
  out.function.code.back().mode = static_cast<std::uint8_t>(mode);
}

/// Clears or turns signs.
template <class F, bool isAbs> void sign(Thread& t, const Instruction& i) {
  auto bits = t.get<BitsOf<F>>(i.a);
  if ((i.mode & kFlush) != 0) bits = flushed<F>(bits);
  t.set(i.to, static_cast<BitsOf<F>>(isAbs ? bits & ~F::kSign : bits ^ F::kSign));
}
template <bool isAbs> void packedSign(Thread& t, const Instruction& i) {
  const auto bits = t.get<std::uint32_t>(i.a);
  t.set(i.to, isAbs ? bits & 0x7fff'7fffU : bits ^ 0x8000'8000U);
}
template <bool isAbs> void decodeSign(Assembler& out, const Statement& it, Modifiers& m) {
  const bool isFlushed = m.take("ftz");
  const Type type = m.takeType();
  Handler run = nullptr;
  switch (type) {
  case Type::F16: run = sign<Half, isAbs>; break;
  case Type::BF16: run = sign<BrainHalf, isAbs>; break;
  case Type::F16x2:
  case Type::BF16x2: run = packedSign<isAbs>; break;
  case Type::F32: run = sign<Single, isAbs>; break;
  case Type::F64: run = sign<Double, isAbs>; break;
  default: break;
  }
  emitSame(out, it, run, type, 1);
  out.function.code.back().mode = isFlushed ? kFlush : 0;
}

/// The size of `b` with the sign of `a`.
template <class F> void copySign(Thread& t, const Instruction& i) {
  const auto a = t.get<BitsOf<F>>(i.a), b = t.get<BitsOf<F>>(i.b);
  t.set(i.to, static_cast<BitsOf<F>>((a & F::kSign) | (b & ~F::kSign)));
}
void decodeCopySign(Assembler& out, const Statement& it, Modifiers& m) {
  const Type type = m.takeType();
  emitSame(out, it, type == Type::F32 ? copySign<Single> : type == Type::F64 ? copySign<Double> : nullptr, type, 2);
}

enum Property : std::uint8_t { kFinite, kInfinite, kNumber, kNotANumber, kNormal, kSubnormal };
template <class F> void testProperty(Thread& t, const Instruction& i) {
  const auto size = static_cast<BitsOf<F>>(t.get<BitsOf<F>>(i.a) & ~F::kSign);
  bool holds = false;
  switch (i.mode) {
  case kFinite: holds = size < F::kInfinity; break;
  case kInfinite: holds = size == F::kInfinity; break;
  case kNumber: holds = size <= F::kInfinity; break;
  case kNotANumber: holds = size > F::kInfinity; break;
  case kNormal: holds = size >= F::kSmallest && size < F::kInfinity; break;
  default: holds = size != 0 && size < F::kSmallest;
  }
  t.set(i.to, std::uint8_t{holds});
}
void decodeTest(Assembler& out, const Statement& it, Modifiers& m) {
  const int property = m.takeOneOf({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  const Type type = m.takeType();
  if (property < 0) out.fail("testp of what?");
  emitSame(out, it,
           type == Type::F32   ? testProperty<Single>
           : type == Type::F64 ? testProperty<Double>
                               : nullptr,
           type, 1);
  out.function.code.back().mode = static_cast<std::uint8_t>(property);
}

/// rcp and rsqrt of doubles that are not exact: only the high word of the number is read, and of the result, set.
template <class Op> void decodeReciprocal(Assembler& out, const Statement& it, Modifiers& m) {
  const bool isApproximate = std::find(it.modifiers.begin(), it.modifiers.end(), "approx") != it.modifiers.end();
  const bool isDouble = std::find(it.modifiers.begin(), it.modifiers.end(), "f64") != it.modifiers.end();
  if (!isApproximate || !isDouble || it.opcode == "sqrt") return decodeArithmetic<Op, 1>(out, it, m);
  m.take("approx");
  m.take("ftz");
  m.takeType();
  emitSame(
      out, it,
      [](Thread& t, const Instruction& i) {
        const std::uint64_t high = t.get<std::uint64_t>(i.a) & 0xffff'ffff'0000'0000;
        const std::uint64_t bits = compute<Double, Op>(high, 0, 0, kFlush);
        t.set(i.to, bits & 0xffff'ffff'0000'0000);
      },
      Type::F64, 1);
}

} // namespace

Entries floatEntries() {
  return {
      {"add", decodeArithmetic<Add, 2>},  {"sub", decodeArithmetic<Sub, 2>},
      {"mul", decodeArithmetic<Mul, 2>},  {"div", decodeArithmetic<Div, 2>},
      {"fma", decodeArithmetic<Fma, 3>},  {"mad", decodeArithmetic<Fma, 3>},
      {"min", decodeExtremum<false>},     {"max", decodeExtremum<true>},
      {"abs", decodeSign<true>},          {"neg", decodeSign<false>},
      {"sqrt", decodeReciprocal<Sqrt>},   {"rcp", decodeReciprocal<Rcp>},
      {"rsqrt", decodeReciprocal<Rsqrt>}, {"sin", decodeArithmetic<Sin, 1>},
      {"cos", decodeArithmetic<Cos, 1>},  {"ex2", decodeArithmetic<Exp2, 1>},
      {"lg2", decodeArithmetic<Log2, 1>}, {"tanh", decodeArithmetic<Tanh, 1>},
      {"copysign", decodeCopySign},       {"testp", decodeTest},
  };
}

} // namespace ptx
