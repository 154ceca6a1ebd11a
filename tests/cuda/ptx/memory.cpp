// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads, stores, moves, and conversions of addresses.
#include "memory.hpp"

#include "handlers.hpp"

#include <algorithm>
#include <cstdio>
#include <type_traits>

namespace ptx {

std::uint8_t* outside(Thread& t, const char* space, std::uint64_t address, std::size_t bytes) {
  char text[128];
  std::snprintf(text, sizeof text, "access to %zu bytes at %#llx, which is outside of %s memory", bytes,
                static_cast<unsigned long long>(address), space);
  t.fail(Error::IllegalAddress, text);
  return nullptr;
}

std::uint8_t* misaligned(Thread& t, std::uint64_t address, std::size_t bytes) {
  char text[128];
  std::snprintf(text, sizeof text, "misaligned access to %zu bytes at %#llx", bytes,
                static_cast<unsigned long long>(address));
  t.fail(Error::MisalignedAddress, text);
  return nullptr;
}

Space takeSpace(Modifiers& m) {
  m.take("nc");
  switch (m.takeOneOf({"global", "const", "shared", "shared::cta", "local", "param", "param::entry", "param::func"})) {
  case 0: return Space::Global;
  case 1: return Space::Constant;
  case 2:
  case 3: return Space::Shared;
  case 4: return Space::Local;
  case 5:
  case 6:
  case 7: return Space::Parameter;
  default: return Space::Generic;
  }
}

bool takeOrder(Modifiers& m) {
  const int order = m.takeOneOf({"weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "sc", "mmio"});
  m.takeOneOf({"cta", "cluster", "gpu", "sys"});
  m.takeOneOf({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
  m.takeOneOf({"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate"});
  m.takeOneOf({"L2::64B", "L2::128B", "L2::256B"});
  return order > 0;
}

namespace {

// Single accesses are those of the host, so that other threads of it see no halves of them.
template <Space space, class T> void load(Thread& t, const Instruction& i) {
  const std::uint8_t* place = placeOf<space>(t, t.slots[i.a] + static_cast<std::uint64_t>(i.value), sizeof(T));
  if (place) [[likely]]
    t.set(i.to, __atomic_load_n(reinterpret_cast<const T*>(place), __ATOMIC_ACQUIRE));
}
template <Space space, class T> void store(Thread& t, const Instruction& i) {
  std::uint8_t* place = placeOf<space>(t, t.slots[i.a] + static_cast<std::uint64_t>(i.value), sizeof(T));
  if (place) [[likely]]
    __atomic_store_n(reinterpret_cast<T*>(place), t.get<T>(i.b), __ATOMIC_RELEASE);
}

const Slot* slotsOf(const Thread& t, const Instruction& i) { return t.frames.back().function->lists[i.b].data(); }
template <Space space, class T> void loadVector(Thread& t, const Instruction& i) {
  const auto* place = reinterpret_cast<const T*>(
      placeOf<space>(t, t.slots[i.a] + static_cast<std::uint64_t>(i.value), sizeof(T) * i.count));
  if (!place) return;
  const Slot* slots = slotsOf(t, i);
  for (unsigned n = 0; n < i.count; ++n)
    t.set(slots[n], __atomic_load_n(place + n, __ATOMIC_ACQUIRE));
}
template <Space space, class T> void storeVector(Thread& t, const Instruction& i) {
  auto* place =
      reinterpret_cast<T*>(placeOf<space>(t, t.slots[i.a] + static_cast<std::uint64_t>(i.value), sizeof(T) * i.count));
  if (!place) return;
  const Slot* slots = slotsOf(t, i);
  for (unsigned n = 0; n < i.count; ++n)
    __atomic_store_n(place + n, t.get<T>(slots[n]), __ATOMIC_RELEASE);
}

/// The type by size: reals are bits.
Type bitsOfType(Type type) {
  switch (type) {
  case Type::F16:
  case Type::BF16: return Type::U16;
  case Type::F32:
  case Type::F16x2:
  case Type::BF16x2: return Type::U32;
  case Type::F64: return Type::U64;
  default: return type;
  }
}

template <bool isLoad> void decodeAccess(Assembler& out, const Statement& it, Modifiers& m) {
  takeOrder(m);
  const Space space = takeSpace(m);
  const int vector = m.takeOneOf({"v2", "v4", "v8"});
  const Type type = bitsOfType(m.takeType());
  if (it.operands.size() != 2) out.fail("wrong number of operands");
  const Operand& value = it.operands[isLoad ? 0 : 1];
  const Operand& address = it.operands[isLoad ? 1 : 0];
  const bool isVector = vector >= 0;
  const Handler run = forSpace(space, [&](auto where) -> Handler {
    return forInteger(type, [&](auto v) -> Handler {
      constexpr Space kSpace = decltype(where)::value;
      using T = decltype(v);
      if constexpr (isLoad) return isVector ? loadVector<kSpace, T> : load<kSpace, T>;
      return isVector ? storeVector<kSpace, T> : store<kSpace, T>;
    });
  });
  if (!run) out.fail("no such type");
  std::vector<Slot> slots;
  if (isVector) {
    if (value.kind != Operand::Kind::Vector || value.elements.size() != std::size_t{2} << vector)
      out.fail("a vector of another length");
    for (const Operand& each : value.elements)
      slots.push_back(isLoad ? out.target(each) : out.source(each, type));
  }
  Instruction made;
  if (isVector) {
    out.address(address, made);
    made.b = static_cast<Slot>(out.function.lists.size());
    made.count = static_cast<std::uint8_t>(slots.size());
    out.function.lists.push_back(std::move(slots));
  } else {
    if (isLoad)
      made.to = out.target(value);
    else
      made.b = out.source(value, type);
    out.address(address, made);
  }
  Instruction final = out.make(run);
  final.to = made.to;
  final.a = made.a;
  final.b = made.b;
  final.count = made.count;
  final.value = made.value;
  out.emit(final);
}

/// Packs a vector into a register, or divides a register.
void moveVector(Assembler& out, const Statement& it, unsigned bytes) {
  const bool isPacking = it.operands[1].kind == Operand::Kind::Vector;
  const std::vector<Operand>& elements = it.operands[isPacking ? 1 : 0].elements;
  std::vector<Slot> slots;
  for (const Operand& each : elements)
    slots.push_back(isPacking ? out.source(each, Type::B64) : out.target(each));
  const unsigned part = bytes / static_cast<unsigned>(elements.size());
  if (part != 1 && part != 2 && part != 4) out.fail("a vector of another length");
  const Slot whole = isPacking ? out.target(it.operands[0]) : out.source(it.operands[1], Type::B64);
  Instruction made = out.make(isPacking ? +[](Thread& t, const Instruction& i) {
    std::uint64_t bits = 0;
    const Slot* from = slotsOf(t, i);
    for (unsigned n = 0; n < i.count; ++n)
      bits |= (t.slots[from[n]] & ((std::uint64_t{1} << i.mode) - 1)) << (n * i.mode);
    t.slots[i.to] = bits;
  } : +[](Thread& t, const Instruction& i) {
    const std::uint64_t bits = t.slots[i.a];
    const Slot* to = slotsOf(t, i);
    for (unsigned n = 0; n < i.count; ++n)
      t.slots[to[n]] = bits >> (n * i.mode) & ((std::uint64_t{1} << i.mode) - 1);
  });
  (isPacking ? made.to : made.a) = whole;
  made.b = static_cast<Slot>(out.function.lists.size());
  made.count = static_cast<std::uint8_t>(slots.size());
  made.mode = static_cast<std::uint8_t>(8 * part);
  out.function.lists.push_back(std::move(slots));
  out.emit(made);
}

void decodeMove(Assembler& out, const Statement& it, Modifiers& m) {
  const Type type = m.takeType();
  if (it.operands.size() != 2) out.fail("wrong number of operands");
  if (it.operands[0].kind == Operand::Kind::Vector || it.operands[1].kind == Operand::Kind::Vector)
    return moveVector(out, it, sizeOf(type));
  const Slot from = out.source(it.operands[1], type);
  out.emit([](Thread& t, const Instruction& i) { t.slots[i.to] = t.slots[i.a]; }, out.target(it.operands[0]), from);
}

std::uint64_t windowOf(Space space) {
  return space == Space::Shared      ? kSharedWindow
         : space == Space::Local     ? kLocalWindow
         : space == Space::Parameter ? kParameterWindow
                                     : 0;
}

void decodeAddressConversion(Assembler& out, const Statement& it, Modifiers& m) {
  const bool isToSpace = m.take("to");
  const Space space = takeSpace(m);
  if (sizeOf(m.takeType()) != 8 || it.operands.size() != 2) out.fail("no such conversion");
  const Slot from = out.source(it.operands[1], Type::U64);
  const std::uint64_t window = windowOf(space);
  Instruction made = out.make(
      [](Thread& t, const Instruction& i) { t.slots[i.to] = t.slots[i.a] + static_cast<std::uint64_t>(i.value); });
  made.to = out.target(it.operands[0]);
  made.a = from;
  made.value = static_cast<std::int64_t>(isToSpace ? 0 - window : window);
  out.emit(made);
}

void decodeIsSpace(Assembler& out, const Statement& it, Modifiers& m) {
  const Space space = takeSpace(m);
  if (it.operands.size() != 2) out.fail("wrong number of operands");
  const Slot from = out.source(it.operands[1], Type::U64);
  Instruction made = out.make([](Thread& t, const Instruction& i) {
    const std::uint64_t address = t.slots[i.a], window = static_cast<std::uint64_t>(i.value);
    t.slots[i.to] = window == 0 ? address < kSharedWindow : address - window < kWindow;
  });
  made.to = out.target(it.operands[0]);
  made.a = from;
  made.value = static_cast<std::int64_t>(windowOf(space));
  out.emit(made);
}

void decodePrefetch(Assembler& out, const Statement& it, Modifiers& m) {
  takeSpace(m);
  m.takeOneOf({"L1", "L2", "L2::evict_last", "L2::evict_normal"});
  static_cast<void>(out);
  static_cast<void>(it);
}

void decodeFence(Assembler& out, const Statement&, Modifiers& m) {
  takeOrder(m);
  m.takeOneOf({"gl"});
  out.emit([](Thread&, const Instruction&) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }, 0);
}

/// alloca: memory of the frame.
void decodeAllocate(Assembler& out, const Statement& it, Modifiers& m) {
  m.takeType();
  if (it.operands.size() < 2) out.fail("wrong number of operands");
  const Slot alignment = it.operands.size() > 2 ? out.source(it.operands[2], Type::U64) : out.constant(8);
  out.emit(
      [](Thread& t, const Instruction& i) {
        const std::uint64_t alignment = std::max<std::uint64_t>(t.slots[i.b], 16);
        const std::uint64_t begin = (t.localTop + alignment - 1) / alignment * alignment;
        t.localTop = begin + t.slots[i.a];
        if (t.localTop > std::size_t{1} << 26) return t.fail(Error::IllegalAddress, "too much local memory");
        if (t.local.size() < t.localTop) t.local.resize(t.localTop, 0xdb);
        t.slots[i.to] = begin;
      },
      out.target(it.operands[0]), out.source(it.operands[1], Type::U64), alignment);
}
void decodeStackSave(Assembler& out, const Statement& it, Modifiers& m) {
  m.takeType();
  if (it.operands.size() != 1) out.fail("wrong number of operands");
  if (it.opcode == "stacksave")
    out.emit([](Thread& t, const Instruction& i) { t.slots[i.to] = t.localTop; }, out.target(it.operands[0]));
  else
    out.emit([](Thread& t, const Instruction& i) { t.localTop = t.slots[i.a]; }, 0,
             out.source(it.operands[0], Type::U64));
}

} // namespace

Entries memoryEntries() {
  return {
      {"ld", decodeAccess<true>},
      {"ldu", decodeAccess<true>},
      {"st", decodeAccess<false>},
      {"mov", decodeMove},
      {"cvta", decodeAddressConversion},
      {"isspacep", decodeIsSpace},
      {"prefetch", decodePrefetch},
      {"prefetchu", decodePrefetch},
      {"fence", decodeFence},
      {"membar", decodeFence},
      {"alloca", decodeAllocate},
      {"stacksave", decodeStackSave},
      {"stackrestore", decodeStackSave},
  };
}

} // namespace ptx
