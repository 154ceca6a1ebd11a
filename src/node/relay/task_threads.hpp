// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

namespace clotho::node {

/// Threads for what takes long, that the fabric's thread leaves to others. There are none while there is nothing to do.
/// Tasks that wait when this is destroyed still run.
class TaskThreads {
 public:
  /// Runs the task on a thread of its own, or after others if there are many. False if the system has no thread or no
  /// memory for it, or if more wait than sensible nodes ask for; then it does not run.
  [[nodiscard]] bool run(std::function<void()> task) noexcept;

 private:
  static constexpr std::size_t kMostThreads = 64, kMostWaiting = 4096;

  /// The threads keep it.
  struct State {
    Mutex mutex;
    std::deque<std::function<void()>> waiting GUARDED_BY(mutex);
    std::size_t threads GUARDED_BY(mutex) = 0;
  };

  static void runAll(State& state) noexcept;

  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

} // namespace clotho::node
