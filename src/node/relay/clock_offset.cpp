// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/relay/clock_offset.hpp"

#include <algorithm>

namespace clotho::node {

void ClockOffset::measured(std::uint64_t asked, std::uint64_t told, std::uint64_t answered) noexcept {
  if (answered < asked) return; // not times of this clock
  const std::uint64_t roundTrip = answered - asked, middle = asked + roundTrip / 2;
  samples_[count_++ % kKept] = {static_cast<std::int64_t>(told - middle), roundTrip};
  const Sample best = *std::ranges::min_element(samples_, {}, &Sample::roundTrip);
  const auto doubt = static_cast<std::int64_t>(best.roundTrip / 2);
  const bool mayBeSame = best.offset >= -doubt && best.offset <= doubt;
  offset_.store(mayBeSame ? 0 : best.offset, std::memory_order_relaxed);
}

} // namespace clotho::node
