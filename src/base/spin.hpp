// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace clotho {

/// How long a waiting thread looks again before it sleeps: about what waking it would cost.
inline constexpr std::chrono::microseconds kSpinTime{30};

/// Tells the core that this thread polls.
inline void pauseCpu() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// Polls until it is over or so much time has passed.
inline void spinUntil(bool (*over)(const void* context), const void* context,
                      std::chrono::microseconds time = kSpinTime) noexcept {
  for (const auto end = std::chrono::steady_clock::now() + time; std::chrono::steady_clock::now() < end;)
    for (int i = 0; i < 16; ++i) {
      if (over(context)) return;
      pauseCpu();
    }
}

} // namespace clotho
