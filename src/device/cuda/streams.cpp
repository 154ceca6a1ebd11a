// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/streams.hpp"

#include "base/error.hpp"
#include "base/options.hpp"
#include "base/spin.hpp"
#include "device/cuda/event_times.hpp"
#include "device/cuda/stream.hpp"
#include "device/cuda/threads.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <sys/prctl.h>

namespace clotho::cuda {

Streams::Streams(Context& context, EventTimes& times)
    : context_(context), times_(times), limit_(options().gpuSeconds * 1'000'000'000) {}

void Streams::makeReady() {
  MutexLock lock(mutex_);
  if (words_) return;
  const Context::Current current(context_);
  const Driver& api = context_.api();
  // The process's own memory: threads may look at the words when the driver is gone.
  constexpr std::size_t kPage = 4096;
  constexpr std::size_t kBytes = kMost * sizeof(std::uint64_t);
  void* words = std::aligned_alloc(kPage, kBytes);
  if (!words) throw std::bad_alloc();
  std::memset(words, 0, kBytes);
  const bool isPinned =
      !context_.isLost() &&
      context_.succeeded(api.memHostRegister(words, kBytes, kHostRegisterPortable | kHostRegisterMapped));
  if (!isPinned || !context_.succeeded(api.memHostGetDevicePointer(&deviceWords_, words, 0))) {
    std::free(words);
    throw Error{CL_OUT_OF_RESOURCES, "no pinned memory for the device's streams"};
  }
  words_ = static_cast<std::uint64_t*>(words);
  check(startThread("clotho-gpu", threadMain, this), CL_OUT_OF_RESOURCES, "no thread can be made for the GPU");
}

Stream& Streams::take(QueueServices& services, bool isTimed) {
  if (isTimed) times_.makeReady();
  MutexLock lock(mutex_);
  Stream* stream = nullptr;
  if (!free_.empty()) {
    stream = free_.back();
    free_.pop_back();
  } else {
    const std::size_t count = count_.load(std::memory_order_relaxed);
    check(count < kMost, CL_OUT_OF_RESOURCES, "the device has as many queues as it can have");
    free_.reserve(count + 1);
    stream = new Stream(services, static_cast<std::uint16_t>(count));
    streams_[count].store(stream, std::memory_order_relaxed);
    count_.store(count + 1, std::memory_order_seq_cst);
  }
  stream->setTimed(isTimed);
  return *stream;
}

void Streams::giveBack(Stream& stream) noexcept {
  MutexLock lock(mutex_);
  free_.push_back(&stream);
}

bool Streams::settle() noexcept {
  bool hasSettled = false;
  forEach([&](Stream& stream) { hasSettled |= stream.settle(); });
  return hasSettled;
}

void Streams::request(Helping::Filter wanted, const void* context, bool isFirst) noexcept {
  forEach([&](Stream& stream) { stream.requestFor(wanted, context, isFirst); });
}

bool Streams::isBusy() const noexcept {
  bool isBusy = false;
  forEach([&](const Stream& stream) { isBusy |= stream.hasCommands(); });
  return isBusy;
}

// --- The thread that ends commands for which no thread waits ---

void Streams::wakeWatcher() noexcept {
  {
    const MutexLock lock(watcherMutex_); // the thread waits, or will see the command
  }
  watcherWoken_.notifyOne();
}

void* Streams::threadMain(void* streams) noexcept {
  static_cast<Streams*>(streams)->watch();
  return nullptr;
}

// Commands often end soon after another one. The longer none has, the longer the pauses are, but always short beside
// the time that the command has taken. The thread stays awake for a while after the last, since waking it costs the
// thread that puts the next command into a stream more than the command itself.
void Streams::watch() noexcept {
  using Clock = std::chrono::steady_clock;
  using std::chrono::microseconds;
  constexpr microseconds kPolling{50}, kLooking{20}, kLingering{2'000}, kHealth{20'000};
  constexpr std::chrono::nanoseconds kShortPause = microseconds(20), kLongPause = microseconds(500);
  constexpr int kPartOfTime = 32;
  context_.enterThread();
  prctl(PR_SET_TIMERSLACK, 1000UL); // ns: pauses are as short as they say
  for (Clock::time_point checked = Clock::now();;) {
    {
      MutexLock lock(watcherMutex_);
      watcherSleeps_.store(true, std::memory_order_seq_cst);
      watcherWoken_.wait(watcherMutex_, [&] { return isBusy(); });
      watcherSleeps_.store(false, std::memory_order_seq_cst);
    }
    bool polls = false; // this thread has ended a command a moment ago
    for (Clock::time_point active = Clock::now(), looked = active;;) {
      const bool hasEnded = settle();
      const Clock::time_point now = Clock::now();
      bool isActive = hasEnded;
      // Launches of a batch come some microseconds apart: what comes between two looks must not seem to be the last.
      if (now - looked >= kLooking) {
        looked = now;
        forEach([&](Stream& stream) { isActive |= stream.look(); });
      }
      if (isActive) active = now;
      const auto quiet = now - active;
      polls = hasEnded || (polls && quiet < kPolling);
      if (quiet > kLingering && !isBusy()) break;
      times_.renew();
      if (polls) {
        pauseCpu();
      } else {
        const auto pause = std::clamp<std::chrono::nanoseconds>(quiet / kPartOfTime, kShortPause, kLongPause);
        const timespec time{0, pause.count()};
        nanosleep(&time, nullptr);
      }
      if (now - checked < kHealth) continue;
      checked = now;
      forEach([](Stream& stream) { stream.checkHealth(); });
    }
  }
}

} // namespace clotho::cuda
