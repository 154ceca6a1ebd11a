// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"

#include <functional>
#include <memory>

namespace clotho {

/// What a background thread is to do, as an object of its own: whoever plans it gets the memory while it can still say
/// that there is none, and nothing is left that can fail when the time has come.
class Work {
 public:
  Work() = default;
  virtual ~Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  virtual void run() = 0;

 private:
  friend class BackgroundThreads;
  std::unique_ptr<Work> next_; // in the queue of a BackgroundThreads
};

/// Threads for what must not run on the application's threads or on the device's: at most `limit`, started when there
/// is work for them, never ended. No lock is held while work runs.
///
/// A single one runs the application's callbacks and native kernels, in order; these may call OpenCL. Several run
/// builds for which nobody waits.
class BackgroundThreads {
 public:
  /// `name`: at most 15 characters, for debuggers.
  BackgroundThreads(const char* name, unsigned limit) : name_(name), limit_(limit) {}

  /// Runs `work` soon; begins in the order of the calls. Any thread; throws nothing: when no thread can be started the
  /// work runs here and now.
  void post(std::unique_ptr<Work> work) noexcept EXCLUDES(mutex_);
  /// The same, and here and now without memory, too.
  void post(std::function<void()> work) noexcept EXCLUDES(mutex_);

 private:
  void start() REQUIRES(mutex_);
  /// Whether some thread is there for one more piece of work.
  bool hasThread() noexcept REQUIRES(mutex_);
  void run() noexcept;

  const char* const name_;
  const unsigned limit_;
  Mutex mutex_;
  CondVar changed_;
  unsigned started_ GUARDED_BY(mutex_) = 0;
  unsigned idle_ GUARDED_BY(mutex_) = 0;
  unsigned waiting_ GUARDED_BY(mutex_) = 0; // pieces of work in the list
  std::unique_ptr<Work> first_ GUARDED_BY(mutex_);
  Work* last_ GUARDED_BY(mutex_) = nullptr;
};

} // namespace clotho
