// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/thread_affinity.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <sys/syscall.h>
#include <unistd.h>

/// For threads that pass messages on.
namespace clotho::cluster {

/// Whether threads that poll would keep those from running that they wait for. A program, the two threads of its node
/// that pass messages on, and a worker are four.
inline bool hasFewProcessors() noexcept {
  constexpr std::size_t kFew = 3;
  return usableProcessors() <= kFew;
}

/// Time for which a thread looks for messages of other machines before it sleeps.
inline std::chrono::microseconds networkPollTime() noexcept {
  return std::chrono::microseconds(hasFewProcessors() ? 0 : 20);
}

/// Decides whether a thread that waits polls before it sleeps: seldom, as long as that is in vain. Any thread.
class PollHabit {
 public:
  bool isWorthwhile() noexcept {
    const std::uint32_t left = toSkip_.load(std::memory_order_relaxed);
    if (left != 0) toSkip_.store(left - 1, std::memory_order_relaxed);
    return left == 0;
  }
  /// Whether what it polled for came.
  void note(bool wasInTime) noexcept { toSkip_.store(wasInTime ? 0 : kSkipped, std::memory_order_relaxed); }

 private:
  static constexpr std::uint32_t kSkipped = 15;
  std::atomic<std::uint32_t> toSkip_{0};
};

/// Has the kernel run this thread, and threads that it makes, soon after they are woken, though others compute: they
/// ask for short slices of time (Linux 6.12; older kernels ignore it). Their share of the time stays as it is.
inline void takeShortSlices() noexcept {
  // struct sched_attr, which no header of the C library has.
  struct {
    std::uint32_t size = sizeof *this, policy = 0;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime = 0, deadline = 0, period = 0;
  } attributes;
  constexpr std::uint32_t kOrdinary = 0; // SCHED_OTHER
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0 || attributes.policy != kOrdinary) return;
  attributes.size = sizeof attributes;
  attributes.runtime = 100'000; // ns, the shortest
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}

} // namespace clotho::cluster
