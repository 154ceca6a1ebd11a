// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.hpp"

#include <array>
#include <cmath>

namespace {

constexpr int kPoints = 1024, kQuarter = kPoints / 4;

/// cos and sin of all stages' factors: w, w^2, w^3 for each k of each stage.
struct Factors {
  std::array<float, kQuarter * 2> re[3], im[3];
  Factors() {
    for (int stride = 1, first = 0; stride <= kQuarter; first += stride, stride *= 4)
      for (int k = 0; k < stride; ++k)
        for (int power = 1; power <= 3; ++power) {
          double angle = -2 * M_PI * k * power / (4 * stride);
          re[power - 1][first + k] = static_cast<float>(std::cos(angle));
          im[power - 1][first + k] = static_cast<float>(std::sin(angle));
        }
  }
};

/// One Stockham stage. Short strides go through all butterflies in one loop, long ones along k, where everything is
/// contiguous.
void stage(const float* __restrict fromRe, const float* __restrict fromIm, float* __restrict toRe,
           float* __restrict toIm, int stride, int first, const Factors& factors) {
  auto butterfly = [&](int i, int k, int to) {
    int f = first + k;
    float r0 = fromRe[i], i0 = fromIm[i];
    float xr = fromRe[i + kQuarter], xi = fromIm[i + kQuarter];
    float yr = fromRe[i + 2 * kQuarter], yi = fromIm[i + 2 * kQuarter];
    float zr = fromRe[i + 3 * kQuarter], zi = fromIm[i + 3 * kQuarter];
    float r1 = xr * factors.re[0][f] - xi * factors.im[0][f], i1 = xr * factors.im[0][f] + xi * factors.re[0][f];
    float r2 = yr * factors.re[1][f] - yi * factors.im[1][f], i2 = yr * factors.im[1][f] + yi * factors.re[1][f];
    float r3 = zr * factors.re[2][f] - zi * factors.im[2][f], i3 = zr * factors.im[2][f] + zi * factors.re[2][f];
    float ar = r0 + r2, ai = i0 + i2, br = r0 - r2, bi = i0 - i2;
    float dr = r1 + r3, di = i1 + i3, er = i1 - i3, ei = -(r1 - r3);
    toRe[to] = ar + dr, toIm[to] = ai + di;
    toRe[to + stride] = br + er, toIm[to + stride] = bi + ei;
    toRe[to + 2 * stride] = ar - dr, toIm[to + 2 * stride] = ai - di;
    toRe[to + 3 * stride] = br - er, toIm[to + 3 * stride] = bi - ei;
  };
  if (stride < 16) {
#pragma omp simd
    for (int i = 0; i < kQuarter; ++i) {
      int k = i & (stride - 1);
      butterfly(i, k, (i - k) * 4 + k);
    }
    return;
  }
  for (int group = 0; group < kQuarter; group += stride) {
#pragma omp simd
    for (int k = 0; k < stride; ++k)
      butterfly(group + k, k, group * 4 + k);
  }
}

} // namespace

extern "C" void fft(const Host& host) {
  static const Factors kFactors;
  const float* in = host.get<float>(0);
  float* out = host.get<float>(1);
  int transforms = host.size(0);
#pragma omp parallel for
  for (int t = 0; t < transforms; ++t) {
    alignas(64) float re[2][kPoints], im[2][kPoints];
    const float* source = in + static_cast<std::size_t>(t) * 2 * kPoints;
    float* target = out + static_cast<std::size_t>(t) * 2 * kPoints;
    for (int i = 0; i < kPoints; ++i)
      re[0][i] = source[2 * i], im[0][i] = source[2 * i + 1];
    int from = 0;
    for (int stride = 1, first = 0; stride <= kQuarter; first += stride, stride *= 4, from = 1 - from)
      stage(re[from], im[from], re[1 - from], im[1 - from], stride, first, kFactors);
    for (int i = 0; i < kPoints; ++i)
      target[2 * i] = re[from][i], target[2 * i + 1] = im[from][i];
  }
}
