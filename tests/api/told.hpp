// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CL/cl.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>

namespace clotho::test {

/// What a context's callback is told, which comes on another thread. Outlives the context, whose end a test has to wait
/// for unless it has taken all sentences.
class Told {
 public:
  /// For clCreateContext, with this as its user data.
  static void CL_CALLBACK callback(const char* text, const void*, size_t, void* self) {
    auto& told = *static_cast<Told*>(self);
    const std::lock_guard lock(told.mutex_);
    told.sentences_.emplace_back(text);
    told.something_.notify_all();
  }
  /// The next sentence, once it has come; empty if none comes.
  std::string next() {
    std::unique_lock lock(mutex_);
    if (!something_.wait_for(lock, std::chrono::seconds(20), [this] { return !sentences_.empty(); })) return "";
    std::string sentence = std::move(sentences_.front());
    sentences_.pop_front();
    return sentence;
  }
  void willEnd(cl_context context) { clSetContextDestructorCallback(context, ended, this); }
  /// Whether that context's end comes, behind all calls of its callback. Its last reference is released before.
  bool hasEnded() {
    std::unique_lock lock(mutex_);
    return something_.wait_for(lock, std::chrono::seconds(20), [this] { return hasEnded_; });
  }

 private:
  static void CL_CALLBACK ended(cl_context, void* self) {
    auto& told = *static_cast<Told*>(self);
    const std::lock_guard lock(told.mutex_);
    told.hasEnded_ = true;
    told.something_.notify_all();
  }

  std::mutex mutex_;
  bool hasEnded_ = false;
  std::condition_variable something_;
  std::deque<std::string> sentences_;
};

} // namespace clotho::test
