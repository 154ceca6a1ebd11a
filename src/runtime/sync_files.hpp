// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "base/unique_fd.hpp"
#include "command/semaphore.hpp"

#include <atomic>

namespace clotho {

/// Whether a descriptor is a sync file: a fence of Linux, which some driver signals.
bool isSyncFile(int fd) noexcept;

/// Signals semaphores when sync files are. One thread waits for all of them; it is started when there is the first that
/// is not signalled yet, and never ends.
class SyncFiles {
 public:
  /// -1 stands for a sync file that is signalled. A fence that ended with an error is a signal that failed. Takes the
  /// descriptor, unless it throws: bad_alloc, system_error, CL_OUT_OF_RESOURCES.
  void signalWhenDone(BinarySemaphore& semaphore, int fd) EXCLUDES(mutex_);
  /// Makes the thread and its descriptor now.
  void start() { watching(); }

 private:
  /// Deleted by the thread.
  struct Watched {
    UniqueFd fd;
    Ref<BinarySemaphore> semaphore;
    std::atomic<SemaphorePulse*> pulse{nullptr}; ///< a reference; null: not to be signalled yet
  };

  /// The epoll descriptor on which the thread waits.
  int watching() EXCLUDES(mutex_);
  static void run(int epoll) noexcept;
  static void handle(int epoll, Watched& watched) noexcept;

  Mutex mutex_;
  UniqueFd epoll_ GUARDED_BY(mutex_);
};

} // namespace clotho
