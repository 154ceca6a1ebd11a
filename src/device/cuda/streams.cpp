// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/streams.hpp"

#include "base/error.hpp"
#include "base/spin.hpp"
#include "device/cuda/copier.hpp"
#include "device/cuda/stream.hpp"

#include <chrono>
#include <cstring>
#include <ctime>
#include <new>
#include <sys/prctl.h>

namespace clotho::cuda {

std::uint64_t hostTime() noexcept {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(time.tv_nsec);
}

// --- Streams ---

void Streams::makeReady() {
  MutexLock lock(mutex_);
  if (words_) return;
  const Context::Current current(context_);
  const Driver& api = context_.api();
  void* words = nullptr;
  const bool hasWords = context_.succeeded(
      api.memHostAlloc(&words, kMost * sizeof(std::uint64_t), kHostAllocPortable | kHostAllocMapped));
  check(hasWords && context_.succeeded(api.memHostGetDevicePointer(&deviceWords_, words, 0)), CL_OUT_OF_RESOURCES,
        "no pinned memory for the device's streams");
  std::memset(words, 0, kMost * sizeof(std::uint64_t));
  words_ = static_cast<std::uint64_t*>(words);
  check(startThread("clotho-gpu", threadMain, this), CL_OUT_OF_RESOURCES, "no thread can be made for the GPU");
}

// Places continue from the last one of the stream that had this number before: edges may still hold places of that
// stream, which must count as reached.
void Streams::add(const std::shared_ptr<Stream>& stream) {
  MutexLock lock(mutex_);
  std::size_t number = 0;
  while (number < streams_.size() && streams_[number])
    ++number;
  check(number < kMost, CL_OUT_OF_RESOURCES, "the device has as many queues as it can have");
  if (number == streams_.size()) streams_.emplace_back();
  streams_[number] = stream;
  stream->setNumber(static_cast<std::uint16_t>(number), reached(static_cast<std::uint16_t>(number)));
}

void Streams::remove(std::uint16_t number) noexcept {
  std::shared_ptr<Stream> removed; // destroyed without the lock
  MutexLock lock(mutex_);
  removed = std::move(streams_[number]);
}

std::shared_ptr<Stream> Streams::stream(std::uint16_t number) const noexcept {
  MutexLock lock(mutex_);
  return number < streams_.size() ? streams_[number] : nullptr;
}

bool Streams::settle() noexcept {
  bool hasSettled = false;
  for (std::size_t i = 0;; ++i) {
    std::shared_ptr<Stream> stream;
    {
      MutexLock lock(mutex_);
      if (i >= streams_.size()) return hasSettled;
      stream = streams_[i];
    }
    if (stream && stream->settle()) hasSettled = true;
  }
}

void Streams::checkHealth() noexcept {
  for (std::size_t i = 0; !context_.isLost(); ++i) {
    std::shared_ptr<Stream> stream;
    {
      MutexLock lock(mutex_);
      if (i >= streams_.size()) return;
      stream = streams_[i];
    }
    if (stream) stream->checkHealth();
  }
}

// --- The thread that ends commands for which no thread waits ---

void Streams::noteIssued() noexcept {
  unfinished_.fetch_add(1, std::memory_order_seq_cst);
  if (!watcherSleeps_.load(std::memory_order_seq_cst)) return;
  {
    const MutexLock lock(watcherMutex_); // the thread waits, or will see the count
  }
  watcherWoken_.notifyOne();
}

void* Streams::threadMain(void* streams) noexcept {
  static_cast<Streams*>(streams)->watch();
  return nullptr;
}

void Streams::watch() noexcept {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds kAwake{50}, kHealth{20'000};
  constexpr timespec kPause{0, 20'000};
  context_.enterThread();
  prctl(PR_SET_TIMERSLACK, 1000UL); // ns: pauses are as short as they say
  for (Clock::time_point checked = Clock::now();;) {
    {
      MutexLock lock(watcherMutex_);
      watcherSleeps_.store(true, std::memory_order_seq_cst);
      watcherWoken_.wait(watcherMutex_, [&] { return unfinished_.load(std::memory_order_seq_cst) != 0; });
      watcherSleeps_.store(false, std::memory_order_seq_cst);
    }
    // Kernels often end soon. Others are looked after from time to time.
    for (Clock::time_point settled = Clock::now(); unfinished_.load(std::memory_order_acquire) != 0;) {
      if (settle()) {
        settled = Clock::now();
        continue;
      }
      if (Clock::now() - settled > kAwake)
        nanosleep(&kPause, nullptr);
      else
        pauseCpu();
      if (Clock::now() - checked < kHealth) continue;
      checked = Clock::now();
      checkHealth();
    }
  }
}

// --- Times ---

bool EventTimes::renewBase() noexcept {
  const Driver& api = context_.api();
  if (!stream_ && !context_.succeeded(api.streamCreate(&stream_, kStreamNonBlocking))) return false;
  if (!base_ && !context_.succeeded(api.eventCreate(&base_, kEventDefault))) return false;
  const std::uint64_t before = hostTime();
  if (!context_.succeeded(api.eventRecord(base_, stream_)) || !context_.succeeded(api.eventSynchronize(base_)))
    return false;
  baseTime_ = before + (hostTime() - before) / 2;
  return true;
}

CUevent EventTimes::record(CUstream stream) noexcept {
  constexpr std::uint64_t kLongAgo = 4'000'000'000;
  MutexLock lock(mutex_);
  if (hostTime() - baseTime_ > kLongAgo && !renewBase()) return nullptr;
  CUevent event = nullptr;
  if (!free_.empty()) {
    event = free_.back();
    free_.pop_back();
  } else if (!context_.succeeded(context_.api().eventCreate(&event, kEventDefault))) {
    return nullptr;
  }
  if (context_.succeeded(context_.api().eventRecord(event, stream))) return event;
  context_.api().eventDestroy(event);
  return nullptr;
}

std::uint64_t EventTimes::take(CUevent event) noexcept {
  MutexLock lock(mutex_);
  float milliseconds = 0;
  context_.succeeded(context_.api().eventElapsedTime(&milliseconds, base_, event));
  try {
    free_.push_back(event);
  } catch (const std::bad_alloc&) {
    context_.api().eventDestroy(event);
  }
  return baseTime_ + static_cast<std::uint64_t>(static_cast<std::int64_t>(double{milliseconds} * 1e6));
}

} // namespace clotho::cuda
