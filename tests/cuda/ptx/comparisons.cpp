// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons and selections.
#include "handlers.hpp"
#include "reals.hpp"

#include <array>

namespace ptx {

namespace {

enum Relation : std::uint8_t { kEq, kNe, kLt, kLe, kGt, kGe, kEqu, kNeu, kLtu, kLeu, kGtu, kGeu, kNum, kNotNum };
enum Combination : std::uint8_t { kNone, kAndWith, kOrWith, kXorWith };

template <class T> bool holds(Relation relation, T a, T b) {
  const bool isUnordered = a != a || b != b;
  switch (relation) {
  case kEq: return a == b;
  case kNe: return !isUnordered && a != b;
  case kLt: return a < b;
  case kLe: return a <= b;
  case kGt: return a > b;
  case kGe: return a >= b;
  case kEqu: return isUnordered || a == b;
  case kNeu: return a != b;
  case kLtu: return isUnordered || a < b;
  case kLeu: return isUnordered || a <= b;
  case kGtu: return isUnordered || a > b;
  case kGeu: return isUnordered || a >= b;
  case kNum: return !isUnordered;
  case kNotNum: return isUnordered;
  }
  return false;
}

template <class T, Relation relation> bool compareIntegers(const Thread& t, const Instruction& i) {
  return holds(relation, t.get<T>(i.a), t.get<T>(i.b));
}
template <class F, Relation relation> bool compareReals(const Thread& t, const Instruction& i) {
  auto a = t.get<typename F::Bits>(i.a), b = t.get<typename F::Bits>(i.b);
  if ((i.mode & kFlush) != 0) {
    a = flushed<F>(a);
    b = flushed<F>(b);
  }
  return holds(relation, F::load(a), F::load(b));
}

bool combine(bool result, bool with, unsigned how) {
  switch (how) {
  case kAndWith: return result && with;
  case kOrWith: return result || with;
  case kXorWith: return result != with;
  default: return result;
  }
}

template <auto compare> void setPredicate(Thread& t, const Instruction& i) { t.slots[i.to] = compare(t, i) ? 1 : 0; }
/// With a second target, which gets the contrary, or a combination with `c`. `count`: of which kind; `value`: the
/// second target, or -1.
template <auto compare> void setPredicates(Thread& t, const Instruction& i) {
  const bool result = compare(t, i);
  const bool with = (t.slots[i.c] & 1) != 0;
  const bool first = combine(result, with, i.count), second = combine(!result, with, i.count);
  t.slots[i.to] = first ? 1 : 0;
  if (i.value >= 0) t.slots[i.value] = second ? 1 : 0;
}
/// set: all bits, or 1 as a real.
template <auto compare> void setValue(Thread& t, const Instruction& i) {
  const bool result = combine(compare(t, i), (t.slots[i.c] & 1) != 0, i.count);
  t.slots[i.to] = result ? t.slots[i.d] : 0;
}

/// Halves of words: the lower ones decide on the first target, the upper ones on the second.
template <class F> void comparePairs(Thread& t, const Instruction& i) {
  const auto relation = static_cast<Relation>(i.d);
  const bool with = (t.slots[i.c] & 1) != 0;
  const auto a = t.get<std::uint32_t>(i.a), b = t.get<std::uint32_t>(i.b);
  bool results[2];
  for (unsigned half = 0; half < 2; ++half)
    results[half] = combine(holds(relation, F::load(static_cast<std::uint16_t>(a >> (16 * half))),
                                  F::load(static_cast<std::uint16_t>(b >> (16 * half)))),
                            with, i.count);
  t.slots[i.to] = results[0] ? 1 : 0;
  if (i.value >= 0) t.slots[i.value] = results[1] ? 1 : 0;
}

struct Handlers {
  Handler plain, combined, value;
};
template <auto compare> Handlers handlersOf() {
  return {setPredicate<compare>, setPredicates<compare>, setValue<compare>};
}
template <class T, bool isReal, std::size_t... relations>
Handlers pick(unsigned relation, std::index_sequence<relations...>) {
  Handlers made{};
  const auto one = [&]<std::size_t n>() {
    if (relation != n) return;
    if constexpr (isReal)
      made = handlersOf<compareReals<T, static_cast<Relation>(n)>>();
    else
      made = handlersOf<compareIntegers<T, static_cast<Relation>(n)>>();
  };
  (one.template operator()<relations>(), ...);
  return made;
}
template <class T> Handlers ofIntegers(unsigned relation) {
  return pick<T, false>(relation, std::make_index_sequence<6>{});
}
template <class F> Handlers ofReals(unsigned relation) {
  return pick<F, true>(relation, std::make_index_sequence<14>{});
}
Handlers handlersFor(Type type, unsigned relation) {
  switch (type) {
  case Type::B16:
  case Type::U16: return ofIntegers<std::uint16_t>(relation);
  case Type::S16: return ofIntegers<std::int16_t>(relation);
  case Type::B32:
  case Type::U32: return ofIntegers<std::uint32_t>(relation);
  case Type::S32: return ofIntegers<std::int32_t>(relation);
  case Type::B64:
  case Type::U64: return ofIntegers<std::uint64_t>(relation);
  case Type::S64: return ofIntegers<std::int64_t>(relation);
  case Type::F16: return ofReals<Half>(relation);
  case Type::BF16: return ofReals<BrainHalf>(relation);
  case Type::F16x2: return {comparePairs<Half>, comparePairs<Half>, nullptr};
  case Type::BF16x2: return {comparePairs<BrainHalf>, comparePairs<BrainHalf>, nullptr};
  case Type::F32: return ofReals<Single>(relation);
  case Type::F64: return ofReals<Double>(relation);
  default: return {};
  }
}

unsigned takeRelation(Assembler& out, Modifiers& m) {
  const int relation =
      m.takeOneOf({"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"});
  if (relation >= 0) return static_cast<unsigned>(relation);
  // Names for unsigned numbers: lower, same, higher.
  const int unsignedOne = m.takeOneOf({"lo", "ls", "hi", "hs"});
  if (unsignedOne < 0) out.fail("a comparison without relation");
  return std::array<unsigned, 4>{kLt, kLe, kGt, kGe}[static_cast<std::size_t>(unsignedOne)];
}

void decodeSetPredicate(Assembler& out, const Statement& it, Modifiers& m) {
  const unsigned relation = takeRelation(out, m);
  const int combination = m.takeOneOf({"and", "or", "xor"});
  const bool isFlushed = m.take("ftz");
  const Type type = m.takeType();
  if (it.operands.size() != (combination < 0 ? 3 : 4)) out.fail("wrong number of operands");
  const Handlers handlers = handlersFor(type, relation);
  const Slot a = out.source(it.operands[1], type), b = out.source(it.operands[2], type);
  const Slot c = combination < 0 ? 0 : out.source(it.operands[3], Type::Pred);
  const std::string_view second = it.operands[0].second;
  Instruction made = out.make(combination < 0 && second.empty() ? handlers.plain : handlers.combined);
  made.to = out.target(it.operands[0]);
  made.a = a;
  made.b = b;
  made.c = c;
  made.d = relation;
  made.count = static_cast<std::uint8_t>(combination + 1);
  made.mode = isFlushed ? kFlush : 0;
  Operand other;
  other.text = second;
  made.value = second.empty() ? -1 : static_cast<std::int64_t>(out.target(other));
  out.emit(made);
}

void decodeSet(Assembler& out, const Statement& it, Modifiers& m) {
  const unsigned relation = takeRelation(out, m);
  const int combination = m.takeOneOf({"and", "or", "xor"});
  const bool isFlushed = m.take("ftz");
  const Type result = m.takeType(), type = m.takeType();
  if (it.operands.size() != (combination < 0 ? 3 : 4)) out.fail("wrong number of operands");
  Instruction made = out.make(handlersFor(type, relation).value);
  made.a = out.source(it.operands[1], type);
  made.b = out.source(it.operands[2], type);
  made.c = combination < 0 ? 0 : out.source(it.operands[3], Type::Pred);
  made.d = out.constant(result == Type::F32 ? 0x3f80'0000 : result == Type::F16 ? 0x3c00 : ~std::uint64_t{0});
  made.to = out.target(it.operands[0]);
  made.count = static_cast<std::uint8_t>(combination + 1);
  made.mode = isFlushed ? kFlush : 0;
  out.emit(made);
}

void decodeSelect(Assembler& out, const Statement& it, Modifiers& m) {
  const Type type = m.takeType();
  if (it.operands.size() != 4) out.fail("wrong number of operands");
  out.emit(
      [](Thread& t, const Instruction& i) { t.slots[i.to] = (t.slots[i.c] & 1) != 0 ? t.slots[i.a] : t.slots[i.b]; },
      out.target(it.operands[0]), out.source(it.operands[1], type), out.source(it.operands[2], type),
      out.source(it.operands[3], Type::Pred));
}

/// slct: `a` if `c` is not negative.
void decodeSelectBySign(Assembler& out, const Statement& it, Modifiers& m) {
  m.take("ftz");
  const Type type = m.takeType(), sign = m.takeType();
  if (it.operands.size() != 4) out.fail("wrong number of operands");
  const Handler run =
      sign == Type::F32
          ? +[](Thread& t,
                const Instruction& i) { t.slots[i.to] = t.get<float>(i.c) >= 0 ? t.slots[i.a] : t.slots[i.b]; }
          : +[](Thread& t, const Instruction& i) {
              t.slots[i.to] = t.get<std::int32_t>(i.c) >= 0 ? t.slots[i.a] : t.slots[i.b];
            };
  out.emit(run, out.target(it.operands[0]), out.source(it.operands[1], type), out.source(it.operands[2], type),
           out.source(it.operands[3], sign));
}

} // namespace

Entries comparisonEntries() {
  return {{"setp", decodeSetPredicate}, {"set", decodeSet}, {"selp", decodeSelect}, {"slct", decodeSelectBySign}};
}

} // namespace ptx
