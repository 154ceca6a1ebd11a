// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

/// std::sqrt may have to set errno, which keeps loops scalar; this one need not where the compiler is clang++.
template <class T> inline T squareRoot(T value) {
#ifdef __clang__
  return __builtin_elementwise_sqrt(value);
#else
  if constexpr (sizeof(T) == sizeof(float))
    return __builtin_sqrtf(value);
  else
    return __builtin_sqrt(value);
#endif
}

/// What a kernel's C++ version gets: the same buffers and sizes as the OpenCL version. These versions are compiled by
/// each C++ compiler into a library of its own, so this is all that they share with the benchmark.
struct Host {
  void* const* buffers;
  const long* sizes;

  template <class T> T* get(int index) const { return static_cast<T*>(buffers[index]); }
  int size(int index) const { return static_cast<int>(sizes[index]); }
};
