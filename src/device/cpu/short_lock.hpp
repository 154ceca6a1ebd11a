// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "base/spin.hpp"

#include <atomic>
#include <cstdint>

namespace clotho::cpu {

/// A lock for critical sections of some ten instructions: spins a little, then sleeps on a futex, so that a preempted
/// holder costs no time slice. One word, no constructor.
class CAPABILITY("mutex") ShortLock {
 public:
  constexpr ShortLock() = default;
  ShortLock(const ShortLock&) = delete;
  ShortLock& operator=(const ShortLock&) = delete;

  void lock() noexcept ACQUIRE() {
    std::uint32_t expected = kFree;
    if (!word_.compare_exchange_strong(expected, kHeld, std::memory_order_acquire, std::memory_order_relaxed))
      lockSlow();
  }
  void unlock() noexcept RELEASE() {
    if (word_.exchange(kFree, std::memory_order_release) == kContended) Parking::wake(word_, 1);
  }

 private:
  static constexpr std::uint32_t kFree = 0, kHeld = 1, kContended = 2;

  void lockSlow() noexcept {
    for (int i = 0; i < 64; ++i) {
      pauseCpu();
      std::uint32_t expected = kFree;
      if (word_.load(std::memory_order_relaxed) == kFree &&
          word_.compare_exchange_weak(expected, kHeld, std::memory_order_acquire, std::memory_order_relaxed))
        return;
    }
    while (word_.exchange(kContended, std::memory_order_acquire) != kFree)
      Parking::wait(word_, kContended);
  }

  std::atomic<std::uint32_t> word_{kFree};
};

class SCOPED_CAPABILITY ShortLockScope {
 public:
  explicit ShortLockScope(ShortLock& lock) noexcept ACQUIRE(lock) : lock_(lock) { lock_.lock(); }
  ~ShortLockScope() RELEASE() { lock_.unlock(); }
  ShortLockScope(const ShortLockScope&) = delete;
  ShortLockScope& operator=(const ShortLockScope&) = delete;

 private:
  ShortLock& lock_;
};

} // namespace clotho::cpu
