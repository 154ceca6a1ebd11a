// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/relay/task_threads.hpp"

#include <exception>
#include <new>
#include <thread>
#include <utility>

namespace clotho::node {

bool TaskThreads::run(std::function<void()> task) noexcept {
  State& state = *state_;
  MutexLock lock(state.mutex);
  if (state.waiting.size() >= kMostWaiting) return false;
  try {
    state.waiting.push_back(std::move(task));
  } catch (const std::bad_alloc&) {
    return false;
  }
  if (state.threads == kMostThreads) return true;
  try {
    std::thread([kept = state_] { runAll(*kept); }).detach();
    ++state.threads;
    return true;
  } catch (const std::exception&) {     // no thread, or no memory for one
    if (state.threads > 0) return true; // another one comes to it
    state.waiting.pop_back();
    return false;
  }
}

// Each thread takes what is there first, and ends when nothing is left.
void TaskThreads::runAll(State& state) noexcept {
  for (;;) {
    std::function<void()> task;
    {
      MutexLock lock(state.mutex);
      if (state.waiting.empty()) {
        --state.threads;
        return;
      }
      task = std::move(state.waiting.front());
      state.waiting.pop_front();
    }
    task();
  }
}

} // namespace clotho::node
