// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/event_times.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"

#include <new>
#include <utility>

namespace clotho::cuda {

namespace {

constexpr std::uint64_t kMostDoubt = 40'000; ///< ns in which a base event has happened
constexpr int kAttempts = 10;

} // namespace

void EventTimes::makeReady() {
  MutexLock lock(mutex_);
  if (isReady_.load(std::memory_order_relaxed)) return;
  const Context::Current current(context_);
  check(!context_.isLost(), CL_OUT_OF_RESOURCES, "the GPU is lost to this process");
  const Driver& api = context_.api();
  const auto must = [&](CUresult result) {
    check(context_.succeeded(result), CL_OUT_OF_RESOURCES, "CUDA gives no events for the times of commands");
  };
  if (!stream_) must(api.streamCreate(&stream_, kStreamNonBlocking));
  if (!next_) must(api.eventCreate(&next_, kEventDefault));
  // The best of some attempts: on a busy host this thread may learn late of the event.
  std::uint64_t least = UINT64_MAX;
  for (int attempt = 0; attempt < kAttempts && least > kMostDoubt; ++attempt) {
    CUevent event = nullptr;
    must(api.eventCreate(&event, kEventDefault));
    const std::uint64_t before = hostTime();
    must(api.eventRecord(event, stream_));
    must(api.eventSynchronize(event));
    const std::uint64_t doubt = hostTime() - before;
    if (doubt < least) {
      least = doubt;
      baseTime_.store(before + doubt / 2, std::memory_order_relaxed);
      std::swap(base_, event);
    }
    if (event) api.eventDestroy(event);
  }
  isReady_.store(true, std::memory_order_release);
}

// The host has to learn of the base event as soon as it has happened. If that takes long, since the GPU is busy, times
// are told from the old one until the next attempt.
void EventTimes::renew() noexcept {
  constexpr std::uint64_t kOld = 2'000'000'000, kBetweenAttempts = 100'000'000; // ns
  const std::uint64_t begin = hostTime();
  if (!isReady_.load(std::memory_order_acquire) || begin < nextAttempt_) return;
  if (begin - baseTime_.load(std::memory_order_relaxed) < kOld) return;
  nextAttempt_ = begin + kBetweenAttempts;
  const Context::Current current(context_);
  if (context_.isLost() || !context_.succeeded(context_.api().eventRecord(next_, stream_))) return;
  CUresult state = CUresult::NotReady;
  std::uint64_t end = begin;
  while (state == CUresult::NotReady && end - begin < kMostDoubt) {
    state = context_.api().eventQuery(next_);
    end = hostTime();
  }
  if (state == CUresult::NotReady || !context_.succeeded(state)) return;
  MutexLock lock(mutex_);
  std::swap(base_, next_);
  baseTime_.store(begin + (end - begin) / 2, std::memory_order_relaxed);
}

CUevent EventTimes::record(CUstream stream) noexcept {
  const Driver& api = context_.api();
  CUevent event = nullptr;
  {
    MutexLock lock(mutex_);
    if (!free_.empty()) {
      event = free_.back();
      free_.pop_back();
    }
  }
  if (!event && !context_.succeeded(api.eventCreate(&event, kEventDefault))) return nullptr;
  if (context_.succeeded(api.eventRecord(event, stream))) return event;
  api.eventDestroy(event);
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
  return baseTime_.load(std::memory_order_relaxed) +
         static_cast<std::uint64_t>(static_cast<std::int64_t>(double{milliseconds} * 1e6));
}

} // namespace clotho::cuda
