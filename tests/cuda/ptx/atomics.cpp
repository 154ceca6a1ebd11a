// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// atom and red. Each is one of the host's that orders all others, whatever order is asked for.
#include "handlers.hpp"
#include "memory.hpp"
#include "reals.hpp"

namespace ptx {

namespace {

template <Space space, class T, auto apply> void modify(Thread& t, const Instruction& i) {
  std::uint8_t* place = placeOf<space>(t, t.slots[i.a] + static_cast<std::uint64_t>(i.value), sizeof(T));
  if (!place) return;
  auto* word = reinterpret_cast<T*>(place);
  T old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
  const T b = t.get<T>(i.b), c = t.get<T>(i.c);
  while (!__atomic_compare_exchange_n(word, &old, apply(old, b, c), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  t.set(i.to, old);
}

constexpr auto kAnd = [](auto old, auto b, auto) { return static_cast<decltype(old)>(old & b); };
constexpr auto kOr = [](auto old, auto b, auto) { return static_cast<decltype(old)>(old | b); };
constexpr auto kXor = [](auto old, auto b, auto) { return static_cast<decltype(old)>(old ^ b); };
constexpr auto kExchange = [](auto, auto b, auto) { return b; };
constexpr auto kCompare = [](auto old, auto b, auto c) { return old == b ? c : old; };
constexpr auto kAdd = [](auto old, auto b, auto) {
  return static_cast<decltype(old)>(static_cast<std::uint64_t>(old) + static_cast<std::uint64_t>(b));
};
constexpr auto kMin = [](auto old, auto b, auto) { return b < old ? b : old; };
constexpr auto kMax = [](auto old, auto b, auto) { return old < b ? b : old; };
constexpr auto kIncrement = [](auto old, auto b, auto) { return old >= b ? decltype(old){0} : decltype(old)(old + 1); };
constexpr auto kDecrement = [](auto old, auto b, auto) {
  return old == 0 || old > b ? b : static_cast<decltype(old)>(old - 1);
};
template <class F, bool isFlushed>
constexpr auto kAddReal = [](auto old, auto b, auto) {
  if (!isFlushed) return F::store(F::load(old) + F::load(b), kNearest);
  return flushed<F>(F::store(F::load(flushed<F>(old)) + F::load(flushed<F>(b)), kNearest));
};
template <class F>
constexpr auto kAddPair = [](std::uint32_t old, std::uint32_t b, std::uint32_t) {
  const auto one = [&](unsigned at) {
    return F::store(F::load(static_cast<std::uint16_t>(old >> at)) + F::load(static_cast<std::uint16_t>(b >> at)),
                    kNearest);
  };
  return std::uint32_t{one(0)} | std::uint32_t{one(16)} << 16;
};

template <auto apply> Handler integers(Space space, Type type) {
  return forSpace(space, [&](auto where) -> Handler {
    return forInteger(type, [](auto v) -> Handler { return modify<decltype(where)::value, decltype(v), apply>; });
  });
}
template <class T, auto apply> Handler one(Space space) {
  return forSpace(space, [](auto where) -> Handler { return modify<decltype(where)::value, T, apply>; });
}

Handler sum(Space space, Type type) {
  switch (type) {
  // In global memory the hardware's sums of this type have no subnormal numbers.
  case Type::F32:
    return space == Space::Shared ? one<std::uint32_t, kAddReal<Single, false>>(space)
                                  : one<std::uint32_t, kAddReal<Single, true>>(space);
  case Type::F64: return one<std::uint64_t, kAddReal<Double, false>>(space);
  case Type::F16: return one<std::uint16_t, kAddReal<Half, false>>(space);
  case Type::BF16: return one<std::uint16_t, kAddReal<BrainHalf, false>>(space);
  case Type::F16x2: return one<std::uint32_t, kAddPair<Half>>(space);
  case Type::BF16x2: return one<std::uint32_t, kAddPair<BrainHalf>>(space);
  default: return integers<kAdd>(space, type);
  }
}

Handler handlerFor(int operation, Space space, Type type) {
  switch (operation) {
  case 0: return integers<kAnd>(space, type);
  case 1: return integers<kOr>(space, type);
  case 2: return integers<kXor>(space, type);
  case 3: return integers<kExchange>(space, type);
  case 4: return integers<kCompare>(space, type);
  case 5: return sum(space, type);
  case 6: return integers<kMin>(space, type);
  case 7: return integers<kMax>(space, type);
  case 8: return integers<kIncrement>(space, type);
  case 9: return integers<kDecrement>(space, type);
  default: return nullptr;
  }
}

template <bool hasResult> void decodeAtomic(Assembler& out, const Statement& it, Modifiers& m) {
  takeOrder(m);
  const Space space = takeSpace(m);
  const int operation = m.takeOneOf({"and", "or", "xor", "exch", "cas", "add", "min", "max", "inc", "dec"});
  m.take("noftz");
  const Type type = m.takeType();
  const std::size_t first = hasResult ? 1 : 0;
  const bool isCompare = operation == 4;
  if (it.operands.size() != first + (isCompare ? 3 : 2)) out.fail("wrong number of operands");
  Instruction address;
  out.address(it.operands[first], address);
  const Slot b = out.source(it.operands[first + 1], type);
  const Slot c = isCompare ? out.source(it.operands[first + 2], type) : b;
  Operand none;
  none.text = "_";
  Instruction made = out.make(handlerFor(operation, space, type));
  made.to = out.target(hasResult ? it.operands[0] : none);
  made.a = address.a;
  made.value = address.value;
  made.b = b;
  made.c = c;
  out.emit(made);
}

} // namespace

Entries atomicEntries() { return {{"atom", decodeAtomic<true>}, {"red", decodeAtomic<false>}}; }

} // namespace ptx
