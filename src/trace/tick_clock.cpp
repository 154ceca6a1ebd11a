// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/tick_clock.hpp"

#include "base/text_file.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace clotho::trace {

constinit std::atomic<bool> stampsAreTicks{false};

namespace {

std::uint64_t ticksNow() noexcept {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return hostTime();
#endif
}

} // namespace

bool TickClock::isUsable() noexcept {
#if defined(__x86_64__)
  constexpr unsigned kPowerManagement = 0x80000007, kInvariantTicks = 1U << 8;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(kPowerManagement, &a, &b, &c, &d) == 0 || (d & kInvariantTicks) == 0) return false;
  try {
    // Linux compares the counters of all processors before it takes them for a clock, and keeps an eye on them.
    return readTextFile("/sys/devices/system/clocksource/clocksource0/current_clocksource") == "tsc\n";
  } catch (const std::exception&) {
    return false;
  }
#else
  return false;
#endif
}

void TickClock::sample() {
  constexpr int kTries = 5; // the thread may lose its processor between the readings
  if (samples_.size() >= kMost) {
    samples_.erase(samples_.begin(), samples_.begin() + kMost / 2);
    found_ = 0;
  }
  Sample best{0, 0};
  std::uint64_t shortest = UINT64_MAX;
  for (int i = 0; i < kTries; ++i) {
    const std::uint64_t before = ticksNow(), ns = hostTime(), length = ticksNow() - before;
    if (length >= shortest) continue;
    shortest = length;
    best = {before + length / 2, ns};
  }
  if (!samples_.empty()) {
    Sample& last = samples_.back();
    if (best.ticks <= last.ticks || best.ns <= last.ns) return;
    last.slope = static_cast<double>(best.ns - last.ns) / static_cast<double>(best.ticks - last.ticks);
    best.slope = last.slope; // until there is another one
  }
  samples_.push_back(best);
}

std::uint64_t TickClock::nsOf(std::uint64_t stamp) const noexcept {
  if ((stamp & kTicksBit) == 0) return stamp;
  const std::uint64_t ticks = stamp & ~kTicksBit;
  // Stamps come almost in their order.
  const auto isIn = [&](std::size_t i) {
    return samples_[i].ticks <= ticks && (i + 1 == samples_.size() || ticks < samples_[i + 1].ticks);
  };
  if (!isIn(found_)) {
    const auto next = std::ranges::upper_bound(samples_, ticks, {}, &Sample::ticks);
    found_ = next == samples_.begin() ? 0 : static_cast<std::size_t>(next - samples_.begin()) - 1;
  }
  const Sample& from = samples_[found_];
  const double since =
      ticks >= from.ticks ? static_cast<double>(ticks - from.ticks) : -static_cast<double>(from.ticks - ticks);
  return from.ns + static_cast<std::uint64_t>(std::llround(since * from.slope));
}

} // namespace clotho::trace
