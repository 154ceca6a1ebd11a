// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_map>

namespace clotho {

/// Threads for what must not run on the application's threads or on the device's: at most `limit`, started when there
/// is work for them, never ended. No lock is held while work runs.
///
/// A single one runs the application's callbacks, in order; these may call OpenCL. Several run native kernels, and
/// builds for which nobody waits.
class BackgroundThreads {
 public:
  /// `name`: at most 15 characters, for debuggers.
  BackgroundThreads(const char* name, unsigned limit) : name_(name), limit_(limit) {}

  /// Runs `work` soon; begins in the order of the calls. Any thread; throws nothing: without memory or threads the
  /// work runs here and now. Work of one `owner` is run one piece after the other, so there are no more threads than
  /// owners that have had work at once; what has none (null) waits for nothing but a thread.
  void post(std::function<void()> work, const void* owner = nullptr) noexcept EXCLUDES(mutex_);

 private:
  struct Piece {
    std::function<void()> work;
    const void* owner;
  };

  void start() REQUIRES(mutex_);
  void run() noexcept;
  /// Makes it its owner's next piece, whose last one it was; false when there is none.
  bool goOn(Piece& piece) noexcept EXCLUDES(mutex_);

  const char* const name_;
  const unsigned limit_;
  Mutex mutex_;
  CondVar changed_;
  unsigned started_ GUARDED_BY(mutex_) = 0;
  unsigned idle_ GUARDED_BY(mutex_) = 0;
  std::deque<Piece> pending_ GUARDED_BY(mutex_); ///< what can run
  /// Of each owner that has work pending or running: what can run only after that.
  std::unordered_map<const void*, std::deque<std::function<void()>>> later_ GUARDED_BY(mutex_);
};

} // namespace clotho
