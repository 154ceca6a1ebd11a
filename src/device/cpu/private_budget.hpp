// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cpu/short_lock.hpp"
#include "device/cpu/task.hpp"

#include <algorithm>
#include <cstdint>

namespace clotho::cpu {

/// Memory for the private data of work-groups (DeviceProperties::privateMemorySize). Every thread may keep an equal
/// share of it for good. A task whose work-groups take more is counted here from its start to its end, for as many
/// threads as may take part in it. Until there is so much it waits in a list of this budget, and in no pool's: so no
/// thread waits with it, and other tasks go on. The first to wait is the first to start, so all come to their turn.
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

  /// Whether there is so much at all.
  bool fits(std::uint64_t bytes) const { return bytes <= bytes_; }

  /// Counts Task::privateBytes, which must fit. False if the task has to wait: a later giveBack() hands it out.
  [[nodiscard]] bool admit(Task& task) noexcept EXCLUDES(lock_) {
    const ShortLockScope scope(lock_);
    if (!first_ && task.privateBytes <= left_) {
      left_ -= task.privateBytes;
      return true;
    }
    task.next = nullptr;
    (first_ ? last_->next : first_) = &task;
    last_ = &task;
    return false;
  }
  /// After a task that was admitted. Gives those that have waited and are admitted by that, linked by Task::next.
  [[nodiscard]] Task* giveBack(std::uint64_t bytes) noexcept EXCLUDES(lock_) {
    const ShortLockScope scope(lock_);
    left_ += bytes;
    Task *admitted = first_, *last = nullptr;
    for (; first_ && first_->privateBytes <= left_; first_ = first_->next) {
      left_ -= first_->privateBytes;
      last = first_;
    }
    if (!last) return nullptr;
    last->next = nullptr;
    return admitted;
  }

 private:
  const std::uint64_t bytes_, share_;
  ShortLock lock_;
  std::uint64_t left_ GUARDED_BY(lock_);
  Task* first_ GUARDED_BY(lock_) = nullptr; ///< of those that wait
  Task* last_ GUARDED_BY(lock_) = nullptr;  ///< while there is a first
};

} // namespace clotho::cpu
