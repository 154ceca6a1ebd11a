// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "device/cuda/context.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace clotho::cuda {

class Stream;

/// The streams of a device. Each has a word in pinned memory, to which it writes how far it has got: the place of a
/// command, which is its number in the stream, from 1 on.
class Streams {
 public:
  static constexpr std::size_t kMost = 4096;

  explicit Streams(Context& context) : context_(context) {}

  /// Makes pinned memory for the words, and the thread that looks after streams. Throws CL_OUT_OF_RESOURCES.
  void makeReady() EXCLUDES(mutex_);
  /// Gives the stream a number. Throws CL_OUT_OF_RESOURCES.
  void add(const std::shared_ptr<Stream>& stream) EXCLUDES(mutex_);
  void remove(std::uint16_t number) noexcept EXCLUDES(mutex_);
  /// Null if it is gone, so that all its commands have ended.
  std::shared_ptr<Stream> stream(std::uint16_t number) const noexcept EXCLUDES(mutex_);

  /// The place of the last command that is known to be done.
  std::uint64_t reached(std::uint16_t number) const noexcept {
    return __atomic_load_n(&words_[number], __ATOMIC_ACQUIRE);
  }
  /// Writes what the stream itself could not.
  void setReached(std::uint16_t number, std::uint64_t place) noexcept {
    __atomic_store_n(&words_[number], place, __ATOMIC_RELEASE);
  }
  CUdeviceptr word(std::uint16_t number) const noexcept { return deviceWords_ + number * sizeof(std::uint64_t); }

  /// A command has been put into a stream: some thread has to look after it from now on.
  void noteIssued() noexcept EXCLUDES(watcherMutex_);
  void noteEnded() noexcept { unfinished_.fetch_sub(1, std::memory_order_acq_rel); }
  /// Ends the commands that are done, in all streams; whether there were any. Any thread; no lock is held meanwhile.
  bool settle() noexcept EXCLUDES(mutex_);

 private:
  static void* threadMain(void* streams) noexcept;
  /// Looks after all streams while there are commands.
  void watch() noexcept;
  /// Asks the driver whether the streams are well, and loses the device if they are not.
  void checkHealth() noexcept EXCLUDES(mutex_);

  Context& context_;
  std::uint64_t* words_ = nullptr;
  CUdeviceptr deviceWords_ = 0;
  std::atomic<std::uint64_t> unfinished_{0}; // commands of all streams
  mutable Mutex mutex_;
  std::vector<std::shared_ptr<Stream>> streams_ GUARDED_BY(mutex_); // by number; null: free
  Mutex watcherMutex_;
  CondVar watcherWoken_;
  std::atomic<bool> watcherSleeps_{true};
};

/// Times of commands by CUDA events, in ns of the device's clock, which is the host's. CUDA tells times between events
/// as a float of milliseconds, so they are told from an event that is never long ago.
class EventTimes {
 public:
  explicit EventTimes(Context& context) : context_(context) {}

  /// An event that has been recorded in the stream; null if there is none to be had.
  CUevent record(CUstream stream) noexcept EXCLUDES(mutex_);
  /// When an event that has happened did so. The event may be recorded again.
  std::uint64_t take(CUevent event) noexcept EXCLUDES(mutex_);

 private:
  /// Makes the event now the one from which times are told.
  bool renewBase() noexcept REQUIRES(mutex_);

  Context& context_;
  Mutex mutex_;
  std::vector<CUevent> free_ GUARDED_BY(mutex_);
  CUstream stream_ GUARDED_BY(mutex_) = nullptr;
  CUevent base_ GUARDED_BY(mutex_) = nullptr;
  std::uint64_t baseTime_ GUARDED_BY(mutex_) = 0;
};

/// The device's clock: ns of CLOCK_MONOTONIC.
std::uint64_t hostTime() noexcept;

} // namespace clotho::cuda
