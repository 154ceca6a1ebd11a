// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "session.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace bench {

using CopyFunction = void (*)(char* target, const char* source, std::size_t size);

/// A second thread that is there already and polls while there is something to wait for.
class TwoThreads {
 public:
  TwoThreads() : second_([this] { work(); }) {}
  ~TwoThreads() {
    function_ = nullptr;
    round_.fetch_add(1);
    round_.notify_one();
    second_.join();
  }
  TwoThreads(const TwoThreads&) = delete;
  TwoThreads& operator=(const TwoThreads&) = delete;

  /// Both threads copy: the one that is free takes the next chunk, so that neither waits for the other at the end.
  double milliseconds(CopyFunction function, char* target, const char* source, std::size_t size) {
    auto begin = Clock::now();
    function_ = function, target_ = target, source_ = source, size_ = size;
    next_.store(0);
    running_.store(1);
    round_.fetch_add(1);
    round_.notify_one();
    copyPieces();
    while (running_.load()) {
    }
    return bench::milliseconds(Clock::now() - begin);
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{2} << 20;

  void copyPieces() {
    for (std::size_t at; (at = next_.fetch_add(kPiece)) < size_;)
      function_(target_ + at, source_ + at, std::min(kPiece, size_ - at));
  }
  void work() {
    for (std::uint32_t seen = 0;; ++seen) {
      round_.wait(seen);
      if (!function_) return;
      copyPieces();
      running_.store(0);
    }
  }

  CopyFunction function_ = nullptr;
  char* target_ = nullptr;
  const char* source_ = nullptr;
  std::size_t size_ = 0;
  std::atomic<std::size_t> next_{0};
  std::atomic<int> running_{0};
  std::atomic<std::uint32_t> round_{0};
  std::thread second_;
};

/// The best of the ways to copy that two threads of a program have: the C library's, `rep movsb`, and non-temporal
/// stores.
CopyFunction fastestCopy(TwoThreads& threads, char* target, const char* source, std::size_t size);

} // namespace bench
