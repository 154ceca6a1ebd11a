// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/callers_stack.hpp"

#include <algorithm>
#include <cstdint>
#include <pthread.h>
#include <unistd.h>

namespace clotho::cpu {

namespace {

struct Known {
  bool isAsked = false;
  std::byte* begin = nullptr;
  std::uintptr_t firstFree = 0, end = 0; ///< below firstFree there is only what is kept back
};
constinit thread_local Known known __attribute__((tls_model("initial-exec")));

/// For the first thread this reads /proc/self/maps.
void ask() noexcept {
  known.isAsked = true;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* stack = nullptr;
  std::size_t size = 0, guard = 0;
  // The guard of a thread's stack is part of what this calls its stack.
  if (pthread_attr_getstack(&attributes, &stack, &size) == 0 && pthread_attr_getguardsize(&attributes, &guard) == 0 &&
      size > guard) {
    known.begin = static_cast<std::byte*>(stack) + guard;
    known.end = reinterpret_cast<std::uintptr_t>(stack) + size;
    known.firstFree = reinterpret_cast<std::uintptr_t>(known.begin) + signalRoom();
  }
  pthread_attr_destroy(&attributes);
}

} // namespace

std::size_t signalRoom() noexcept {
  long least = 0;
#if defined(_SC_MINSIGSTKSZ)
  least = sysconf(_SC_MINSIGSTKSZ);
#endif
  return static_cast<std::size_t>(std::max(least, 0L)) * 2 + (std::size_t{64} << 10);
}

CallersStack callersStack() noexcept {
  if (!known.isAsked) ask();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (here <= known.firstFree || here >= known.end) return {};
  return {known.begin, here - known.firstFree};
}

} // namespace clotho::cpu
