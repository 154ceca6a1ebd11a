// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.hpp"

#include <algorithm>

namespace {

/// Pairs so near that a vector holds several of them: compilers shuffle if they know the stride.
template <int stride> void shortSteps(std::uint32_t* data, int from, int to, int size) {
#pragma omp simd
  for (int run = from / stride; run < to / stride; ++run) {
    bool descending = (2 * stride * run & size) != 0;
    for (int k = 0; k < stride; ++k) {
      int i = 2 * stride * run + k;
      std::uint32_t a = data[i], b = data[i + stride], low = a < b ? a : b, high = a < b ? b : a;
      data[i] = descending ? high : low;
      data[i + stride] = descending ? low : high;
    }
  }
}

/// One step of the network on pairs [from, to) of the array, `stride` apart; runs of `stride` pairs are contiguous.
inline void steps(std::uint32_t* data, int from, int to, int size, int stride) {
  switch (stride) {
  case 1: return shortSteps<1>(data, from, to, size);
  case 2: return shortSteps<2>(data, from, to, size);
  case 4: return shortSteps<4>(data, from, to, size);
  default: break;
  }
  for (int run = from; run < to; run += stride) {
    std::uint32_t* __restrict left = data + 2 * run;
    std::uint32_t* __restrict right = left + stride;
    bool descending = (2 * run & size) != 0;
#pragma omp simd
    for (int k = 0; k < stride; ++k) {
      std::uint32_t a = left[k], b = right[k], low = a < b ? a : b, high = a < b ? b : a;
      left[k] = descending ? high : low;
      right[k] = descending ? low : high;
    }
  }
}

} // namespace

extern "C" void bitonic_local(const Host& host) {
  constexpr int kBlock = 512;
  const std::uint32_t* in = host.get<std::uint32_t>(0);
  std::uint32_t* out = host.get<std::uint32_t>(1);
  int blocks = host.size(0);
#pragma omp parallel for
  for (int block = 0; block < blocks; ++block) {
    std::uint32_t* data = out + block * kBlock;
    std::copy_n(in + block * kBlock, kBlock, data);
    for (int size = 2; size <= kBlock; size *= 2)
      for (int stride = size / 2; stride > 0; stride /= 2)
        steps(data, 0, kBlock / 2, size, stride);
  }
}

extern "C" void bitonic(const Host& host) {
  const std::uint32_t* in = host.get<std::uint32_t>(0);
  std::uint32_t* out = host.get<std::uint32_t>(1);
  int n = host.size(0);
  std::copy_n(in, n, out);
  for (int size = 2; size <= n; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      // Shares of whole runs, as many as there may be threads for.
      int share = std::max(stride, std::min(n / 2, 4096));
#pragma omp parallel for
      for (int from = 0; from < n / 2; from += share)
        steps(out, from, std::min(from + share, n / 2), size, stride);
    }
}
