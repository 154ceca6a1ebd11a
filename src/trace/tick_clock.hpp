// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/clock.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace clotho::trace {

/// Set in stamps that count ticks of the processor's time-stamp counter. Other stamps are ns of the host's clock.
inline constexpr std::uint64_t kTicksBit = std::uint64_t{1} << 63;

/// Whether stamps count ticks; written before the process's recorder is known to other threads.
extern constinit std::atomic<bool> stampsAreTicks;

/// The time now, for records alone: TickClock turns it into ns. Reading ticks takes less than half as long as reading
/// the host's clock, of which a command needs three.
inline std::uint64_t stampNow() noexcept {
#if defined(__x86_64__)
  if (stampsAreTicks.load(std::memory_order_relaxed)) return kTicksBit | __rdtsc();
#endif
  return hostTime();
}

/// Turns stamps into ns of the host's clock. Both clocks are read from time to time; between two such samples a
/// straight line leads from ticks to ns, so that a stamp always gives the same time. Not thread-safe.
class TickClock {
 public:
  /// Whether the processor's ticks are of one rate and alike on all processors, as the system finds.
  static bool isUsable() noexcept;

  TickClock() { sample(); }
  /// Reads both clocks. Throws std::bad_alloc.
  void sample();
  /// The time of the last sample, in ns. Later stamps have to wait for the next one.
  std::uint64_t last() const noexcept { return samples_.back().ns; }
  /// The stamp's time in ns, which is above last() if the stamp is later.
  std::uint64_t nsOf(std::uint64_t stamp) const noexcept;

 private:
  static constexpr std::size_t kMost =
      1 << 16; ///< samples that are kept, of almost two hours; older ones are forgotten

  struct Sample {
    std::uint64_t ticks, ns;
    double slope = 0; ///< ns for each tick up to the next sample
  };
  std::vector<Sample> samples_;
  mutable std::size_t found_ = 0; ///< the line of the last stamp
};

} // namespace clotho::trace
