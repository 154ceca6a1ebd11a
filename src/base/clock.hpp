// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <ctime>

namespace clotho {

/// The clock of the host and of all devices: ns of CLOCK_MONOTONIC.
inline std::uint64_t hostTime() noexcept {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(time.tv_nsec);
}

} // namespace clotho
