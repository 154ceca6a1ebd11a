// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/relay/task_threads.hpp"

#include <exception>
#include <new>
#include <thread>
#include <utility>

namespace clotho::node {

bool TaskThreads::run(std::function<void()> task) noexcept {
  MutexLock lock(mutex_);
  if (waiting_.size() >= kMostWaiting) return false;
  try {
    waiting_.push_back(std::move(task));
  } catch (const std::bad_alloc&) {
    return false;
  }
  if (threads_ == kMostThreads) return true;
  try {
    std::thread([this] { runAll(); }).detach();
    ++threads_;
    return true;
  } catch (const std::exception&) { // no thread, or no memory for one
    if (threads_ > 0) return true;  // another one comes to it
    waiting_.pop_back();
    return false;
  }
}

// Each thread takes what is there first, and ends when nothing is left.
void TaskThreads::runAll() noexcept {
  for (;;) {
    std::function<void()> task;
    {
      MutexLock lock(mutex_);
      if (waiting_.empty()) {
        --threads_;
        return;
      }
      task = std::move(waiting_.front());
      waiting_.pop_front();
    }
    task();
  }
}

} // namespace clotho::node
