// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.hpp"

#include <algorithm>
#include <array>
#include <vector>

// Debian's clang++ finds no omp.h.
extern "C" int omp_get_max_threads();
extern "C" int omp_get_num_threads();
extern "C" int omp_get_thread_num();

extern "C" void reduce(const Host& host) {
  const float* in = host.get<float>(0);
  int n = host.size(0);
  float sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    sum += in[i];
  *host.get<float>(2) = sum;
}

namespace {

/// Sums of the threads' shares first, then each share from what is before it.
template <class T> void prefix(const T* in, T* out, int n, bool inclusive) {
  std::vector<T> sums(static_cast<std::size_t>(omp_get_max_threads()) + 1);
#pragma omp parallel
  {
    int threads = omp_get_num_threads(), me = omp_get_thread_num();
    int begin = static_cast<int>(static_cast<long>(n) * me / threads);
    int end = static_cast<int>(static_cast<long>(n) * (me + 1) / threads);
    T sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = begin; i < end; ++i)
      sum += in[i];
    sums[me + 1] = sum;
#pragma omp barrier
    T before = 0;
    for (int i = 0; i <= me; ++i)
      before += sums[i];
    for (int i = begin; i < end; ++i) {
      T value = in[i];
      out[i] = inclusive ? before + value : before;
      before += value;
    }
  }
}

} // namespace

extern "C" void scan(const Host& host) {
  prefix(host.get<std::uint32_t>(0), host.get<std::uint32_t>(1), host.size(0), false);
}

extern "C" void scan64(const Host& host) {
  prefix(host.get<std::uint64_t>(0), host.get<std::uint64_t>(1), host.size(0), true);
}

extern "C" void histogram(const Host& host) {
  const std::uint8_t* data = host.get<std::uint8_t>(0);
  std::uint32_t* bins = host.get<std::uint32_t>(1);
  int n = host.size(0);
  std::fill_n(bins, 256, 0U);
#pragma omp parallel
  {
    // Four tables, so that equal neighbours do not wait for each other.
    std::array<std::array<std::uint32_t, 256>, 4> mine{};
#pragma omp for
    for (int i = 0; i < n / 4; ++i)
      for (int k = 0; k < 4; ++k)
        ++mine[k][data[4 * i + k]];
#pragma omp critical
    for (int i = 0; i < 256; ++i)
      bins[i] += mine[0][i] + mine[1][i] + mine[2][i] + mine[3][i];
  }
}
