// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/background_threads.hpp"

#include "base/signals_blocked.hpp"
#include "base/thread_affinity.hpp"

#include <pthread.h>
#include <system_error>
#include <thread>
#include <utility>

namespace clotho {

void BackgroundThreads::start() {
  SignalsBlocked blocked;
  std::thread([this, inheritsBounds = isThreadBound()] {
    if (inheritsBounds) takeAffinityOfProcess();
    run();
  }).detach();
  ++started_;
}

void BackgroundThreads::post(std::function<void()> work) noexcept {
  try {
    MutexLock lock(mutex_);
    if (pending_.size() >= idle_ && started_ < limit_) {
      try {
        start();
      } catch (const std::system_error&) {
        if (started_ == 0) throw; // else those that there are will come to it
      }
    }
    pending_.push_back(std::move(work));
    changed_.notifyOne();
  } catch (...) {
    // No memory or no thread: late is worse than on the wrong thread.
    if (work) work();
  }
}

void BackgroundThreads::run() noexcept {
  pthread_setname_np(pthread_self(), name_);
  for (;;) {
    std::function<void()> work;
    {
      MutexLock lock(mutex_);
      ++idle_;
      changed_.wait(mutex_, [this]() REQUIRES(mutex_) { return !pending_.empty(); });
      --idle_;
      work = std::move(pending_.front());
      pending_.pop_front();
    }
    work();
  }
}

} // namespace clotho
