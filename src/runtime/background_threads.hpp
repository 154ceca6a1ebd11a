// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"

#include <functional>
#include <memory>

namespace clotho {

class Work;

/// Pieces of work in the order of their arrival. Adding one needs no memory: they are linked with each other.
class WorkQueue {
 public:
  bool empty() const noexcept { return !first_; }
  void add(std::unique_ptr<Work> work) noexcept;
  std::unique_ptr<Work> take() noexcept; ///< null when it is empty

 private:
  std::unique_ptr<Work> first_;
  Work* last_ = nullptr;
};

/// The work of a background thread, as an object of its own: the call that plans the work gets the memory while it
/// can still report that there is none, and nothing is left that can fail when the time has come.
class Work {
 public:
  Work() = default;
  virtual ~Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  virtual void run() = 0;

 private:
  friend class WorkQueue;
  friend class BackgroundThreads;
  std::unique_ptr<Work> next_; // in a WorkQueue
  const void* owner_ = nullptr;
  // While this is the piece of its owner's that can run, or runs:
  Work* nextOwners_ = nullptr; // the same of another owner
  WorkQueue later_;            // of the same owner
};

/// Threads for what must not run on the application's threads or on the device's: at most `limit`, started when there
/// is work for them, never ended. No lock is held while work runs.
///
/// A single one runs the application's callbacks, in order; these may call OpenCL. Several run native kernels, and
/// builds that no call waits for.
class BackgroundThreads {
 public:
  /// `name`: at most 15 characters, for debuggers.
  BackgroundThreads(const char* name, unsigned limit) : name_(name), limit_(limit) {}

  /// Runs `work` soon; begins in the order of the calls. Any thread; throws nothing: when no thread can be started the
  /// work runs here and now. Work of one `owner` is run one piece after the other, so there are no more threads than
  /// owners that have had work at once; what has none (null) waits for nothing but a thread.
  void post(std::unique_ptr<Work> work, const void* owner = nullptr) noexcept EXCLUDES(mutex_);
  /// Overload for callables. Runs the work here and now if no memory is left to queue it.
  void post(std::function<void()> work, const void* owner = nullptr) noexcept EXCLUDES(mutex_);

  /// Starts so many threads, and later no more. Returns when they wait for work. Only before the first post().
  void startAll(unsigned count) EXCLUDES(mutex_);

 private:
  void start() REQUIRES(mutex_);
  /// Whether some thread is there for one more piece of work.
  bool hasThread() noexcept REQUIRES(mutex_);
  /// The link to the owner's piece of work that can run, or runs; to the end of the list when there is none.
  Work** placeOf(const void* owner) noexcept REQUIRES(mutex_);
  void run() noexcept;
  /// The owner's next piece of work after `done`; null when there is none.
  std::unique_ptr<Work> nextOf(Work& done) noexcept EXCLUDES(mutex_);

  const char* const name_;
  Mutex mutex_;
  CondVar changed_;
  unsigned limit_ GUARDED_BY(mutex_);
  unsigned started_ GUARDED_BY(mutex_) = 0;
  unsigned idle_ GUARDED_BY(mutex_) = 0;
  unsigned waiting_ GUARDED_BY(mutex_) = 0;  // pieces of work in the queue
  WorkQueue queue_ GUARDED_BY(mutex_);       // what can run
  Work* owned_ GUARDED_BY(mutex_) = nullptr; // what can run, or runs, of each owner that has work
};

} // namespace clotho
