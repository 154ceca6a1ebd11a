// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "device/cuda/context.hpp"
#include "device/device.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

namespace clotho::cuda {

class EventTimes;
class Stream;
struct QueueServices;

/// The streams of a device. Each has a word in pinned memory, to which it writes how far it has got: the place of a
/// command, which is its number in the stream, from 1 on. Streams live as long as the process; a new queue
/// gets that of one that is gone, so that places are never used again and threads need no lock to look at a stream.
class Streams {
 public:
  static constexpr std::size_t kMost = 4096;

  Streams(Context& context, EventTimes& times);
  /// How long one command may run, in ns; 0: for ever. If there is a limit, streams tell of each command.
  std::uint64_t limit() const noexcept { return limit_; }

  /// Makes pinned memory for the words, and the thread that looks after streams. Throws CL_OUT_OF_RESOURCES.
  void makeReady() EXCLUDES(mutex_);
  /// A stream for a queue. Throws CL_OUT_OF_RESOURCES.
  Stream& take(QueueServices& services, bool isTimed) EXCLUDES(mutex_);
  /// The queue is gone, and all its commands have ended.
  void giveBack(Stream& stream) noexcept EXCLUDES(mutex_);
  Stream& stream(std::uint16_t number) const noexcept { return *streams_[number].load(std::memory_order_acquire); }

  /// The place of the last command that is known to be done.
  std::uint64_t reached(std::uint16_t number) const noexcept {
    return __atomic_load_n(&words_[number], __ATOMIC_ACQUIRE);
  }
  /// Writes what the stream itself could not.
  void setReached(std::uint16_t number, std::uint64_t place) noexcept {
    __atomic_store_n(&words_[number], place, __ATOMIC_RELEASE);
  }
  CUdeviceptr word(std::uint16_t number) const noexcept { return deviceWords_ + number * sizeof(std::uint64_t); }

  /// In a forked child, a thread of the parent's may have held the lock.
  void afterFork() noexcept { new (&mutex_) Mutex; }
  /// A command has been put into a stream: the device's thread has to look after it from now on.
  void noteIssued() noexcept EXCLUDES(watcherMutex_) {
    if (watcherSleeps_.load(std::memory_order_seq_cst)) [[unlikely]]
      wakeWatcher();
  }
  /// Ends the commands that are done, in all streams; whether there were any. Any thread; no lock is held meanwhile.
  bool settle() noexcept;
  /// For a thread that waits for the commands that `wanted` accepts: streams with such a command tell of their newest.
  /// `isFirst`: the thread begins to wait.
  void request(Helping::Filter wanted, const void* context, bool isFirst) noexcept;

 private:
  template <class Use> void forEach(Use&& use) const {
    const std::size_t count = count_.load(std::memory_order_seq_cst);
    for (std::size_t i = 0; i < count; ++i)
      use(*streams_[i].load(std::memory_order_relaxed));
  }
  static void* threadMain(void* streams) noexcept;
  /// Looks after all streams while there are commands.
  void watch() noexcept EXCLUDES(watcherMutex_);
  void wakeWatcher() noexcept EXCLUDES(watcherMutex_);
  bool isBusy() const noexcept;

  Context& context_;
  EventTimes& times_;
  const std::uint64_t limit_;
  std::uint64_t* words_ = nullptr;
  CUdeviceptr deviceWords_ = 0;
  std::atomic<std::size_t> count_{0};
  std::array<std::atomic<Stream*>, kMost> streams_{}; // by number
  Mutex mutex_;
  std::vector<Stream*> free_ GUARDED_BY(mutex_); // has room for all
  alignas(64) std::atomic<bool> watcherSleeps_{true};
  Mutex watcherMutex_;
  CondVar watcherWoken_;
};

} // namespace clotho::cuda
