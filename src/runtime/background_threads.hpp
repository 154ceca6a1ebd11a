// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"

#include <deque>
#include <functional>

namespace clotho {

/// Threads for what must not run on the application's threads or on the device's: at most `limit`, started when there
/// is work for them, never ended. No lock is held while work runs.
///
/// A single one runs the application's callbacks and native kernels, in order; these may call OpenCL. Several run
/// builds for which nobody waits.
class BackgroundThreads {
 public:
  /// `name`: at most 15 characters, for debuggers.
  BackgroundThreads(const char* name, unsigned limit) : name_(name), limit_(limit) {}

  /// Runs `work` soon; begins in the order of the calls. Any thread; throws nothing: without memory or threads the
  /// work runs here and now.
  void post(std::function<void()> work) noexcept EXCLUDES(mutex_);

 private:
  void start() REQUIRES(mutex_);
  void run() noexcept;

  const char* const name_;
  const unsigned limit_;
  Mutex mutex_;
  CondVar changed_;
  unsigned started_ GUARDED_BY(mutex_) = 0;
  unsigned idle_ GUARDED_BY(mutex_) = 0;
  std::deque<std::function<void()>> pending_ GUARDED_BY(mutex_);
};

} // namespace clotho
