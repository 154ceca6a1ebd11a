// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory_copy.hpp"

#include "mappable_buffer.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bench {

namespace {

using CopyFunction = void (*)(char* target, const char* source, std::size_t size);

void copyPlain(char* target, const char* source, std::size_t size) { std::memcpy(target, source, size); }

#if defined(__x86_64__)

void copyString(char* target, const char* source, std::size_t size) {
  __asm__ volatile("rep movsb" : "+D"(target), "+S"(source), "+c"(size) : : "memory");
}

__attribute__((target("avx512f"))) void copyStream512(char* target, const char* source, std::size_t size) {
  for (std::size_t i = 0; i < size; i += 64) {
    _mm_prefetch(source + i + 1024, _MM_HINT_T0);
    _mm512_stream_si512(reinterpret_cast<__m512i*>(target + i), _mm512_loadu_si512(source + i));
  }
  _mm_sfence();
}

/// Four pages at a time, as long copies of the C library do it: more of the memory's banks are open at once.
__attribute__((target("avx512f"))) void copyPages512(char* target, const char* source, std::size_t size) {
  constexpr std::size_t kPage = 4096, kPages = 4;
  std::size_t done = 0;
  for (; size - done >= kPage * kPages; done += kPage * kPages)
    for (std::size_t line = 0; line < kPage; line += 64)
      for (std::size_t page = 0; page < kPages; ++page) {
        std::size_t at = done + page * kPage + line;
        _mm512_stream_si512(reinterpret_cast<__m512i*>(target + at), _mm512_loadu_si512(source + at));
      }
  copyStream512(target + done, source + done, size - done);
}

__attribute__((target("avx"))) void copyStream256(char* target, const char* source, std::size_t size) {
  for (std::size_t i = 0; i < size; i += 32)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(target + i),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source + i)));
  _mm_sfence();
}

#endif

std::vector<CopyFunction> copyFunctions() {
  std::vector<CopyFunction> functions = {copyPlain};
#if defined(__x86_64__)
  functions.push_back(copyString);
  if (__builtin_cpu_supports("avx")) functions.push_back(copyStream256);
  if (__builtin_cpu_supports("avx512f")) functions.insert(functions.end(), {copyStream512, copyPages512});
#endif
  return functions;
}

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

  /// Whoever is free takes the next piece, so that neither waits for the other at the end.
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

CopyFunction fastest(TwoThreads& threads, char* target, const char* source, std::size_t size) {
  CopyFunction best = nullptr;
  double least = std::numeric_limits<double>::max();
  for (CopyFunction function : copyFunctions())
    for (int i = 0; i < 3; ++i)
      if (double time = threads.milliseconds(function, target, source, size); time < least) {
        least = time;
        best = function;
      }
  return best;
}

void mustBeEqual(const char* a, const char* b, std::size_t size, const char* who) {
  if (std::memcmp(a, b, size) != 0) throw std::runtime_error(std::string(who) + " did not copy all bytes");
}

} // namespace

std::vector<double> compareCopies(Session& session, std::size_t size, int rounds) {
  constexpr int kRepeats = 5;
  MappableBuffer source(session, size), target(session, size);
  CopyFunction best = nullptr;
  std::vector<double> samples;
  // One round more: the first touches pages, starts threads, finds out which copy is the best, and is not counted.
  for (int round = 0; round <= rounds; ++round) {
    char *from = source.map(), *to = target.map();
    writePattern(from, size, static_cast<std::uint64_t>(round));
    std::memset(to, 0xff, size);
    double theirs = std::numeric_limits<double>::max();
    {
      TwoThreads threads;
      if (!best) best = fastest(threads, to, from, size);
      for (int i = 0; i < kRepeats; ++i)
        theirs = std::min(theirs, threads.milliseconds(best, to, from, size));
    }
    mustBeEqual(from, to, size, "memcpy");
    std::memset(to, 0, size);
    source.unmap(from);
    target.unmap(to);

    double mine = std::numeric_limits<double>::max();
    for (int i = 0; i < kRepeats; ++i) {
      auto begin = Clock::now();
      check(clEnqueueCopyBuffer(session.queue, source.get(), target.get(), 0, 0, size, 0, nullptr, nullptr),
            "clEnqueueCopyBuffer");
      check(clFinish(session.queue), "clFinish");
      mine = std::min(mine, milliseconds(Clock::now() - begin));
    }
    from = source.map(), to = target.map();
    mustBeEqual(from, to, size, "clEnqueueCopyBuffer");
    source.unmap(from);
    target.unmap(to);
    if (round) samples.push_back(100 * theirs / mine);
  }
  return samples;
}

} // namespace bench
