// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.hpp"

extern "C" void triad(const Host& host) {
  float* __restrict a = host.get<float>(0);
  const float* __restrict b = host.get<float>(1);
  const float* __restrict c = host.get<float>(2);
  int n = host.size(0);
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i)
    a[i] = b[i] + 3.0F * c[i];
}

extern "C" void saxpy(const Host& host) {
  float* __restrict y = host.get<float>(0);
  const float* __restrict x = host.get<float>(1);
  int n = host.size(0);
  for (int repeat = 0; repeat < 16; ++repeat) {
#pragma omp parallel for simd
    for (int i = 0; i < n; ++i)
      y[i] = 0.5F * x[i] + y[i];
  }
}
