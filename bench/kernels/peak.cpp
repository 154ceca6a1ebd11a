// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.hpp"

// What the machine can do: chains enough side by side that none waits for another.

namespace {

template <class T> void chains(const Host& host, T factor, T addend) {
  constexpr int kVectors = 10, kLanes = 64 / static_cast<int>(sizeof(T));
  using Vector [[gnu::vector_size(64)]] = T;
  T* out = host.get<T>(0);
  const T* in = host.get<T>(1);
  int n = host.size(0);
#pragma omp parallel for
  for (int first = 0; first < n; first += kVectors * kLanes) {
    Vector x[kVectors];
    int count = n - first < kVectors * kLanes ? n - first : kVectors * kLanes;
    __builtin_memcpy(x, in + first, count * sizeof(T));
    for (int k = 0; k < 1024; ++k)
#pragma GCC unroll 10
      for (Vector& v : x)
        v = v * factor + addend;
    __builtin_memcpy(out + first, x, count * sizeof(T));
  }
}

} // namespace

extern "C" void peak_float(const Host& host) { chains<float>(host, 0.999F, 0.001F); }
extern "C" void peak_double(const Host& host) { chains<double>(host, 0.999, 0.001); }
extern "C" void peak_int(const Host& host) { chains<std::uint32_t>(host, 1664525, 1013904223); }

extern "C" void bandwidth(const Host& host) {
  float* __restrict out = host.get<float>(0);
  const float* __restrict in = host.get<float>(1);
  int n = host.size(0);
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i)
    out[i] = in[i];
}
