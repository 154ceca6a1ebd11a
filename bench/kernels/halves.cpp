// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.hpp"

extern "C" void half_saxpy(const Host& host) {
  _Float16* __restrict y = host.get<_Float16>(0);
  const _Float16* __restrict x = host.get<_Float16>(1);
  const _Float16* __restrict z = host.get<_Float16>(2);
  int n = host.size(0);
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i)
    y[i] = static_cast<_Float16>(0.75F * static_cast<float>(x[i]) + static_cast<float>(z[i]));
}

extern "C" void half_dot(const Host& host) {
  float* __restrict out = host.get<float>(0);
  const _Float16* __restrict rows = host.get<_Float16>(1);
  const _Float16* __restrict vector = host.get<_Float16>(2);
  int count = host.size(0), columns = host.size(1);
#pragma omp parallel for
  for (int row = 0; row < count; ++row) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < columns; ++i)
      sum += static_cast<float>(rows[row * columns + i]) * static_cast<float>(vector[i]);
    out[row] = sum;
  }
}
