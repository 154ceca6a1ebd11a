// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lanes do together, and barriers.
#include "handlers.hpp"

#include <bit>

namespace ptx {

namespace {

using Lanes = std::vector<Thread*>;

/// A value for what PTX leaves undefined.
constexpr std::uint32_t kUndefined = 0xdeadbeef;

/// Waits for the lanes of the mask in slot `d`.
template <auto complete> void meet(Thread& t, const Instruction& i) {
  t.mask = t.get<std::uint32_t>(i.d);
  t.waitsAt = &i;
  t.complete = complete;
  if ((t.mask >> t.lane & 1) == 0)
    return t.fail(Error::IllegalInstruction, "the lane is not in its own mask " + std::to_string(t.mask));
  t.state = State::AtWarp;
}

bool predicateOf(const Thread& t) { return ((t.slots[t.waitsAt->a] & 1) != 0) != (t.waitsAt->mode != 0); }

std::uint32_t ballot(const Lanes& lanes) {
  std::uint32_t bits = 0;
  for (const Thread* each : lanes)
    bits |= static_cast<std::uint32_t>(predicateOf(*each)) << each->lane;
  return bits;
}
enum Vote : std::uint8_t { kAll, kAny, kUniform, kBallot };
template <Vote vote> void completeVote(const Lanes& lanes) {
  const std::uint32_t yes = ballot(lanes);
  const bool all = static_cast<std::size_t>(std::popcount(yes)) == lanes.size();
  for (Thread* each : lanes)
    each->slots[each->waitsAt->to] = vote == kBallot ? yes
                                     : vote == kAll  ? all
                                     : vote == kAny  ? yes != 0
                                                     : all || yes == 0;
}

void decodeVote(Assembler& out, const Statement& it, Modifiers& m) {
  constexpr Handler kVotes[] = {meet<completeVote<kAll>>, meet<completeVote<kAny>>, meet<completeVote<kUniform>>,
                                meet<completeVote<kBallot>>};
  if (!m.take("sync") || it.operands.size() != 3) out.fail("only vote.sync exists since sm_70");
  const int vote = m.takeOneOf({"all", "any", "uni", "ballot"});
  m.takeType();
  if (vote < 0) out.fail("a vote on what?");
  const Slot a = out.source(it.operands[1], Type::Pred), mask = out.source(it.operands[2], Type::B32);
  out.emit(kVotes[vote], out.target(it.operands[0]), a, 0, 0, mask);
}

enum Shuffle : std::uint8_t { kUp, kDown, kButterfly, kIndex };
template <Shuffle shuffle> void completeShuffle(const Lanes& lanes) {
  std::uint32_t values[32];
  std::uint32_t present = 0;
  for (const Thread* each : lanes) {
    values[each->lane] = each->get<std::uint32_t>(each->waitsAt->a);
    present |= 1U << each->lane;
  }
  for (Thread* each : lanes) {
    const Instruction& i = *each->waitsAt;
    const unsigned b = each->get<std::uint32_t>(i.b) & 31, lane = each->lane;
    const auto c = each->get<std::uint32_t>(i.c);
    const unsigned clamp = c & 31, segment = c >> 8 & 31;
    const unsigned most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    int from = 0;
    bool isIn = false;
    switch (shuffle) {
    case kUp:
      from = static_cast<int>(lane) - static_cast<int>(b);
      isIn = from >= static_cast<int>(most);
      break;
    case kDown:
      from = static_cast<int>(lane + b);
      isIn = from <= static_cast<int>(most);
      break;
    case kButterfly:
      from = static_cast<int>(lane ^ b);
      isIn = from <= static_cast<int>(most);
      break;
    case kIndex:
      from = static_cast<int>(least | (b & ~segment));
      isIn = from <= static_cast<int>(most);
      break;
    }
    if (!isIn) from = static_cast<int>(lane);
    each->set<std::uint32_t>(i.to, (present >> from & 1) != 0 ? values[from] : kUndefined);
    if (i.value >= 0) each->slots[i.value] = isIn;
  }
}

void decodeShuffle(Assembler& out, const Statement& it, Modifiers& m) {
  constexpr Handler kShuffles[] = {meet<completeShuffle<kUp>>, meet<completeShuffle<kDown>>,
                                   meet<completeShuffle<kButterfly>>, meet<completeShuffle<kIndex>>};
  if (!m.take("sync") || it.operands.size() != 5) out.fail("only shfl.sync exists since sm_70");
  const int shuffle = m.takeOneOf({"up", "down", "bfly", "idx"});
  m.takeType();
  if (shuffle < 0) out.fail("which shuffle?");
  const Slot a = out.source(it.operands[1], Type::B32), b = out.source(it.operands[2], Type::B32),
             c = out.source(it.operands[3], Type::B32), mask = out.source(it.operands[4], Type::B32);
  Operand second;
  second.text = it.operands[0].second;
  Instruction made = out.make(kShuffles[shuffle]);
  made.to = out.target(it.operands[0]);
  made.value = second.text.empty() ? -1 : static_cast<std::int64_t>(out.target(second));
  made.a = a;
  made.b = b;
  made.c = c;
  made.d = mask;
  out.emit(made);
}

template <class T, bool isAll> void completeMatch(const Lanes& lanes) {
  for (Thread* each : lanes) {
    std::uint32_t same = 0;
    for (const Thread* other : lanes)
      if (other->get<T>(other->waitsAt->a) == each->get<T>(each->waitsAt->a)) same |= 1U << other->lane;
    const bool all = static_cast<std::size_t>(std::popcount(same)) == lanes.size();
    each->set<std::uint32_t>(each->waitsAt->to, isAll && !all ? 0 : same);
    if (each->waitsAt->value >= 0) each->slots[each->waitsAt->value] = all;
  }
}
void decodeMatch(Assembler& out, const Statement& it, Modifiers& m) {
  const bool isAll = m.takeOneOf({"any", "all"}) == 1;
  if (!m.take("sync") || it.operands.size() != 3) out.fail("only match.sync exists");
  const bool is64 = sizeOf(m.takeType()) == 8;
  const Slot a = out.source(it.operands[1], is64 ? Type::B64 : Type::B32), mask = out.source(it.operands[2], Type::B32);
  Operand second;
  second.text = it.operands[0].second;
  Instruction made =
      out.make(isAll  ? is64 ? meet<completeMatch<std::uint64_t, true>> : meet<completeMatch<std::uint32_t, true>>
               : is64 ? meet<completeMatch<std::uint64_t, false>>
                      : meet<completeMatch<std::uint32_t, false>>);
  made.to = out.target(it.operands[0]);
  made.value = second.text.empty() ? -1 : static_cast<std::int64_t>(out.target(second));
  made.a = a;
  made.d = mask;
  out.emit(made);
}

template <class T, auto apply> void completeReduction(const Lanes& lanes) {
  T result = lanes.front()->get<T>(lanes.front()->waitsAt->a);
  for (std::size_t n = 1; n < lanes.size(); ++n)
    result = apply(result, lanes[n]->get<T>(lanes[n]->waitsAt->a));
  for (Thread* each : lanes)
    each->set(each->waitsAt->to, result);
}
using Word = std::uint32_t;
using SignedWord = std::int32_t;
Handler reductionFor(int operation, bool isOfSigned) {
  switch (operation) {
  case 0: return meet<completeReduction<Word, +[](Word a, Word b) { return a + b; }>>;
  case 1:
    return isOfSigned
               ? Handler{meet<completeReduction<SignedWord, +[](SignedWord a, SignedWord b) { return b < a ? b : a; }>>}
               : meet<completeReduction<Word, +[](Word a, Word b) { return b < a ? b : a; }>>;
  case 2:
    return isOfSigned
               ? Handler{meet<completeReduction<SignedWord, +[](SignedWord a, SignedWord b) { return a < b ? b : a; }>>}
               : meet<completeReduction<Word, +[](Word a, Word b) { return a < b ? b : a; }>>;
  case 3: return meet<completeReduction<Word, +[](Word a, Word b) { return a & b; }>>;
  case 4: return meet<completeReduction<Word, +[](Word a, Word b) { return a | b; }>>;
  case 5: return meet<completeReduction<Word, +[](Word a, Word b) { return a ^ b; }>>;
  default: return nullptr;
  }
}
void decodeReduction(Assembler& out, const Statement& it, Modifiers& m) {
  const int operation = m.takeOneOf({"add", "min", "max", "and", "or", "xor"});
  if (!m.take("sync") || it.operands.size() != 3) out.fail("only redux.sync exists");
  const Type type = m.takeType();
  const Slot a = out.source(it.operands[1], type), mask = out.source(it.operands[2], Type::B32);
  out.emit(reductionFor(operation, isSigned(type)), out.target(it.operands[0]), a, 0, 0, mask);
}

void decodeActive(Assembler& out, const Statement& it, Modifiers& m) {
  m.takeType();
  if (it.operands.size() != 1) out.fail("wrong number of operands");
  out.emit(
      [](Thread& t, const Instruction& i) {
        t.waitsAt = &i;
        t.state = State::AtActive;
      },
      out.target(it.operands[0]));
}

/// Waits for the block at the barrier in slot `b`, for as many threads as slot `c` says, or all.
template <Complete complete> void wait(Thread& t, const Instruction& i) {
  t.waitsAt = &i;
  t.barrier = t.get<std::uint32_t>(i.b);
  t.barrierCount = t.get<std::uint32_t>(i.c);
  t.complete = complete;
  if (t.barrier >= 16 || t.barrierCount % 32 != 0) return t.fail(Error::IllegalInstruction, "no such barrier");
  t.state = State::AtBarrier;
}
void completeCount(const Lanes& threads) {
  std::uint32_t count = 0;
  for (const Thread* each : threads)
    count += predicateOf(*each);
  for (Thread* each : threads)
    each->set(each->waitsAt->to, count);
}
template <bool isAll> void completePredicate(const Lanes& threads) {
  bool result = isAll;
  for (const Thread* each : threads)
    result = isAll ? result && predicateOf(*each) : result || predicateOf(*each);
  for (Thread* each : threads)
    each->slots[each->waitsAt->to] = result;
}

void decodeBarrier(Assembler& out, const Statement& it, Modifiers& m) {
  if (m.take("warp")) {
    if (!m.take("sync") || it.operands.size() != 1) out.fail("no such barrier");
    out.emit(meet<+[](const Lanes&) {}>, 0, 0, 0, 0, out.source(it.operands[0], Type::B32));
    return;
  }
  m.take("cta");
  const bool isAligned = m.take("aligned") || it.opcode == "bar";
  const int kind = m.takeOneOf({"sync", "arrive", "red"});
  const int reduction = m.takeOneOf({"popc", "and", "or"});
  m.takeTypeIf();
  const std::size_t first = kind == 2 ? 1 : 0;
  if (kind < 0 || it.operands.size() <= first) out.fail("no such barrier");
  const bool hasCount = it.operands.size() == first + (kind == 2 ? 3 : 2);
  const Slot id = out.source(it.operands[first], Type::B32);
  const Slot count = hasCount ? out.source(it.operands[first + 1], Type::B32) : out.constant(0);
  if (kind == 0) {
    out.emit(wait<nullptr>, 0, 0, id, count);
    out.function.code.back().isAligned = isAligned;
    return;
  }
  if (kind == 1) {
    out.emit([](Thread& t, const Instruction& i) { ++t.block->arrivedOnly[t.get<std::uint32_t>(i.b) & 15]; }, 0, 0, id,
             count);
    return;
  }
  const Slot predicate = out.source(it.operands.back(), Type::Pred);
  out.emit(reduction == 0   ? wait<completeCount>
           : reduction == 1 ? wait<completePredicate<true>>
                            : wait<completePredicate<false>>,
           out.target(it.operands[0]), predicate, id, count);
  out.function.code.back().isAligned = isAligned;
}

} // namespace

Entries warpEntries() {
  return {
      {"vote", decodeVote},         {"shfl", decodeShuffle}, {"match", decodeMatch},     {"redux", decodeReduction},
      {"activemask", decodeActive}, {"bar", decodeBarrier},  {"barrier", decodeBarrier},
  };
}

} // namespace ptx
