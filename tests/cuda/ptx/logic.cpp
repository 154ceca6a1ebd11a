// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bits: logic, shifts, fields, permutations.
#include "handlers.hpp"

#include <algorithm>

namespace ptx {

namespace {

constexpr auto kAnd = [](auto a, auto b) { return static_cast<decltype(a)>(a & b); };
constexpr auto kOr = [](auto a, auto b) { return static_cast<decltype(a)>(a | b); };
constexpr auto kXor = [](auto a, auto b) { return static_cast<decltype(a)>(a ^ b); };
constexpr auto kNot = [](auto a) { return static_cast<decltype(a)>(~a); };
constexpr auto kCNot = [](auto a) { return static_cast<decltype(a)>(a == 0 ? 1 : 0); };

template <auto apply> void decodeLogic(Assembler& out, const Statement& it, Modifiers& m) {
  const Type type = m.takeType();
  const Handler run = type == Type::Pred
                          ? binary<std::uint8_t, apply>
                          : forInteger(type, [](auto v) -> Handler { return binary<decltype(v), apply>; });
  emitSame(out, it, run, type, 2);
}
template <auto apply> void decodeUnary(Assembler& out, const Statement& it, Modifiers& m) {
  const Type type = m.takeType();
  const Handler run = type == Type::Pred
                          ? unary<std::uint8_t, apply>
                          : forInteger(type, [](auto v) -> Handler { return unary<decltype(v), apply>; });
  emitSame(out, it, run, type, 1);
}

// Amounts are 32-bit numbers; those beyond the width count as the width.
template <class T> void shiftLeft(Thread& t, const Instruction& i) {
  const auto amount = t.get<std::uint32_t>(i.b);
  t.set(i.to, amount >= 8 * sizeof(T) ? T{0} : static_cast<T>(std::uint64_t{t.get<T>(i.a)} << amount));
}
template <class T> void shiftRight(Thread& t, const Instruction& i) {
  const auto amount = t.get<std::uint32_t>(i.b);
  constexpr std::uint32_t kWidth = 8 * sizeof(T);
  const T a = t.get<T>(i.a);
  if (amount < kWidth)
    t.set(i.to, static_cast<T>(a >> amount));
  else
    t.set(i.to, static_cast<T>(std::is_signed_v<T> && a < 0 ? -1 : 0));
}

void decodeShift(Assembler& out, const Statement& it, Modifiers& m) {
  const Type type = m.takeType();
  const bool isLeft = it.opcode == "shl";
  const Handler run = forInteger(type, [&](auto v) -> Handler {
    using T = decltype(v);
    if (isLeft) return shiftLeft<std::make_unsigned_t<T>>;
    return shiftRight<T>;
  });
  if (it.operands.size() != 3) out.fail("wrong number of operands");
  out.emit(run, out.target(it.operands[0]), out.source(it.operands[1], type), out.source(it.operands[2], Type::U32));
}

/// shf: the high or low word of the shifted pair {b, a}.
template <bool isLeft, bool isClamped> void funnel(Thread& t, const Instruction& i) {
  const auto amount = t.get<std::uint32_t>(i.c);
  const unsigned n = isClamped ? std::min(amount, 32U) : amount & 31;
  const std::uint64_t pair = std::uint64_t{t.get<std::uint32_t>(i.b)} << 32 | t.get<std::uint32_t>(i.a);
  t.set(i.to, static_cast<std::uint32_t>(isLeft ? (pair << n) >> 32 : pair >> n));
}
void decodeFunnel(Assembler& out, const Statement& it, Modifiers& m) {
  const bool isLeft = m.takeOneOf({"l", "r"}) == 0, isClamped = m.takeOneOf({"wrap", "clamp"}) == 1;
  m.takeType();
  emitSame(out, it,
           isLeft      ? isClamped ? funnel<true, true> : funnel<true, false>
           : isClamped ? funnel<false, true>
                       : funnel<false, false>,
           Type::B32, 3);
}

template <class T> T maskOf(unsigned bits) {
  return bits >= 8 * sizeof(T) ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << bits) - 1);
}

template <class T> void extractField(Thread& t, const Instruction& i) {
  using U = std::make_unsigned_t<T>;
  constexpr unsigned kLast = 8 * sizeof(T) - 1;
  const auto a = t.get<U>(i.a);
  const unsigned from = t.get<std::uint32_t>(i.b) & 0xff, length = t.get<std::uint32_t>(i.c) & 0xff;
  const U sign = std::is_signed_v<T> && length != 0 && (a >> std::min(from + length - 1, kLast) & 1) != 0
                     ? static_cast<U>(~U{0})
                     : U{0};
  const unsigned taken = from > kLast ? 0 : std::min(length, kLast + 1 - from);
  const U bits = taken == 0 ? U{0} : static_cast<U>(a >> from);
  t.set(i.to, static_cast<T>((bits & maskOf<U>(taken)) | (sign & ~maskOf<U>(taken))));
}
void decodeExtract(Assembler& out, const Statement& it, Modifiers& m) {
  const Type type = m.takeType();
  if (it.operands.size() != 4) out.fail("wrong number of operands");
  const Handler run = forInteger(type, [](auto v) -> Handler { return extractField<decltype(v)>; });
  out.emit(run, out.target(it.operands[0]), out.source(it.operands[1], type), out.source(it.operands[2], Type::U32),
           out.source(it.operands[3], Type::U32));
}

template <class T> void insertField(Thread& t, const Instruction& i) {
  constexpr unsigned kBits = 8 * sizeof(T);
  const unsigned from = t.get<std::uint32_t>(i.c) & 0xff, length = t.get<std::uint32_t>(i.d) & 0xff;
  const T into = t.get<T>(i.b);
  if (from >= kBits) return t.set(i.to, into);
  const T mask = static_cast<T>(maskOf<T>(length) << from);
  t.set(i.to, static_cast<T>((into & ~mask) | (static_cast<T>(t.get<T>(i.a) << from) & mask)));
}
void decodeInsert(Assembler& out, const Statement& it, Modifiers& m) {
  const Type type = m.takeType();
  emitSame(out, it, sizeOf(type) == 8 ? insertField<std::uint64_t> : insertField<std::uint32_t>, type, 4);
}

/// bmsk: `b` bits from `a` on.
template <bool isWrapped> void bitMask(Thread& t, const Instruction& i) {
  const auto a = t.get<std::uint32_t>(i.a), b = t.get<std::uint32_t>(i.b);
  const unsigned from = isWrapped ? a & 31 : a, length = isWrapped ? b & 31 : b;
  t.set(i.to, from >= 32 ? 0U : static_cast<std::uint32_t>(maskOf<std::uint32_t>(length) << from));
}
void decodeMask(Assembler& out, const Statement& it, Modifiers& m) {
  const bool isWrapped = m.takeOneOf({"wrap", "clamp"}) == 0;
  m.takeType();
  emitSame(out, it, isWrapped ? bitMask<true> : bitMask<false>, Type::B32, 2);
}

/// Byte `n & 7` of the pair; its sign in all bits if `n & 8`.
std::uint32_t byteOf(std::uint64_t pair, std::uint32_t n) {
  const auto byte = static_cast<std::uint8_t>(pair >> (8 * (n & 7)));
  return (n & 8) == 0 ? byte : (byte & 0x80) != 0 ? 0xff : 0;
}
enum Permutation : std::uint8_t { kF4e, kB4e, kRc8, kEcl, kEcr, kRc16, kAny };
void permute(Thread& t, const Instruction& i) {
  const std::uint64_t pair = std::uint64_t{t.get<std::uint32_t>(i.b)} << 32 | t.get<std::uint32_t>(i.a);
  const auto selector = t.get<std::uint32_t>(i.c);
  const std::uint32_t n = selector & 3;
  std::uint32_t result = 0;
  for (std::uint32_t byte = 0; byte < 4; ++byte) {
    std::uint32_t from = 0;
    switch (i.mode) {
    case kF4e: from = n + byte; break;
    case kB4e: from = (n - byte) & 7; break;
    case kRc8: from = n; break;
    case kEcl: from = std::max(byte, n); break;
    case kEcr: from = std::min(byte, n); break;
    case kRc16: from = (n & 1) * 2 + (byte & 1); break;
    default: from = selector >> (4 * byte) & 15;
    }
    result |= byteOf(pair, from) << (8 * byte);
  }
  t.set(i.to, result);
}
void decodePermute(Assembler& out, const Statement& it, Modifiers& m) {
  m.takeType();
  const int mode = m.takeOneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  emitSame(out, it, permute, Type::B32, 3);
  out.function.code.back().mode = static_cast<std::uint8_t>(mode < 0 ? static_cast<int>(kAny) : mode);
}

/// lop3: bit (a, b, c) of a table of eight.
void decodeTable(Assembler& out, const Statement& it, Modifiers& m) {
  m.takeType();
  emitSame(
      out, it,
      [](Thread& t, const Instruction& i) {
        const auto a = t.get<std::uint32_t>(i.a), b = t.get<std::uint32_t>(i.b), c = t.get<std::uint32_t>(i.c),
                   table = t.get<std::uint32_t>(i.d);
        std::uint32_t result = 0;
        for (unsigned n = 0; n < 8; ++n)
          if ((table >> n & 1) != 0)
            result |= ((n & 4) != 0 ? a : ~a) & ((n & 2) != 0 ? b : ~b) & ((n & 1) != 0 ? c : ~c);
        t.set(i.to, result);
      },
      Type::B32, 4);
}

} // namespace

Entries logicEntries() {
  return {
      {"and", decodeLogic<kAnd>},   {"or", decodeLogic<kOr>}, {"xor", decodeLogic<kXor>}, {"not", decodeUnary<kNot>},
      {"cnot", decodeUnary<kCNot>}, {"shl", decodeShift},     {"shr", decodeShift},       {"shf", decodeFunnel},
      {"bfe", decodeExtract},       {"bfi", decodeInsert},    {"bmsk", decodeMask},       {"prmt", decodePermute},
      {"lop3", decodeTable},
  };
}

} // namespace ptx
