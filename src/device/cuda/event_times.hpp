// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "device/cuda/context.hpp"

#include <atomic>
#include <cstdint>
#include <vector>

namespace clotho::cuda {

/// Times of commands by CUDA events, in ns of the device's clock, which is the host's. CUDA tells times between events
/// as a float of milliseconds, so they are told from a base event, which is renewed now and then.
class EventTimes {
 public:
  explicit EventTimes(Context& context) : context_(context) {}

  /// Records the first base event, and waits for that. Throws CL_OUT_OF_RESOURCES.
  void makeReady() EXCLUDES(mutex_);
  /// An event that has been recorded in the stream; null if there is none to be had.
  CUevent record(CUstream stream) noexcept EXCLUDES(mutex_);
  /// When an event that has happened did so. The event may be recorded again.
  std::uint64_t take(CUevent event) noexcept EXCLUDES(mutex_);
  /// Records a new base event when the one in use is old, and uses it if it happens within some microseconds. By one
  /// thread, often.
  void renew() noexcept EXCLUDES(mutex_);

 private:
  Context& context_;
  CUstream stream_ = nullptr;     // of base events alone
  CUevent next_ = nullptr;        // the base event to come
  std::uint64_t nextAttempt_ = 0; // earliest time of the next attempt
  std::atomic<bool> isReady_{false};
  Mutex mutex_;
  std::vector<CUevent> free_ GUARDED_BY(mutex_);
  CUevent base_ GUARDED_BY(mutex_) = nullptr;
  std::atomic<std::uint64_t> baseTime_{0}; // written with the lock
};

} // namespace clotho::cuda
