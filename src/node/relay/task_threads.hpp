// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"

#include <cstddef>
#include <deque>
#include <functional>

namespace clotho::node {

/// Threads for what takes long, that the fabric's thread leaves to others: builds, and giving memory back. There are
/// none while there is nothing to do. Lives as long as the process.
class TaskThreads {
 public:
  /// Runs the task on a thread of its own, or after others if there are many. False if the system has no thread or no
  /// memory for it, or if more wait than sensible nodes ask for; then it does not run.
  [[nodiscard]] bool run(std::function<void()> task) noexcept EXCLUDES(mutex_);

 private:
  static constexpr std::size_t kMostThreads = 64, kMostWaiting = 4096;

  void runAll() noexcept EXCLUDES(mutex_);

  Mutex mutex_;
  std::deque<std::function<void()>> waiting_ GUARDED_BY(mutex_);
  std::size_t threads_ GUARDED_BY(mutex_) = 0;
};

} // namespace clotho::node
