// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

/// What a kernel's C++ version gets: the same buffers and sizes as the OpenCL version. These versions are compiled by
/// each C++ compiler into a library of its own, so this is all that they share with the benchmark.
struct Host {
  void* const* buffers;
  const long* sizes;

  template <class T> T* get(int index) const { return static_cast<T*>(buffers[index]); }
  int size(int index) const { return static_cast<int>(sizes[index]); }
};
