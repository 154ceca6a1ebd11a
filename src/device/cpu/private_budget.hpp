// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cpu/short_lock.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace clotho::cpu {

/// Memory for the private data of work-groups (DeviceProperties::privateMemorySize). Every thread may keep an equal
/// share of it for good. A work-group that takes more counts what it takes here while it runs, and waits until there is
/// so much; a thread that waits holds nothing, so all come to their turn.
class PrivateBudget {
 public:
  PrivateBudget(std::uint64_t bytes, std::uint32_t threads)
      : bytes_(bytes), share_(bytes / std::max(threads, 1u)), left_(bytes) {}
  PrivateBudget(const PrivateBudget&) = delete;
  PrivateBudget& operator=(const PrivateBudget&) = delete;

  std::uint64_t share() const { return share_; }
  /// How many threads may each have `bytes` at once; at least one.
  std::uint32_t threadsFor(std::uint64_t bytes, std::uint32_t most) const {
    if (bytes <= share_) return most;
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(bytes_ / bytes, 1, most));
  }

  /// False, at once, for more than there is at all. Sleeps on a futex, which no pthread_cancel interrupts: the thread
  /// may be the application's.
  [[nodiscard]] bool take(std::uint64_t bytes) noexcept EXCLUDES(lock_) {
    if (bytes > bytes_) return false;
    for (;;) {
      const std::uint32_t seen = returns_.load(std::memory_order_acquire);
      {
        ShortLockScope scope(lock_);
        if (left_ >= bytes) {
          left_ -= bytes;
          return true;
        }
      }
      Parking::wait(returns_, seen);
    }
  }
  void giveBack(std::uint64_t bytes) noexcept EXCLUDES(lock_) {
    {
      ShortLockScope scope(lock_);
      left_ += bytes;
    }
    returns_.fetch_add(1, std::memory_order_release);
    Parking::wakeAll(returns_);
  }

 private:
  const std::uint64_t bytes_, share_;
  std::atomic<std::uint32_t> returns_{0}; ///< changes when something has been given back
  ShortLock lock_;
  std::uint64_t left_ GUARDED_BY(lock_);
};

} // namespace clotho::cpu
