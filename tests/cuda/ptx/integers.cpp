// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer arithmetic.
#include "handlers.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>

namespace ptx {

namespace {

__extension__ using Wide = __int128;
template <class T> using Unsigned = std::make_unsigned_t<T>;

// Arithmetic wraps. It is done in 64 bits, so that no type is promoted to a signed one.
constexpr auto kAdd = [](auto a, auto b) {
  return static_cast<decltype(a)>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
};
constexpr auto kSub = [](auto a, auto b) {
  return static_cast<decltype(a)>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
};
constexpr auto kMul = [](auto a, auto b) {
  return static_cast<decltype(a)>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
};
constexpr auto kMulHi = [](auto a, auto b) {
  return static_cast<decltype(a)>(static_cast<Wide>(a) * static_cast<Wide>(b) >> (8 * sizeof a));
};
constexpr auto kMulHiUnsigned64 = [](std::uint64_t a, std::uint64_t b) {
  __extension__ using Unsigned128 = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Unsigned128>(a) * b >> 64);
};
// Quotients by zero have all bits set; the least number by -1 is itself.
constexpr auto kDiv = [](auto a, auto b) {
  using T = decltype(a);
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return kSub(T{0}, a);
  return static_cast<T>(a / b);
};
constexpr auto kRem = [](auto a, auto b) {
  using T = decltype(a);
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return T{0};
  return static_cast<T>(a % b);
};
constexpr auto kMin = [](auto a, auto b) { return b < a ? b : a; };
constexpr auto kMax = [](auto a, auto b) { return a < b ? b : a; };
constexpr auto kAbs = [](auto a) { return a < 0 ? kSub(decltype(a){0}, a) : a; };
constexpr auto kNeg = [](auto a) { return kSub(decltype(a){0}, a); };
constexpr auto kSaturatedAdd = [](std::int32_t a, std::int32_t b) {
  const std::int64_t sum = std::int64_t{a} + b;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX));
};
constexpr auto kSaturatedSub = [](std::int32_t a, std::int32_t b) {
  const std::int64_t difference = std::int64_t{a} - b;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(difference, INT32_MIN, INT32_MAX));
};
constexpr auto kPopulation = [](auto a) { return static_cast<std::uint32_t>(std::popcount(a)); };
constexpr auto kLeadingZeros = [](auto a) { return static_cast<std::uint32_t>(std::countl_zero(a)); };
constexpr auto kReverse = [](auto a) {
  decltype(a) reversed = 0;
  for (unsigned bit = 0; bit < 8 * sizeof a; ++bit)
    reversed = static_cast<decltype(a)>(reversed << 1 | (a >> bit & 1));
  return reversed;
};
/// The highest bit that differs from the sign; all bits set if there is none.
template <bool isShift>
constexpr auto kFind = [](auto a) {
  using T = decltype(a);
  auto bits = static_cast<Unsigned<T>>(a);
  if (std::is_signed_v<T> && a < 0) bits = static_cast<Unsigned<T>>(~bits);
  if (bits == 0) return ~std::uint32_t{0};
  const auto zeros = static_cast<std::uint32_t>(std::countl_zero(bits));
  return isShift ? zeros : static_cast<std::uint32_t>(8 * sizeof a - 1) - zeros;
};
constexpr auto kMul24 = [](auto a, auto b, bool isHigh) {
  using T = decltype(a);
  const auto low = [](T v) {
    if constexpr (std::is_signed_v<T>) return std::int64_t{static_cast<T>(static_cast<Unsigned<T>>(v) << 8)} >> 8;
    return static_cast<std::int64_t>(v & 0xffffff);
  };
  return static_cast<T>(low(a) * low(b) >> (isHigh ? 16 : 0));
};

template <auto apply> Handler binaryFor(Type type) {
  return forInteger(type, [](auto v) -> Handler { return binary<decltype(v), apply>; });
}
template <auto apply> Handler unaryFor(Type type) {
  return forInteger(type, [](auto v) -> Handler { return unary<decltype(v), apply>; });
}
template <class T, auto apply> void pairs(Thread& t, const Instruction& i) {
  const auto a = t.get<std::uint32_t>(i.a), b = t.get<std::uint32_t>(i.b);
  const auto low = apply(static_cast<T>(a), static_cast<T>(b));
  const auto high = apply(static_cast<T>(a >> 16), static_cast<T>(b >> 16));
  t.set<std::uint32_t>(i.to, static_cast<std::uint16_t>(low) |
                                 static_cast<std::uint32_t>(static_cast<std::uint16_t>(high)) << 16);
}

bool isFloat(const Statement& it) {
  for (const std::string_view each : it.modifiers)
    switch (typeOf(each)) {
    case Type::F16:
    case Type::F16x2:
    case Type::BF16:
    case Type::BF16x2:
    case Type::F32:
    case Type::F64: return true;
    default: break;
    }
  return false;
}

/// Opcodes that reals have, too: `realEntries` decodes those.
template <auto apply, auto saturated> void decodeSum(Assembler& out, const Statement& it, Modifiers& m) {
  if (m.take("sat")) {
    if (m.takeType() != Type::S32) out.fail(".sat is for s32");
    return emitSame(out, it, binary<std::int32_t, saturated>, Type::S32, 2);
  }
  // Carries: .cc writes the flag.
  const bool writes = m.take("cc");
  const Type type = m.takeType();
  if (writes) {
    const bool is64 = sizeOf(type) == 8;
    constexpr bool kIsSub = apply(1, 1) == 0;
    const Handler run = is64 ? +[](Thread& t, const Instruction& i) {
      const auto a = t.get<std::uint64_t>(i.a), b = t.get<std::uint64_t>(i.b);
      t.carry = kIsSub ? a < b : a + b < a;
      t.set(i.to, apply(a, b));
    } : +[](Thread& t, const Instruction& i) {
      const auto a = t.get<std::uint32_t>(i.a), b = t.get<std::uint32_t>(i.b);
      t.carry = kIsSub ? a < b : a + b < a;
      t.set(i.to, apply(a, b));
    };
    return emitSame(out, it, run, type, 2);
  }
  if (type == Type::U16x2 || type == Type::S16x2) return emitSame(out, it, pairs<std::uint16_t, apply>, Type::B32, 2);
  emitSame(out, it, binaryFor<apply>(type), type, 2);
}

/// addc and subc.
template <class T, bool kIsSub> void withCarry(Thread& t, const Instruction& i) {
  const auto a = t.get<T>(i.a), b = t.get<T>(i.b);
  const T carry = t.carry ? 1 : 0;
  const T result = kIsSub ? a - b - carry : a + b + carry;
  if (i.mode) t.carry = kIsSub ? a < b || (a == b && carry) : result < a || (carry && result == a);
  t.set(i.to, result);
}
template <bool kIsSub> void decodeCarry(Assembler& out, const Statement& it, Modifiers& m) {
  const bool writes = m.take("cc");
  const Type type = m.takeType();
  emitSame(out, it, sizeOf(type) == 8 ? withCarry<std::uint64_t, kIsSub> : withCarry<std::uint32_t, kIsSub>, type, 2);
  out.function.code.back().mode = writes;
}

template <class T> struct Doubled;
template <> struct Doubled<std::uint16_t> {
  using Result = std::uint32_t;
};
template <> struct Doubled<std::int16_t> {
  using Result = std::int32_t;
};
template <> struct Doubled<std::uint32_t> {
  using Result = std::uint64_t;
};
template <> struct Doubled<std::int32_t> {
  using Result = std::int64_t;
};

template <class T> void mulWide(Thread& t, const Instruction& i) {
  using R = typename Doubled<T>::Result;
  t.set(i.to, kMul(static_cast<R>(t.get<T>(i.a)), static_cast<R>(t.get<T>(i.b))));
}
template <class T> void madWide(Thread& t, const Instruction& i) {
  using R = typename Doubled<T>::Result;
  t.set(i.to, kAdd(kMul(static_cast<R>(t.get<T>(i.a)), static_cast<R>(t.get<T>(i.b))), t.get<R>(i.c)));
}

template <bool isMad> Handler wide(Type type) {
  return forInteger(type, [](auto v) -> Handler {
    using T = decltype(v);
    if constexpr (sizeof(T) == 2 || sizeof(T) == 4) return isMad ? madWide<T> : mulWide<T>;
    return nullptr;
  });
}

Handler mulHi(Type type) {
  return type == Type::U64 ? binary<std::uint64_t, kMulHiUnsigned64> : binaryFor<kMulHi>(type);
}

void decodeMul(Assembler& out, const Statement& it, Modifiers& m) {
  const int part = m.takeOneOf({"lo", "hi", "wide"});
  const Type type = m.takeType();
  if (part < 0) out.fail("mul without part");
  emitSame(out, it, part == 0 ? binaryFor<kMul>(type) : part == 1 ? mulHi(type) : wide<false>(type), type, 2);
}

/// The sum of a product's part and `c`, with the carry if `mode` says so: 1 to add it, 2 to write it.
template <class T, bool isHigh> void mad(Thread& t, const Instruction& i) {
  const T a = t.get<T>(i.a), b = t.get<T>(i.b), c = t.get<T>(i.c);
  T product = kMul(a, b);
  if constexpr (isHigh) {
    if constexpr (std::is_same_v<T, std::uint64_t>)
      product = kMulHiUnsigned64(a, b);
    else
      product = kMulHi(a, b);
  }
  const T carry = (i.mode & 1) != 0 && t.carry ? 1 : 0;
  const T sum = kAdd(kAdd(product, c), carry);
  if ((i.mode & 2) != 0) {
    using U = Unsigned<T>;
    t.carry =
        static_cast<U>(sum) < static_cast<U>(product) || (carry && static_cast<U>(sum) == static_cast<U>(product));
  }
  t.set(i.to, sum);
}

template <bool hasCarry> void decodeMad(Assembler& out, const Statement& it, Modifiers& m) {
  const int part = m.takeOneOf({"lo", "hi", "wide"});
  const bool writes = m.take("cc");
  const bool isSaturated = m.take("sat");
  const Type type = m.takeType();
  if (part < 0) out.fail("mad without part");
  if (isSaturated) {
    if (part != 1 || type != Type::S32) out.fail(".sat is for mad.hi.s32");
    return emitSame(
        out, it,
        [](Thread& t, const Instruction& i) {
          const auto high = kMulHi(t.get<std::int32_t>(i.a), t.get<std::int32_t>(i.b));
          t.set(i.to, kSaturatedAdd(high, t.get<std::int32_t>(i.c)));
        },
        type, 3);
  }
  const Handler run = part == 2 ? wide<true>(type) : forInteger(type, [&](auto v) -> Handler {
    using T = decltype(v);
    return part == 0 ? mad<T, false> : mad<T, true>;
  });
  emitSame(out, it, run, type, 3);
  out.function.code.back().mode = static_cast<std::uint8_t>((hasCarry ? 1 : 0) | (writes ? 2 : 0));
}

template <bool isMad> void decode24(Assembler& out, const Statement& it, Modifiers& m) {
  const bool isHigh = m.takeOneOf({"lo", "hi"}) == 1;
  const Type type = m.takeType();
  if (sizeOf(type) != 4) out.fail("no such type");
  const Handler run = forInteger(type, [](auto v) -> Handler {
    return [](Thread& t, const Instruction& i) {
      using T = decltype(v);
      const T product = kMul24(t.get<T>(i.a), t.get<T>(i.b), i.mode != 0);
      t.set(i.to, isMad ? kAdd(product, t.get<T>(i.c)) : product);
    };
  });
  emitSame(out, it, run, type, isMad ? 3 : 2);
  out.function.code.back().mode = isHigh;
}

template <auto apply> void decodeBinary(Assembler& out, const Statement& it, Modifiers& m) {
  const Type type = m.takeType();
  if (type == Type::U16x2) return emitSame(out, it, pairs<std::uint16_t, apply>, Type::B32, 2);
  if (type == Type::S16x2) return emitSame(out, it, pairs<std::int16_t, apply>, Type::B32, 2);
  emitSame(out, it, binaryFor<apply>(type), type, 2);
}
template <auto apply> void decodeUnary(Assembler& out, const Statement& it, Modifiers& m) {
  const Type type = m.takeType();
  emitSame(out, it, unaryFor<apply>(type), type, 1);
}
/// Operations on bits, whose type says only how many there are.
template <auto apply> void decodeBits(Assembler& out, const Statement& it, Modifiers& m) {
  const Type type = m.takeType();
  emitSame(out, it, sizeOf(type) == 8 ? unary<std::uint64_t, apply> : unary<std::uint32_t, apply>, type, 1);
}
void decodeFind(Assembler& out, const Statement& it, Modifiers& m) {
  const bool isShift = m.take("shiftamt");
  const Type type = m.takeType();
  emitSame(out, it, isShift ? unaryFor<kFind<true>>(type) : unaryFor<kFind<false>>(type), type, 1);
}
void decodeSad(Assembler& out, const Statement& it, Modifiers& m) {
  const Type type = m.takeType();
  const Handler run = forInteger(type, [](auto v) -> Handler {
    return [](Thread& t, const Instruction& i) {
      using T = decltype(v);
      const T a = t.get<T>(i.a), b = t.get<T>(i.b);
      t.set(i.to, kAdd(t.get<T>(i.c), a < b ? kSub(b, a) : kSub(a, b)));
    };
  });
  emitSame(out, it, run, type, 3);
}

/// dp4a: the sum of four products of bytes and `c`; modes 1 and 2: signed `a`, signed `b`.
void decodeDp4a(Assembler& out, const Statement& it, Modifiers& m) {
  const bool isSignedA = isSigned(m.takeType()), isSignedB = isSigned(m.takeType());
  emitSame(
      out, it,
      [](Thread& t, const Instruction& i) {
        auto sum = t.get<std::uint32_t>(i.c);
        const auto byte = [](std::uint32_t word, unsigned n, bool isOfSigned) {
          const auto bits = static_cast<std::uint8_t>(word >> (8 * n));
          return isOfSigned ? std::int32_t{static_cast<std::int8_t>(bits)} : std::int32_t{bits};
        };
        for (unsigned n = 0; n < 4; ++n)
          sum += static_cast<std::uint32_t>(byte(t.get<std::uint32_t>(i.a), n, (i.mode & 1) != 0) *
                                            byte(t.get<std::uint32_t>(i.b), n, (i.mode & 2) != 0));
        t.set(i.to, sum);
      },
      Type::B32, 3);
  out.function.code.back().mode = static_cast<std::uint8_t>((isSignedA ? 1 : 0) | (isSignedB ? 2 : 0));
}

/// Opcodes of integers and reals.
template <Decode integers> void decodeEither(Assembler& out, const Statement& it, Modifiers& m) {
  if (!isFloat(it)) return integers(out, it, m);
  for (const Entry& each : floatEntries())
    if (each.opcode == it.opcode) return each.decode(out, it, m);
  out.fail("not for reals");
}

} // namespace

Entries integerEntries() {
  return {
      {"add", decodeEither<decodeSum<kAdd, kSaturatedAdd>>},
      {"sub", decodeEither<decodeSum<kSub, kSaturatedSub>>},
      {"addc", decodeCarry<false>},
      {"subc", decodeCarry<true>},
      {"mul", decodeEither<decodeMul>},
      {"mad", decodeEither<decodeMad<false>>},
      {"madc", decodeMad<true>},
      {"mul24", decode24<false>},
      {"mad24", decode24<true>},
      {"sad", decodeSad},
      {"div", decodeEither<decodeBinary<kDiv>>},
      {"rem", decodeBinary<kRem>},
      {"min", decodeEither<decodeBinary<kMin>>},
      {"max", decodeEither<decodeBinary<kMax>>},
      {"abs", decodeEither<decodeUnary<kAbs>>},
      {"neg", decodeEither<decodeUnary<kNeg>>},
      {"popc", decodeBits<kPopulation>},
      {"clz", decodeBits<kLeadingZeros>},
      {"brev", decodeBits<kReverse>},
      {"bfind", decodeFind},
      {"dp4a", decodeDp4a},
  };
}

} // namespace ptx
