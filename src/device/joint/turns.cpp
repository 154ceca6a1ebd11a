// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/joint/turns.hpp"

#include "device/joint/joint_run.hpp"

namespace clotho::joint {

bool Turns::take(Run& run) noexcept {
  MutexLock lock(mutex_);
  if (!isTaken_) {
    isTaken_ = true;
    return true;
  }
  (first_ ? last_->behind_ : first_) = &run;
  last_ = &run;
  return false;
}

Run* Turns::next() noexcept {
  MutexLock lock(mutex_);
  Run* run = first_;
  if (run)
    first_ = run->behind_;
  else
    isTaken_ = false;
  return run;
}

} // namespace clotho::joint
