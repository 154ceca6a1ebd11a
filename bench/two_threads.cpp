// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "two_threads.hpp"

#include <cstring>
#include <limits>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bench {

namespace {

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

} // namespace

CopyFunction fastestCopy(TwoThreads& threads, char* target, const char* source, std::size_t size) {
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

} // namespace bench
