// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "trace/record.hpp"

namespace clotho::trace {

/// The calling thread's counters now, in its own code: cycles, instructions, cache misses. Zeros if they are not wanted
/// (CLOTHO_TRACE_COUNTERS) or not to be had, which is logged once with the reason.
CounterValues countersNow() noexcept;
/// Whether they may be had: launches that one thread runs have a record of their own then.
bool wantsCounters() noexcept;
/// The thread ends, or is that of a forked child, whose counters are the parent's.
void closeCounters() noexcept;

/// The increase of the counters since `begin`.
inline CounterValues countersSince(const CounterValues& begin) noexcept {
  if (begin.cycles == 0) return {};
  const CounterValues end = countersNow();
  return {end.cycles - begin.cycles, end.instructions - begin.instructions, end.cacheMisses - begin.cacheMisses};
}

} // namespace clotho::trace
