// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.hpp"

extern "C" void mandelbrot(const Host& host) {
  std::int32_t* out = host.get<std::int32_t>(0);
  int width = host.size(0), height = host.size(1), limit = host.size(2);
#pragma omp parallel for schedule(dynamic, 4)
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      float cr = -2.2F + 3.2F * static_cast<float>(x) / static_cast<float>(width);
      float ci = -1.2F + 2.4F * static_cast<float>(y) / static_cast<float>(height);
      float zr = 0, zi = 0;
      int n = 0;
      while (n < limit && zr * zr + zi * zi < 4) {
        float t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
        ++n;
      }
      out[y * width + x] = n;
    }
}

extern "C" void julia(const Host& host) {
  constexpr int kIterations = 128;
  constexpr float kRe = -0.8F, kIm = 0.156F;
  std::uint8_t* out = host.get<std::uint8_t>(0);
  int width = host.size(0), height = host.size(1);
#pragma omp parallel for schedule(dynamic, 4)
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      float re = 3 * static_cast<float>(x) / static_cast<float>(width) - 1.5F;
      float im = 2 * static_cast<float>(y) / static_cast<float>(height) - 1;
      int i;
      for (i = 0; i < kIterations; ++i) {
        float nextRe = re * re - im * im + kRe, nextIm = 2 * re * im + kIm;
        if (nextRe * nextRe + nextIm * nextIm > 16) break;
        re = nextRe, im = nextIm;
      }
      std::uint8_t* pixel = out + (y * width + x) * 4;
      bool inside = i == kIterations;
      pixel[0] = static_cast<std::uint8_t>(inside ? 0 : i * 9);
      pixel[1] = static_cast<std::uint8_t>(inside ? 0 : i * 5);
      pixel[2] = static_cast<std::uint8_t>(inside ? 0 : i * 2);
      pixel[3] = 255;
    }
}

extern "C" void collatz(const Host& host) {
  std::int32_t* steps = host.get<std::int32_t>(0);
  int count = host.size(0), first = host.size(1);
#pragma omp parallel for schedule(dynamic, 1024)
  for (int i = 0; i < count; ++i) {
    std::uint64_t n = static_cast<std::uint64_t>(first) + i;
    int done = 0;
    for (; n != 1; ++done)
      n = n & 1U ? 3 * n + 1 : n >> 1U;
    steps[i] = done;
  }
}
