// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"

namespace clotho::joint {

class Run;

/// Makes the commands of a joint device run one after the other. Those that wait here are ready, so the one whose turn
/// it is waits for none of them. Any thread.
class Turns {
 public:
  /// Whether it is the command's turn now; if not, `next` will give it.
  bool take(Run& run) noexcept EXCLUDES(mutex_);
  /// The command whose turn it was has ended: the one whose turn it is now, or null.
  Run* next() noexcept EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  bool isTaken_ GUARDED_BY(mutex_) = false;
  Run* first_ GUARDED_BY(mutex_) = nullptr; ///< of those that wait
  Run* last_ GUARDED_BY(mutex_) = nullptr;
};

} // namespace clotho::joint
