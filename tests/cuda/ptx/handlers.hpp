// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes that handlers of arithmetic have in common.
#pragma once

#include "assembler.hpp"
#include "thread.hpp"

namespace ptx {

template <class T, auto apply> void unary(Thread& t, const Instruction& i) { t.set(i.to, apply(t.get<T>(i.a))); }
template <class T, auto apply> void binary(Thread& t, const Instruction& i) {
  t.set(i.to, apply(t.get<T>(i.a), t.get<T>(i.b)));
}
template <class T, auto apply> void ternary(Thread& t, const Instruction& i) {
  t.set(i.to, apply(t.get<T>(i.a), t.get<T>(i.b), t.get<T>(i.c)));
}

/// Emits an instruction whose operands all have this type: the target first, then up to four sources.
inline void emitSame(Assembler& out, const Statement& it, Handler run, Type type, std::size_t sources) {
  if (it.operands.size() != sources + 1) out.fail("wrong number of operands");
  Slot slots[4] = {};
  for (std::size_t i = 0; i < sources; ++i)
    slots[i] = out.source(it.operands[i + 1], type);
  out.emit(run, out.target(it.operands[0]), slots[0], slots[1], slots[2], slots[3]);
}

} // namespace ptx
