// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

extern "C" void blur_rgba(const Host& host) {
  std::uint8_t* __restrict out = host.get<std::uint8_t>(0);
  const std::uint8_t* __restrict in = host.get<std::uint8_t>(1);
  int width = host.size(0), height = host.size(1), bytes = width * 4;
#pragma omp parallel
  {
    std::vector<std::uint16_t> columns(bytes); // sums of three rows
#pragma omp for
    for (int y = 0; y < height; ++y) {
      const std::uint8_t* above = in + std::max(y - 1, 0) * bytes;
      const std::uint8_t* here = in + y * bytes;
      const std::uint8_t* below = in + std::min(y + 1, height - 1) * bytes;
      std::uint16_t* __restrict sums = columns.data();
#pragma omp simd
      for (int i = 0; i < bytes; ++i)
        sums[i] = static_cast<std::uint16_t>(above[i] + here[i] + below[i]);
      std::uint8_t* row = out + y * bytes;
      // Ninths never lie halfway between integers, so that adding a half rounds as the kernel does.
      auto ninth = [](int sum) { return static_cast<std::uint8_t>((2 * sum + 9) / 18); };
#pragma omp simd
      for (int i = 4; i < bytes - 4; ++i)
        row[i] = ninth(sums[i - 4] + sums[i] + sums[i + 4]);
      for (int i = 0; i < 4; ++i) {
        row[i] = ninth(2 * sums[i] + sums[i + 4]);
        row[bytes - 4 + i] = ninth(2 * sums[bytes - 4 + i] + sums[bytes - 8 + i]);
      }
    }
  }
}

extern "C" void sobel(const Host& host) {
  std::uint8_t* __restrict out = host.get<std::uint8_t>(0);
  const std::uint8_t* __restrict in = host.get<std::uint8_t>(1);
  int width = host.size(0), height = host.size(1);
#pragma omp parallel for
  for (int y = 0; y < height; ++y) {
    std::uint8_t* __restrict row = out + y * width;
    if (y == 0 || y == height - 1) {
      std::fill_n(row, width, 0);
      continue;
    }
    row[0] = row[width - 1] = 0;
    const std::uint8_t* p = in + y * width;
#pragma omp simd
    for (int x = 1; x < width - 1; ++x) {
      int gx = p[x + 1 - width] + 2 * p[x + 1] + p[x + 1 + width] - p[x - 1 - width] - 2 * p[x - 1] - p[x - 1 + width];
      int gy = p[x + width - 1] + 2 * p[x + width] + p[x + width + 1] - p[x - width - 1] - 2 * p[x - width] -
               p[x - width + 1];
      int sum = (gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy);
      row[x] = static_cast<std::uint8_t>(sum > 255 ? 255 : sum);
    }
  }
}

extern "C" void tone_map(const Host& host) {
  constexpr float kExposure = 0.7F;
  std::uint8_t* __restrict out = host.get<std::uint8_t>(0);
  const float* __restrict in = host.get<float>(1);
  int n = host.size(0);
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i) {
    float r = in[4 * i] * kExposure, g = in[4 * i + 1] * kExposure, b = in[4 * i + 2] * kExposure;
    float luminance = 0.2126F * r + 0.7152F * g + 0.0722F * b;
    float factor = (1 + luminance * 0.1F) / (1 + luminance);
    auto byte = [factor](float v) {
      v = std::pow(std::min(std::max(v * factor, 0.0F), 1.0F), 1 / 2.2F);
      return static_cast<std::uint8_t>(v * 255 + 0.5F);
    };
    out[4 * i] = byte(r), out[4 * i + 1] = byte(g), out[4 * i + 2] = byte(b), out[4 * i + 3] = 255;
  }
}

namespace {

inline std::uint8_t median9Of(std::array<std::uint8_t, 9> v) {
  constexpr int kExchanges[19][2] = {{1, 2}, {4, 5}, {7, 8}, {0, 1}, {3, 4}, {6, 7}, {1, 2}, {4, 5}, {7, 8}, {0, 3},
                                     {5, 8}, {4, 7}, {3, 6}, {1, 4}, {2, 5}, {4, 7}, {4, 2}, {6, 4}, {4, 2}};
#pragma GCC unroll 19
  for (const auto& [a, b] : kExchanges) {
    std::uint8_t low = v[a] < v[b] ? v[a] : v[b], high = v[a] < v[b] ? v[b] : v[a];
    v[a] = low, v[b] = high;
  }
  return v[4];
}

} // namespace

extern "C" void median9(const Host& host) {
  std::uint8_t* __restrict out = host.get<std::uint8_t>(0);
  const std::uint8_t* __restrict in = host.get<std::uint8_t>(1);
  int width = host.size(0), height = host.size(1);
#pragma omp parallel for
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* above = in + std::max(y - 1, 0) * width;
    const std::uint8_t* here = in + y * width;
    const std::uint8_t* below = in + std::min(y + 1, height - 1) * width;
    auto at = [&](int left, int x, int right) {
      return median9Of(
          {above[left], above[x], above[right], here[left], here[x], here[right], below[left], below[x], below[right]});
    };
    std::uint8_t* __restrict row = out + y * width;
    row[0] = at(0, 0, 1);
    row[width - 1] = at(width - 2, width - 1, width - 1);
#pragma omp simd
    for (int x = 1; x < width - 1; ++x)
      row[x] = at(x - 1, x, x + 1);
  }
}

extern "C" void median25(const Host& host) {
  float* __restrict out = host.get<float>(0);
  const float* __restrict in = host.get<float>(1);
  int width = host.size(0), height = host.size(1);
#pragma omp parallel for
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      float v[25];
      int n = 0;
      for (int dy = -2; dy <= 2; ++dy)
        for (int dx = -2; dx <= 2; ++dx)
          v[n++] = in[std::clamp(y + dy, 0, height - 1) * width + std::clamp(x + dx, 0, width - 1)];
      std::nth_element(v, v + 12, v + 25);
      out[y * width + x] = v[12];
    }
}

extern "C" void life(const Host& host) {
  std::uint8_t* __restrict out = host.get<std::uint8_t>(0);
  const std::uint8_t* __restrict in = host.get<std::uint8_t>(1);
  int width = host.size(0), height = host.size(1);
#pragma omp parallel for
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* up = in + (y == 0 ? height - 1 : y - 1) * width;
    const std::uint8_t* row = in + y * width;
    const std::uint8_t* down = in + (y == height - 1 ? 0 : y + 1) * width;
    std::uint8_t* __restrict result = out + y * width;
    auto at = [&](int left, int x, int right) {
      auto neighbours = static_cast<std::uint8_t>(up[left] + up[x] + up[right] + row[left] + row[right] + down[left] +
                                                  down[x] + down[right]);
      return static_cast<std::uint8_t>((neighbours == 3) | ((neighbours == 2) & row[x]));
    };
    result[0] = at(width - 1, 0, 1);
    result[width - 1] = at(width - 2, width - 1, 0);
#pragma omp simd
    for (int x = 1; x < width - 1; ++x)
      result[x] = at(x - 1, x, x + 1);
  }
}

extern "C" void alpha_blend(const Host& host) {
  std::uint8_t* __restrict out = host.get<std::uint8_t>(0);
  const std::uint8_t* __restrict front = host.get<std::uint8_t>(1);
  const std::uint8_t* __restrict back = host.get<std::uint8_t>(2);
  int n = host.size(0);
  auto mixed = [](std::uint8_t f, std::uint8_t b, std::uint16_t alpha) {
    auto sum = static_cast<std::uint16_t>(f * alpha + b * (255 - alpha) + 128);
    return static_cast<std::uint8_t>(static_cast<std::uint16_t>(sum + (sum >> 8)) >> 8);
  };
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i) {
    std::uint16_t alpha = front[4 * i + 3];
    out[4 * i] = mixed(front[4 * i], back[4 * i], alpha);
    out[4 * i + 1] = mixed(front[4 * i + 1], back[4 * i + 1], alpha);
    out[4 * i + 2] = mixed(front[4 * i + 2], back[4 * i + 2], alpha);
    out[4 * i + 3] = mixed(front[4 * i + 3], back[4 * i + 3], alpha);
  }
}
