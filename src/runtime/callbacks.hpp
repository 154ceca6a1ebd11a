// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"

#include <atomic>
#include <deque>
#include <functional>

namespace clotho {

/// The thread that runs the application's callbacks and native kernels, started at the first one. They may call
/// OpenCL; no lock is held and no worker waits while they run.
class CallbackThread {
 public:
  /// Runs `work` soon, in order. Any thread; throws nothing: without memory or threads the work runs here and now.
  void post(std::function<void()> work) noexcept EXCLUDES(mutex_);

 private:
  void run() noexcept;

  Mutex mutex_;
  CondVar changed_;
  bool started_ GUARDED_BY(mutex_) = false;
  std::deque<std::function<void()>> pending_ GUARDED_BY(mutex_);
};

} // namespace clotho
