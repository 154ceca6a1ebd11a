// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams of the fake driver (fake_driver.cpp): each is a thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace fake_cuda {

inline std::atomic<bool> isLost{false};
inline std::atomic<int> lostWith{700}; // the error of all calls from then on: CUDA_ERROR_ILLEGAL_ADDRESS
// As the driver does at the end of the process. Calls from then on are what applications crash by.
inline std::atomic<bool> isOver{false};
inline std::atomic<bool> isHeld{false}; // no stream begins anything

using Task = std::function<void()>;
using Graph = std::vector<std::unique_ptr<Task>>;
/// Its runs come one after the other, in whatever streams, as those of CUDA do.
struct GraphExec {
  struct Turns {
    std::atomic<int> last{0}, done{0};
  };
  std::vector<std::pair<const void*, Task>> tasks; ///< by the nodes of the graph that it was made of
  std::shared_ptr<Turns> turns = std::make_shared<Turns>();
};

/// Runs tasks one after the other.
class Stream {
 public:
  Stream() : thread_([this] { run(); }) {}
  ~Stream() {
    {
      const std::lock_guard lock(mutex_);
      isEnding_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  /// `isHeldBack`: while tests hold streams.
  void put(Task task, bool isHeldBack = true) {
    if (recorded_) {
      recorded_->push_back(std::make_unique<Task>(std::move(task)));
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back({std::move(task), isHeldBack});
    }
    changed_.notify_all();
  }
  void synchronize() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return tasks_.empty(); });
  }
  bool isIdle() {
    const std::lock_guard lock(mutex_);
    return tasks_.empty();
  }

  // By one thread, as long as it records.
  void record() { recorded_ = std::make_unique<Graph>(); }
  const Graph* recorded() const { return recorded_.get(); }
  std::unique_ptr<Graph> takeRecorded() { return std::move(recorded_); }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return isEnding_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const auto [task, isHeldBack] = tasks_.front();
      lock.unlock();
      while (isHeldBack && isHeld && !isLost)
        std::this_thread::yield();
      if (!isLost && !isOver) task();
      lock.lock();
      tasks_.pop_front();
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<Task, bool>> tasks_;
  std::unique_ptr<Graph> recorded_;
  bool isEnding_ = false;
  std::thread thread_; // last: it uses the rest
};

} // namespace fake_cuda
