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
  for (int i = 0; i < n; ++i) {
    int sum = (a[i] * kGainA + b[i] * kGainB) >> 8;
    sum = sum < -32768 ? -32768 : sum;
    out[i] = static_cast<std::int16_t>(sum > 32767 ? 32767 : sum);
  }
}

extern "C" void loudness(const Host& host) {
  std::int16_t* __restrict out = host.get<std::int16_t>(0);
  const std::int16_t* __restrict in = host.get<std::int16_t>(1);
  int samples = 8 * host.size(0);
  auto weighted = [&](int sample, int distance) {
    int magnitude = in[sample] < 0 ? -in[sample] : in[sample];
    magnitude = magnitude > 32767 ? 32767 : magnitude;
    return magnitude - (magnitude >> 3) * distance;
  };
  auto larger = [](int a, int b) { return a > b ? a : b; };
  auto envelope = [&](int a, int b, int c, int d, int e) {
    int peak =
        larger(larger(larger(weighted(a, 2), weighted(b, 1)), larger(weighted(d, 1), weighted(e, 2))), weighted(c, 0));
    return static_cast<std::int16_t>(peak + 3 > 32767 ? 32767 : peak + 3);
  };
  auto clamped = [&](int i) { // same place in a group of eight that exists
    int place = i & 7;
    return i < 0 ? place : i >= samples ? samples - 8 + place : i;
  };
  for (int i = 0; i < samples; i = i == 15 ? samples - 16 : i + 1) // both ends
    out[i] = envelope(clamped(i - 16), clamped(i - 8), i, clamped(i + 8), clamped(i + 16));
#pragma omp parallel for simd
  for (int i = 16; i < samples - 16; ++i)
    out[i] = envelope(i - 16, i - 8, i, i + 8, i + 16);
}
