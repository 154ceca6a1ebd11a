// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs with images and samplers do, as one writes it in C++.
#include "host.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace {

/// The place in the source of the pixel (x, y); the kernels get the same numbers as arguments.
struct Turn {
  float a = 0.9375F, b = 0.34375F, left = 333.251953125F, top = -97.498046875F;
  float u(int x, int y) const { return a * static_cast<float>(x) - b * static_cast<float>(y) + left; }
  float v(int x, int y) const { return b * static_cast<float>(x) + a * static_cast<float>(y) + top; }
};

/// Calls `pixel(x, y, u, v)` for all of the result.
template <class Pixel> void turned(const Host& host, const Pixel& pixel) {
  const int width = host.size(2), height = host.size(3);
  const Turn turn;
#pragma omp parallel for
  for (int y = 0; y < height; ++y) {
#pragma omp simd
    for (int x = 0; x < width; ++x)
      pixel(x, y, turn.u(x, y), turn.v(x, y));
  }
}

/// Four bytes of a pixel weighed.
inline void mix(std::uint8_t* to, const std::uint8_t* p00, const std::uint8_t* p10, const std::uint8_t* p01,
                const std::uint8_t* p11, float w00, float w10, float w01, float w11) {
  for (int c = 0; c < 4; ++c)
    to[c] = static_cast<std::uint8_t>(w00 * p00[c] + w10 * p10[c] + w01 * p01[c] + w11 * p11[c] + 0.5F);
}

} // namespace

extern "C" void image_resample_edge(const Host& host) {
  std::uint8_t* __restrict out = host.get<std::uint8_t>(0);
  const std::uint8_t* __restrict in = host.get<std::uint8_t>(1);
  const int width = host.size(0), height = host.size(1), pitch = host.size(2);
  turned(host, [=](int x, int y, float u, float v) {
    u -= 0.5F, v -= 0.5F;
    const float left = std::floor(u), top = std::floor(v), a = u - left, b = v - top;
    const int x0 = static_cast<int>(left), y0 = static_cast<int>(top);
    const int xs[] = {std::clamp(x0, 0, width - 1), std::clamp(x0 + 1, 0, width - 1)};
    const int ys[] = {std::clamp(y0, 0, height - 1), std::clamp(y0 + 1, 0, height - 1)};
    mix(out + 4 * (y * pitch + x), in + 4 * (ys[0] * width + xs[0]), in + 4 * (ys[0] * width + xs[1]),
        in + 4 * (ys[1] * width + xs[0]), in + 4 * (ys[1] * width + xs[1]), (1 - a) * (1 - b), a * (1 - b), (1 - a) * b,
        a * b);
  });
}

extern "C" void image_resample_border(const Host& host) {
  std::uint8_t* __restrict out = host.get<std::uint8_t>(0);
  const std::uint8_t* __restrict in = host.get<std::uint8_t>(1);
  const int width = host.size(0), height = host.size(1), pitch = host.size(2);
  turned(host, [=](int x, int y, float u, float v) {
    u -= 0.5F, v -= 0.5F;
    const float left = std::floor(u), top = std::floor(v), a = u - left, b = v - top;
    const int x0 = static_cast<int>(left), y0 = static_cast<int>(top);
    // Outside everything is black and transparent: a weight of nothing.
    const float lefts = x0 >= 0 && x0 < width ? 1 - a : 0, rights = x0 >= -1 && x0 < width - 1 ? a : 0;
    const float uppers = y0 >= 0 && y0 < height ? 1 - b : 0, lowers = y0 >= -1 && y0 < height - 1 ? b : 0;
    const int xs[] = {std::clamp(x0, 0, width - 1), std::clamp(x0 + 1, 0, width - 1)};
    const int ys[] = {std::clamp(y0, 0, height - 1), std::clamp(y0 + 1, 0, height - 1)};
    mix(out + 4 * (y * pitch + x), in + 4 * (ys[0] * width + xs[0]), in + 4 * (ys[0] * width + xs[1]),
        in + 4 * (ys[1] * width + xs[0]), in + 4 * (ys[1] * width + xs[1]), lefts * uppers, rights * uppers,
        lefts * lowers, rights * lowers);
  });
}

extern "C" void image_nearest_edge(const Host& host) {
  float* __restrict out = host.get<float>(0);
  const float* __restrict in = host.get<float>(1);
  const int width = host.size(0), height = host.size(1), pitch = host.size(2);
  turned(host, [=](int x, int y, float u, float v) {
    const int i = std::clamp(static_cast<int>(std::floor(u)), 0, width - 1);
    const int j = std::clamp(static_cast<int>(std::floor(v)), 0, height - 1);
    out[y * pitch + x] = in[j * width + i];
  });
}

extern "C" void image_nearest_border(const Host& host) {
  float* __restrict out = host.get<float>(0);
  const float* __restrict in = host.get<float>(1);
  const int width = host.size(0), height = host.size(1), pitch = host.size(2);
  turned(host, [=](int x, int y, float u, float v) {
    const int i = static_cast<int>(std::floor(u)), j = static_cast<int>(std::floor(v));
    const bool inside = i >= 0 && j >= 0 && i < width && j < height;
    out[y * pitch + x] = inside ? in[j * width + i] : 0.0F;
  });
}

namespace {

constexpr int kRadius = 2, kSide = 2 * kRadius + 1;

} // namespace

/// As `convolution` is, but for what lies outside, which is black.
extern "C" void image_convolution_border(const Host& host) {
  float* __restrict out = host.get<float>(0);
  const float* __restrict in = host.get<float>(1);
  const float* __restrict filter = host.get<float>(2);
  const int width = host.size(0), height = host.size(1);
  auto border = [&](int x, int y) {
    float sum = 0;
    for (int dy = 0; dy < kSide; ++dy)
      for (int dx = 0; dx < kSide; ++dx) {
        const int i = x + dx - kRadius, j = y + dy - kRadius;
        if (i >= 0 && j >= 0 && i < width && j < height) sum += in[j * width + i] * filter[dy * kSide + dx];
      }
    out[y * width + x] = sum;
  };
#pragma omp parallel for
  for (int y = 0; y < height; ++y) {
    if (y < kRadius || y >= height - kRadius) {
      for (int x = 0; x < width; ++x)
        border(x, y);
      continue;
    }
    for (int x = 0; x < kRadius; ++x)
      border(x, y), border(width - 1 - x, y);
#pragma omp simd
    for (int x = kRadius; x < width - kRadius; ++x) {
      float sum = 0;
      for (int dy = 0; dy < kSide; ++dy)
        for (int dx = 0; dx < kSide; ++dx)
          sum += in[(y + dy - kRadius) * width + x + dx - kRadius] * filter[dy * kSide + dx];
      out[y * width + x] = sum;
    }
  }
}

extern "C" void image_convolution_colours(const Host& host) {
  std::uint8_t* __restrict out = host.get<std::uint8_t>(0);
  const std::uint8_t* __restrict in = host.get<std::uint8_t>(1);
  const float* __restrict filter = host.get<float>(2);
  const int width = host.size(0), height = host.size(1), bytes = 4 * width;
  auto rounded = [](float sum) { return static_cast<std::uint8_t>(std::min(std::max(sum, 0.0F), 255.0F) + 0.5F); };
  auto border = [&](int x, int y) {
    for (int c = 0; c < 4; ++c) {
      float sum = 0;
      for (int dy = 0; dy < kSide; ++dy)
        for (int dx = 0; dx < kSide; ++dx) {
          const int i = std::clamp(x + dx - kRadius, 0, width - 1), j = std::clamp(y + dy - kRadius, 0, height - 1);
          sum += in[j * bytes + 4 * i + c] * filter[dy * kSide + dx];
        }
      out[y * bytes + 4 * x + c] = rounded(sum);
    }
  };
#pragma omp parallel for
  for (int y = 0; y < height; ++y) {
    if (y < kRadius || y >= height - kRadius) {
      for (int x = 0; x < width; ++x)
        border(x, y);
      continue;
    }
    for (int x = 0; x < kRadius; ++x)
      border(x, y), border(width - 1 - x, y);
#pragma omp simd
    for (int i = 4 * kRadius; i < bytes - 4 * kRadius; ++i) {
      float sum = 0;
      for (int dy = 0; dy < kSide; ++dy)
        for (int dx = 0; dx < kSide; ++dx)
          sum += in[(y + dy - kRadius) * bytes + i + 4 * (dx - kRadius)] * filter[dy * kSide + dx];
      out[y * bytes + i] = rounded(sum);
    }
  }
}

namespace {

/// A row that is there already, with one field of each texel the row's own, past the caches.
template <class Word>
void streamRows(Word* out, const std::vector<Word>& ramp, int height, Word (*field)(int y, int height)) {
  const int width = static_cast<int>(ramp.size());
  constexpr int kWords = 32 / sizeof(Word);
#pragma omp parallel for
  for (int y = 0; y < height; ++y) {
    const Word own = field(y, height);
    Word* row = out + static_cast<std::size_t>(y) * width;
    int x = 0;
#if defined(__AVX2__)
    const __m256i owns =
        sizeof(Word) == 4 ? _mm256_set1_epi32(static_cast<int>(own)) : _mm256_set1_epi64x(static_cast<long long>(own));
    for (; x + kWords <= width; x += kWords) {
      const __m256i texels = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(ramp.data() + x));
      _mm256_stream_si256(reinterpret_cast<__m256i*>(row + x), _mm256_or_si256(texels, owns));
    }
#endif
    for (; x < width; ++x)
      row[x] = ramp[x] | own;
  }
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

} // namespace

extern "C" void image_write_rgba8(const Host& host) {
  const int width = host.size(0), height = host.size(1);
  std::vector<std::uint32_t> ramp(width);
  for (int x = 0; x < width; ++x)
    ramp[x] = 0xff800000U |
              static_cast<std::uint32_t>(std::lrint(255.0F * static_cast<float>(x) / static_cast<float>(width)));
  streamRows<std::uint32_t>(host.get<std::uint32_t>(0), ramp, height, [](int y, int rows) {
    return static_cast<std::uint32_t>(std::lrint(255.0F * static_cast<float>(y) / static_cast<float>(rows))) << 8;
  });
}

extern "C" void image_write_half(const Host& host) {
  const int width = host.size(0), height = host.size(1);
  auto half = [](int i, int n) -> std::uint64_t {
    const auto number = static_cast<_Float16>(static_cast<float>(i) / static_cast<float>(n));
    std::uint16_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    return bits;
  };
  std::vector<std::uint64_t> ramp(width);
  for (int x = 0; x < width; ++x)
    ramp[x] = std::uint64_t{0x3c003800} << 32 | half(x, width);
  streamRows<std::uint64_t>(host.get<std::uint64_t>(0), ramp, height, [](int y, int rows) -> std::uint64_t {
    const auto number = static_cast<_Float16>(static_cast<float>(y) / static_cast<float>(rows));
    std::uint16_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    return std::uint64_t{bits} << 16;
  });
}
