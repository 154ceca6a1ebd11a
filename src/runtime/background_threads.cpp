// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/background_threads.hpp"

#include "base/signals_blocked.hpp"
#include "base/thread_affinity.hpp"

#include <new>
#include <pthread.h>
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

bool BackgroundThreads::hasThread() noexcept {
  if (waiting_ < idle_ || started_ >= limit_) return true;
  try {
    start();
  } catch (...) {
    // No memory or no thread. Those that there are will come to it.
  }
  return started_ > 0;
}

void BackgroundThreads::post(std::unique_ptr<Work> work) noexcept {
  {
    MutexLock lock(mutex_);
    if (hasThread()) {
      Work* added = work.get();
      (last_ ? last_->next_ : first_) = std::move(work);
      last_ = added;
      ++waiting_;
      changed_.notifyOne();
      return;
    }
  }
  work->run(); // on the wrong thread is better than never
}

void BackgroundThreads::post(std::function<void()> work) noexcept {
  struct Call final : Work {
    void run() override { function(); }
    std::function<void()> function;
  };
  std::unique_ptr<Call> call(new (std::nothrow) Call);
  if (!call) return work();
  call->function = std::move(work);
  post(std::unique_ptr<Work>(std::move(call)));
}

void BackgroundThreads::run() noexcept {
  pthread_setname_np(pthread_self(), name_);
  for (;;) {
    std::unique_ptr<Work> work;
    {
      MutexLock lock(mutex_);
      ++idle_;
      changed_.wait(mutex_, [this]() REQUIRES(mutex_) { return first_ != nullptr; });
      --idle_;
      work = std::move(first_);
      first_ = std::move(work->next_);
      if (!first_) last_ = nullptr;
      --waiting_;
    }
    work->run();
  }
}

} // namespace clotho
