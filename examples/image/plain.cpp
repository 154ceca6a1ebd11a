// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engrave.hpp"

#include <algorithm>
#include <cmath>

namespace {

float luma(const std::array<std::uint8_t, 4>& c) {
  return 0.299f * float(c[0]) + 0.587f * float(c[1]) + 0.114f * float(c[2]);
}

std::uint8_t toByte(float value) { return std::uint8_t(std::clamp(value, 0.0f, 255.0f)); }
std::uint8_t toNearestByte(float value) { return std::uint8_t(std::nearbyint(std::clamp(value, 0.0f, 255.0f))); }

/// One pass of the blur, along x or along y.
std::vector<float> blur(const std::vector<float>& plane, int width, int height, int dx, int dy) {
  const auto weights = blurWeights();
  std::vector<float> result(plane.size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      float sum = 0;
      for (int i = -kRadius; i <= kRadius; ++i) {
        const int sx = std::clamp(x + i * dx, 0, width - 1), sy = std::clamp(y + i * dy, 0, height - 1);
        sum += weights[i + kRadius] * plane[std::size_t(sy) * width + sx];
      }
      result[std::size_t(y) * width + x] = sum;
    }
  return result;
}

std::array<float, 256> toneCurve(const std::vector<float>& plane) {
  std::array<unsigned, 256> counts{};
  for (const float value : plane)
    ++counts[toByte(value)];
  std::array<float, 256> curve;
  unsigned sum = 0;
  for (unsigned i = 0; i < 256; ++i) {
    sum += counts[i];
    curve[i] = 0.5f * float(i) + 127.5f * float(sum) / float(plane.size());
  }
  return curve;
}

} // namespace

std::array<float, 2 * kRadius + 1> blurWeights() {
  std::array<float, 2 * kRadius + 1> weights;
  float sum = 0;
  for (int i = -kRadius; i <= kRadius; ++i)
    sum += weights[i + kRadius] = std::exp(-float(i * i) / 8.0f);
  for (float& weight : weights)
    weight /= sum;
  return weights;
}

Picture engravePlain(const Picture& picture) {
  const int width = picture.width, height = picture.height;
  std::vector<float> plane(picture.pixels.size());
  std::transform(picture.pixels.begin(), picture.pixels.end(), plane.begin(), luma);
  const std::vector<float> blurred = blur(blur(plane, width, height, 1, 0), width, height, 0, 1);
  const std::array<float, 256> curve = toneCurve(blurred);

  Picture engraved = picture;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const auto at = [&](int dx, int dy) {
        const int sx = std::clamp(x + dx, 0, width - 1), sy = std::clamp(y + dy, 0, height - 1);
        return blurred[std::size_t(sy) * width + sx];
      };
      const float across = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
      const float down = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
      const float edge = std::clamp((std::sqrt(across * across + down * down) - 8.0f) / 82.0f, 0.0f, 1.0f);
      const float paper = 1 - edge * edge * (3 - 2 * edge);

      const auto& colour = picture.pixels[std::size_t(y) * width + x];
      const float shade = luma(colour);
      const float gain = paper * curve[toByte(shade)] / std::max(shade, 1.0f);
      auto& out = engraved.pixels[std::size_t(y) * width + x];
      for (int i = 0; i < 3; ++i)
        out[i] = toNearestByte(gain * float(colour[i]));
    }
  return engraved;
}
