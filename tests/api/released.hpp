// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CL/cl.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace clotho::test {

/// Waits for the release callbacks of programs.
class Released {
 public:
  static void CL_CALLBACK callback(cl_program, void* self) {
    auto& released = *static_cast<Released*>(self);
    std::lock_guard lock(released.mutex_);
    ++released.count_;
    released.changed_.notify_all();
  }
  bool comes(int count = 1) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return count_ >= count; });
  }
  int count() {
    std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

} // namespace clotho::test
