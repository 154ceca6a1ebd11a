// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/mutex.hpp"

#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace clotho {

void Parking::wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeoutNs) noexcept {
  timespec limit{};
  limit.tv_sec = static_cast<time_t>(timeoutNs / 1'000'000'000);
  limit.tv_nsec = static_cast<long>(timeoutNs % 1'000'000'000);
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, timeoutNs < 0 ? nullptr : &limit, nullptr, 0);
}

void Parking::wake(std::atomic<std::uint32_t>& word, int threads) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

} // namespace clotho
