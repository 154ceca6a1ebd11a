// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.hpp"

#include <algorithm>
#include <cmath>

namespace {

inline float cumulative(float d) {
  float k = 1 / (1 + 0.2316419F * std::fabs(d));
  float tail = 0.39894228F * std::exp(-0.5F * d * d) *
               (k * (0.31938153F + k * (-0.356563782F + k * (1.781477937F + k * (-1.821255978F + k * 1.330274429F)))));
  return d > 0 ? 1 - tail : tail;
}

} // namespace

extern "C" void black_scholes(const Host& host) {
  constexpr float kRate = 0.02F, kVolatility = 0.3F;
  const float* __restrict price = host.get<float>(0);
  const float* __restrict strike = host.get<float>(1);
  const float* __restrict years = host.get<float>(2);
  float* __restrict call = host.get<float>(3);
  float* __restrict put = host.get<float>(4);
  int n = host.size(0);
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i) {
    float s = price[i], x = strike[i], t = years[i], root = squareRoot(t);
    float d1 = (std::log(s / x) + (kRate + 0.5F * kVolatility * kVolatility) * t) / (kVolatility * root);
    float d2 = d1 - kVolatility * root;
    float c1 = cumulative(d1), c2 = cumulative(d2);
    float discounted = x * std::exp(-kRate * t);
    call[i] = s * c1 - discounted * c2;
    put[i] = discounted * (1 - c2) - s * (1 - c1);
  }
}

extern "C" void monte_carlo(const Host& host) {
  constexpr float kStart = 100, kStrike = 105, kDrift = 0.01F, kVolatility = 0.2F;
  const std::uint32_t* __restrict seeds = host.get<std::uint32_t>(0);
  float* __restrict means = host.get<float>(1);
  int n = host.size(0), paths = host.size(1);
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i) {
    std::uint32_t state = seeds[i];
    float sum = 0;
    for (int p = 0; p < paths; ++p) {
      float uniform[2];
      for (float& u : uniform) {
        state ^= state << 13U;
        state ^= state >> 17U;
        state ^= state << 5U;
        u = (static_cast<float>(state >> 8U) + 0.5F) * (1.0F / 16777216.0F);
      }
      float normal = squareRoot(-2 * std::log(uniform[0])) * std::cos(2 * 3.14159274F * uniform[1]);
      float end = kStart * std::exp(kDrift + kVolatility * normal);
      sum += end > kStrike ? end - kStrike : 0;
    }
    means[i] = sum / static_cast<float>(paths);
  }
}

extern "C" void trigonometry(const Host& host) {
  constexpr float kLongitude = 0.2335F, kLatitude = 0.9163F;
  const float* __restrict places = host.get<float>(0);
  float* __restrict results = host.get<float>(1);
  int n = host.size(0);
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i) {
    float dl = places[2 * i] - kLongitude, y = places[2 * i + 1];
    float s1 = std::sin(kLatitude), c1 = std::cos(kLatitude);
    float s2 = std::sin(y), c2 = std::cos(y), sd = std::sin(dl), cd = std::cos(dl);
    float a = std::sin(0.5F * (y - kLatitude)), b = std::sin(0.5F * dl);
    float h = a * a + c1 * c2 * b * b;
    results[2 * i] = 2 * std::asin(std::min(1.0F, squareRoot(h))) * 6371;
    results[2 * i + 1] = std::atan2(sd * c2, c1 * s2 - s1 * c2 * cd) * 57.2957795F;
  }
}

extern "C" void gelu(const Host& host) {
  float* __restrict out = host.get<float>(0);
  const float* __restrict in = host.get<float>(1);
  int n = host.size(0);
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i) {
    float x = in[i];
    out[i] = 0.5F * x * (1 + std::tanh(0.7978845608F * (x + 0.044715F * x * x * x)));
  }
}

extern "C" void softmax(const Host& host) {
  float* __restrict out = host.get<float>(0);
  const float* __restrict in = host.get<float>(1);
  int rows = host.size(0), columns = host.size(1);
#pragma omp parallel for
  for (int r = 0; r < rows; ++r) {
    const float* __restrict row = in + r * columns;
    float* __restrict result = out + r * columns;
    float most = row[0], sum = 0;
#pragma omp simd reduction(max : most)
    for (int i = 1; i < columns; ++i)
      most = row[i] > most ? row[i] : most;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < columns; ++i) {
      float e = std::exp(row[i] - most);
      result[i] = e;
      sum += e;
    }
    float inverse = 1 / sum;
#pragma omp simd
    for (int i = 0; i < columns; ++i)
      result[i] *= inverse;
  }
}

extern "C" void matrix_inverse(const Host& host) {
  constexpr int kN = 4;
  float* __restrict out = host.get<float>(0);
  const float* __restrict in = host.get<float>(1);
  int n = host.size(0);
#pragma omp parallel for
  for (int item = 0; item < n; ++item) {
    float a[kN][2 * kN];
    for (int i = 0; i < kN; ++i)
      for (int j = 0; j < kN; ++j) {
        a[i][j] = in[(item * kN + i) * kN + j];
        a[i][kN + j] = i == j ? 1 : 0;
      }
    for (int column = 0; column < kN; ++column) {
      int pivot = column;
      for (int i = column + 1; i < kN; ++i)
        if (std::fabs(a[i][column]) > std::fabs(a[pivot][column])) pivot = i;
      if (pivot != column) std::swap(a[pivot], a[column]);
      float factor = 1 / a[column][column];
      for (int j = 0; j < 2 * kN; ++j)
        a[column][j] *= factor;
      for (int i = 0; i < kN; ++i) {
        if (i == column) continue;
        float times = a[i][column];
        for (int j = 0; j < 2 * kN; ++j)
          a[i][j] -= times * a[column][j];
      }
    }
    for (int i = 0; i < kN; ++i)
      for (int j = 0; j < kN; ++j)
        out[(item * kN + i) * kN + j] = a[i][kN + j];
  }
}
