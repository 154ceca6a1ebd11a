// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <pthread.h>

namespace clotho {

/// While one exists, pthread_cancel of this thread waits: reading, writing and sleeping are cancellation points, and a
/// thread that unwinds from one of ours would pass destructors and noexcept functions, which ends the process. The
/// thread is cancelled at its first cancellation point after the call. Costs a nanosecond: no system call.
class NotCancelled {
 public:
  NotCancelled() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NotCancelled() {
    if (before_ != PTHREAD_CANCEL_DISABLE) pthread_setcancelstate(before_, nullptr);
  }
  NotCancelled(const NotCancelled&) = delete;
  NotCancelled& operator=(const NotCancelled&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

} // namespace clotho
