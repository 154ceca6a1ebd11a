// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#if defined(__clang__)
#define CLOTHO_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define CLOTHO_THREAD_ATTRIBUTE(x)
#endif
#define CAPABILITY(x) CLOTHO_THREAD_ATTRIBUTE(capability(x))
#define SCOPED_CAPABILITY CLOTHO_THREAD_ATTRIBUTE(scoped_lockable)
#define GUARDED_BY(x) CLOTHO_THREAD_ATTRIBUTE(guarded_by(x))
#define REQUIRES(...) CLOTHO_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) CLOTHO_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define ACQUIRE(...) CLOTHO_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define RELEASE(...) CLOTHO_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define TRY_ACQUIRE(...) CLOTHO_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
#define NO_THREAD_SAFETY_ANALYSIS CLOTHO_THREAD_ATTRIBUTE(no_thread_safety_analysis)

namespace clotho {

/// A mutex that clang's thread-safety analysis knows. Never held while user code runs.
class CAPABILITY("mutex") Mutex {
 public:
  constexpr Mutex() = default;
  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }
  bool tryLock() TRY_ACQUIRE(true) { return mutex_.try_lock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

/// Waits take the predicate, so that no caller forgets about spurious wake-ups.
class CondVar {
 public:
  template <class Predicate> void wait(Mutex& mutex, Predicate&& done) REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    while (!evaluate(done))
      condition_.wait(lock);
    lock.release();
  }
  template <class Duration, class Predicate>
  bool waitFor(Mutex& mutex, Duration duration, Predicate&& done) REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    bool result = condition_.wait_for(lock, duration, [&] { return evaluate(done); });
    lock.release();
    return result;
  }
  void notifyOne() noexcept { condition_.notify_one(); }
  void notifyAll() noexcept { condition_.notify_all(); }

 private:
  // The predicate runs with the mutex held, which the analysis cannot see through a lambda.
  template <class Predicate> static bool evaluate(Predicate& done) NO_THREAD_SAFETY_ANALYSIS { return done(); }
  std::condition_variable condition_;
};

/// A word on which threads sleep (a futex): the value is compared and the sleep begun in one step.
class Parking {
 public:
  /// Sleeps while `*word == expected`, until woken or after `timeoutNs` (negative: no limit). May wake without cause.
  static void wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                   std::int64_t timeoutNs = -1) noexcept;
  static void wake(std::atomic<std::uint32_t>& word, int threads) noexcept;
  static void wakeAll(std::atomic<std::uint32_t>& word) noexcept { wake(word, 0x7fffffff); }
};

} // namespace clotho
