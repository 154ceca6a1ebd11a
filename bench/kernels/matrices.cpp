// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.hpp"

#include <algorithm>

extern "C" void transpose(const Host& host) {
  float* __restrict out = host.get<float>(0);
  const float* __restrict in = host.get<float>(1);
  int width = host.size(0), height = host.size(1);
  constexpr int kBlock = 16;
#pragma omp parallel for collapse(2)
  for (int by = 0; by < height; by += kBlock)
    for (int bx = 0; bx < width; bx += kBlock)
      for (int x = bx; x < bx + kBlock; ++x)
        for (int y = by; y < by + kBlock; ++y)
          out[x * height + y] = in[y * width + x];
}

/// Row times row, the order that every book on C++ recommends.
extern "C" void matmul_naive(const Host& host) {
  float* __restrict c = host.get<float>(0);
  const float* __restrict a = host.get<float>(1);
  const float* __restrict b = host.get<float>(2);
  int n = host.size(0);
#pragma omp parallel for
  for (int row = 0; row < n; ++row) {
    std::fill_n(c + row * n, n, 0.0F);
    for (int k = 0; k < n; ++k) {
      float factor = a[row * n + k];
#pragma omp simd
      for (int col = 0; col < n; ++col)
        c[row * n + col] += factor * b[k * n + col];
    }
  }
}

/// Four rows by 64 columns at a time, in registers.
extern "C" void matmul_tiled(const Host& host) {
  constexpr int kRows = 4, kCols = 64;
  float* __restrict c = host.get<float>(0);
  const float* __restrict a = host.get<float>(1);
  const float* __restrict b = host.get<float>(2);
  int n = host.size(0);
#pragma omp parallel for collapse(2)
  for (int col = 0; col < n; col += kCols)
    for (int row = 0; row < n; row += kRows) {
      float sums[kRows][kCols] = {};
      for (int k = 0; k < n; ++k)
        for (int r = 0; r < kRows; ++r) {
          float factor = a[(row + r) * n + k];
#pragma omp simd
          for (int i = 0; i < kCols; ++i)
            sums[r][i] += factor * b[k * n + col + i];
        }
      for (int r = 0; r < kRows; ++r)
        std::copy_n(sums[r], kCols, c + (row + r) * n + col);
    }
}

extern "C" void dgemv(const Host& host) {
  constexpr int kRows = 256;
  double* __restrict y = host.get<double>(0);
  const double* __restrict a = host.get<double>(1);
  const double* __restrict x = host.get<double>(2);
  int rows = host.size(0), cols = host.size(1);
#pragma omp parallel for
  for (int row = 0; row < rows; row += kRows) {
    double sums[kRows] = {};
    for (int j = 0; j < cols; ++j) {
      double factor = x[j];
#pragma omp simd
      for (int i = 0; i < kRows; ++i)
        sums[i] += a[static_cast<std::size_t>(j) * rows + row + i] * factor;
    }
    std::copy_n(sums, kRows, y + row);
  }
}

extern "C" void spmv(const Host& host) {
  float* __restrict y = host.get<float>(0);
  const std::int32_t* __restrict rowStart = host.get<std::int32_t>(1);
  const std::int32_t* __restrict columns = host.get<std::int32_t>(2);
  const float* __restrict values = host.get<float>(3);
  const float* __restrict x = host.get<float>(4);
  int rows = host.size(0);
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = rowStart[row]; i < rowStart[row + 1]; ++i)
      sum += values[i] * x[columns[i]];
    y[row] = sum;
  }
}

extern "C" void kmeans(const Host& host) {
  constexpr int kDimensions = 8;
  std::int32_t* __restrict membership = host.get<std::int32_t>(0);
  const float* __restrict features = host.get<float>(1);
  const float* __restrict centres = host.get<float>(2);
  int points = host.size(0), clusters = host.size(1);
  constexpr int kBlock = 64; // points whose distances stay in registers or the first cache
#pragma omp parallel for
  for (int first = 0; first < points; first += kBlock) {
    int count = std::min(kBlock, points - first);
    float least[kBlock];
    std::int32_t best[kBlock] = {};
    std::fill_n(least, kBlock, 3.4e38F);
    for (int c = 0; c < clusters; ++c) {
      const float* __restrict centre = centres + c * kDimensions;
#pragma omp simd
      for (int k = 0; k < count; ++k) {
        float distance = 0;
        for (int d = 0; d < kDimensions; ++d) {
          float difference = features[d * points + first + k] - centre[d];
          distance += difference * difference;
        }
        best[k] = distance < least[k] ? c : best[k];
        least[k] = distance < least[k] ? distance : least[k];
      }
    }
    std::copy_n(best, count, membership + first);
  }
}
