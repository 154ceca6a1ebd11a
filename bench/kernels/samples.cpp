// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.hpp"

#include <algorithm>
#include <cstdlib>

extern "C" void audio_mix(const Host& host) {
  constexpr int kGainA = 300, kGainB = 210;
  std::int16_t* __restrict out = host.get<std::int16_t>(0);
  const std::int16_t* __restrict a = host.get<std::int16_t>(1);
  const std::int16_t* __restrict b = host.get<std::int16_t>(2);
  int n = host.size(0);
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i)
    out[i] = static_cast<std::int16_t>(std::min(std::max((a[i] * kGainA + b[i] * kGainB) >> 8, -32768), 32767));
}

extern "C" void loudness(const Host& host) {
  std::int16_t* __restrict out = host.get<std::int16_t>(0);
  const std::int16_t* __restrict in = host.get<std::int16_t>(1);
  int items = host.size(0);
#pragma omp parallel for
  for (int i = 0; i < items; ++i) {
    std::int16_t peak[8] = {};
    for (int k = -2; k <= 2; ++k) {
      const std::int16_t* v = in + 8 * std::min(std::max(i + k, 0), items - 1);
#pragma omp simd
      for (int c = 0; c < 8; ++c) {
        int positive = v[c] > 0 ? v[c] : 0, negative = v[c] < 0 ? v[c] : 0;
        int magnitude = std::min(positive - negative, 32767);
        auto weighted = static_cast<std::int16_t>(magnitude - (magnitude >> 3) * std::abs(k));
        peak[c] = peak[c] > weighted ? peak[c] : weighted;
      }
    }
    for (int c = 0; c < 8; ++c)
      out[8 * i + c] = static_cast<std::int16_t>(std::min(peak[c] + 3, 32767));
  }
}
