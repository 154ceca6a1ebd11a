// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/background_threads.hpp"

#include "base/signals_blocked.hpp"
#include "base/thread_affinity.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <pthread.h>
#include <thread>
#include <utility>

namespace clotho {

void WorkQueue::add(std::unique_ptr<Work> work) noexcept {
  Work* added = work.get();
  (last_ ? last_->next_ : first_) = std::move(work);
  last_ = added;
}

std::unique_ptr<Work> WorkQueue::take() noexcept {
  std::unique_ptr<Work> work = std::move(first_);
  if (!work) return work;
  first_ = std::move(work->next_);
  if (!first_) last_ = nullptr;
  return work;
}

void BackgroundThreads::start() {
  SignalsBlocked blocked;
  std::thread([this, inheritsBounds = isThreadBound()] {
    if (inheritsBounds) takeAffinityOfProcess();
    takeScheduling(schedulingOfProcess());
    run();
  }).detach();
  ++started_;
}

void BackgroundThreads::startAll(unsigned count) {
  MutexLock lock(mutex_);
  limit_ = std::min(limit_, count);
  while (started_ < limit_)
    start();
  // A thread that begins to wait does not signal it, so this looks again and again.
  while (!changed_.waitFor(mutex_, std::chrono::milliseconds(1),
                           [this]() REQUIRES(mutex_) { return idle_ == started_; })) {
  }
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

Work** BackgroundThreads::placeOf(const void* owner) noexcept {
  Work** place = &owned_;
  while (*place && (*place)->owner_ != owner)
    place = &(*place)->nextOwners_;
  return place;
}

void BackgroundThreads::post(std::unique_ptr<Work> work, const void* owner) noexcept {
  {
    MutexLock lock(mutex_);
    Work** place = owner ? placeOf(owner) : nullptr;
    work->owner_ = owner;
    if (place && *place) return (*place)->later_.add(std::move(work));
    if (hasThread()) {
      if (place) *place = work.get();
      queue_.add(std::move(work));
      ++waiting_;
      changed_.notifyOne();
      return;
    }
  }
  work->run(); // on the wrong thread is better than never
}

void BackgroundThreads::post(std::function<void()> work, const void* owner) noexcept {
  struct Call final : Work {
    void run() override { function(); }
    std::function<void()> function;
  };
  std::unique_ptr<Call> call(new (std::nothrow) Call);
  if (!call) return work();
  call->function = std::move(work);
  post(std::unique_ptr<Work>(std::move(call)), owner);
}

void BackgroundThreads::run() noexcept {
  pthread_setname_np(pthread_self(), name_);
  for (;;) {
    std::unique_ptr<Work> work;
    {
      MutexLock lock(mutex_);
      ++idle_;
      changed_.wait(mutex_, [this]() REQUIRES(mutex_) { return !queue_.empty(); });
      --idle_;
      work = queue_.take();
      --waiting_;
    }
    while (work) {
      work->run();
      work = work->owner_ ? nextOf(*work) : nullptr;
    }
  }
}

std::unique_ptr<Work> BackgroundThreads::nextOf(Work& done) noexcept {
  MutexLock lock(mutex_);
  Work** place = placeOf(done.owner_);
  std::unique_ptr<Work> next = done.later_.take();
  if (!next) {
    *place = done.nextOwners_;
    return next;
  }
  next->later_ = std::move(done.later_);
  next->nextOwners_ = done.nextOwners_;
  *place = next.get();
  return next;
}

} // namespace clotho
