// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "trace/record.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace clotho::trace {

/// Things that records refer to by number: texts, and queues with their devices. It only grows. Thread-safe.
class Registry {
 public:
  struct Device {
    const void* identity;
    std::string name;
  };
  struct Queue {
    std::uint32_t device; ///< by its number, from 0 on
    std::string label;
  };

  NameId nameOf(std::string_view text) EXCLUDES(mutex_);
  /// The text, which lives as long as this.
  std::string_view text(NameId name) EXCLUDES(mutex_);

  std::uint32_t addQueue(const void* device, std::string_view deviceName, std::string_view label) EXCLUDES(mutex_);
  /// The queue for the transfers that `owner` does, which is made in the first call.
  std::uint32_t transferQueue(const void* owner) EXCLUDES(mutex_);
  /// Makes that queue one of a device.
  void addTransferQueue(const void* owner, const void* device, std::string_view deviceName) EXCLUDES(mutex_);
  /// `number`: of one that addQueue has returned.
  Queue queue(std::uint32_t number) EXCLUDES(mutex_);
  std::string deviceName(std::uint32_t device) EXCLUDES(mutex_);

  /// The number of a new track, which is a thread's or a queue's.
  std::uint32_t newTrack() noexcept { return tracks_.fetch_add(1, std::memory_order_relaxed) + 1; }

 private:
  std::uint32_t add(const void* device, std::string_view deviceName, const std::string& label) REQUIRES(mutex_);

  Mutex mutex_;
  std::deque<std::string> texts_ GUARDED_BY(mutex_);
  std::unordered_map<std::string_view, NameId> names_ GUARDED_BY(mutex_); // of those texts
  std::vector<Device> devices_ GUARDED_BY(mutex_);
  std::vector<Queue> queues_ GUARDED_BY(mutex_);
  std::unordered_map<const void*, std::uint32_t> transfers_ GUARDED_BY(mutex_); // their queues by owner
  std::size_t commandQueues_ GUARDED_BY(mutex_) = 0;
  std::atomic<std::uint32_t> tracks_{0};
};

} // namespace clotho::trace
