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

void BackgroundThreads::post(std::function<void()> work, const void* owner) noexcept {
  try {
    MutexLock lock(mutex_);
    if (owner) {
      const auto [later, isFirst] = later_.try_emplace(owner);
      if (!isFirst) return later->second.push_back(std::move(work));
    }
    try {
      pending_.emplace_back(std::move(work), owner);
      if (pending_.size() > idle_ && started_ < limit_) start();
    } catch (const std::system_error&) {
      if (started_ == 0) { // else those that there are will come to it
        work = std::move(pending_.back().work);
        pending_.pop_back();
        later_.erase(owner);
        throw;
      }
    } catch (...) {
      later_.erase(owner);
      throw;
    }
    changed_.notifyOne();
  } catch (...) {
    // No memory or no thread: late is worse than on the wrong thread.
    if (work) work();
  }
}

void BackgroundThreads::run() noexcept {
  pthread_setname_np(pthread_self(), name_);
  for (;;) {
    Piece piece;
    {
      MutexLock lock(mutex_);
      ++idle_;
      changed_.wait(mutex_, [this]() REQUIRES(mutex_) { return !pending_.empty(); });
      --idle_;
      piece = std::move(pending_.front());
      pending_.pop_front();
    }
    do
      piece.work();
    while (piece.owner && goOn(piece));
  }
}

bool BackgroundThreads::goOn(Piece& piece) noexcept {
  MutexLock lock(mutex_);
  const auto later = later_.find(piece.owner);
  if (later->second.empty()) {
    later_.erase(later);
    return false;
  }
  piece.work = std::move(later->second.front());
  later->second.pop_front();
  return true;
}

} // namespace clotho
