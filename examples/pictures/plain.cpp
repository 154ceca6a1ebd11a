// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What pictures.cl does, without images and samplers: this is what those do.
#include "pictures.hpp"

#include <algorithm>
#include <chrono>
#include <numbers>

namespace {

using Light = std::array<float, 4>; ///< red, green, blue and alpha, linear

/// A picture in linear light.
struct Plane {
  int width, height;
  std::vector<Light> texels;
  Light& at(int x, int y) { return texels[std::size_t(y) * width + x]; }
  const Light& at(int x, int y) const { return texels[std::size_t(y) * width + x]; }
  const Light& edge(int x, int y) const { return at(std::clamp(x, 0, width - 1), std::clamp(y, 0, height - 1)); }
};

float toLight(std::uint8_t byte) {
  const float c = float(byte) / 255.0F;
  return c <= 0.04045F ? c / 12.92F : std::pow((c + 0.055F) / 1.055F, 2.4F);
}

std::uint8_t toByte(float light) {
  light = std::clamp(light, 0.0F, 1.0F);
  const float c = light < 0.0031308F ? 12.92F * light : 1.055F * std::pow(light, 1 / 2.4F) - 0.055F;
  return std::uint8_t(255.0F * c + 0.5F);
}

Plane toLight(const Picture& picture) {
  Plane plane{picture.width, picture.height, {}};
  std::array<float, 256> table;
  for (int i = 0; i < 256; ++i)
    table[i] = toLight(std::uint8_t(i));
  for (const auto& p : picture.pixels)
    plane.texels.push_back({table[p[0]], table[p[1]], table[p[2]], float(p[3]) / 255.0F});
  return plane;
}

std::array<std::uint8_t, 4> toPixel(const Light& light) {
  return {toByte(light[0]), toByte(light[1]), toByte(light[2]),
          std::uint8_t(255.0F * std::clamp(light[3], 0.0F, 1.0F) + 0.5F)};
}

Light mix(const Light& a, const Light& b, float share) {
  Light mixed;
  for (int c = 0; c < 4; ++c)
    mixed[c] = a[c] + (b[c] - a[c]) * share;
  return mixed;
}

/// A linear filter with mirrored repetition; u and v are in pictures.
Light sampleMirrored(const Plane& plane, float u, float v) {
  auto mirrored = [](float s) { return std::fabs(s - 2.0F * std::nearbyint(0.5F * s)); };
  const float x = mirrored(u) * float(plane.width) - 0.5F, y = mirrored(v) * float(plane.height) - 0.5F;
  const int i = int(std::floor(x)), j = int(std::floor(y));
  const float a = x - float(i), b = y - float(j);
  return mix(mix(plane.edge(i, j), plane.edge(i + 1, j), a), mix(plane.edge(i, j + 1), plane.edge(i + 1, j + 1), a), b);
}

/// Calls `pixel(x, y)` for each pixel of a picture, which is what it returns.
template <class Pixel> Picture paint(int width, int height, const Pixel& pixel) {
  Picture picture{width, height, {}};
  picture.pixels.reserve(std::size_t(width) * height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      picture.pixels.push_back(toPixel(pixel(x, y)));
  return picture;
}

Picture turned(const Picture& picture) {
  const Plane plane = toLight(picture);
  const Turn turn = turnFor(picture);
  return paint(kWidth, kHeight, [&](int x, int y) {
    const float px = float(x) + 0.5F - 0.5F * kWidth, py = float(y) + 0.5F - 0.5F * kHeight;
    return sampleMirrored(plane, 0.5F + px * turn.across[0] + py * turn.down[0],
                          0.5F + px * turn.across[1] + py * turn.down[1]);
  });
}

/// All levels; each is rounded to bytes, as the levels of the image are.
std::vector<Plane> mipmap(const Picture& picture) {
  std::vector<Plane> levels{toLight(picture)};
  for (int level = 1; level < levelCount(picture); ++level) {
    const Plane& above = levels.back();
    levels.push_back(toLight(paint(halved(picture.width, level), halved(picture.height, level), [&](int x, int y) {
      return mix(mix(above.edge(2 * x, 2 * y), above.edge(2 * x + 1, 2 * y), 0.5F),
                 mix(above.edge(2 * x, 2 * y + 1), above.edge(2 * x + 1, 2 * y + 1), 0.5F), 0.5F);
    })));
  }
  return levels;
}

Picture tunnel(const Picture& picture) {
  const std::vector<Plane> levels = mipmap(picture);
  const float pi = std::numbers::pi_v<float>;
  return paint(kWidth, kHeight, [&](int x, int y) {
    const float sx = (float(x) + 0.5F - 0.5F * kWidth) / kHeight, sy = (float(y) + 0.5F - 0.5F * kHeight) / kHeight;
    const float radius = std::sqrt(sx * sx + sy * sy), distance = 0.5F / radius;
    const float u = 2.0F * std::atan2(sx, sy) / pi, v = kStart - distance;
    const float around = float(picture.width) * 2.0F / (pi * radius) / kHeight;
    const float along = float(picture.height) * distance / radius / kHeight;
    const float level = std::clamp(0.5F * std::log2(around * along), 0.0F, float(levels.size() - 1));
    const int fine = int(level), coarse = std::min(fine + 1, int(levels.size()) - 1);
    const Light colour =
        mix(sampleMirrored(levels[fine], u, v), sampleMirrored(levels[coarse], u, v), level - float(fine));
    return mix(kLight, colour, std::exp(-0.1F * distance));
  });
}

/// One pass of the miniature's blur.
Plane blur(const Plane& plane, int dx, int dy) {
  Plane result{plane.width, plane.height, std::vector<Light>(plane.texels.size())};
  for (int y = 0; y < plane.height; ++y) {
    const float away = std::fabs((float(y) + 0.5F) / float(plane.height) - kFocus);
    const float t = std::clamp((away - 0.08F) / (0.5F - 0.08F), 0.0F, 1.0F);
    const float sigma = 0.2F + 5.0F * t * t * (3.0F - 2.0F * t);
    float weights[2 * kRadius + 1], all = 0;
    for (int i = -kRadius; i <= kRadius; ++i)
      all += weights[i + kRadius] = std::exp(-0.5F * float(i * i) / (sigma * sigma));
    for (int x = 0; x < plane.width; ++x) {
      Light sum{};
      for (int i = -kRadius; i <= kRadius; ++i) {
        const Light& light = plane.edge(x + i * dx, y + i * dy);
        for (int c = 0; c < 4; ++c)
          sum[c] += weights[i + kRadius] * light[c];
      }
      for (int c = 0; c < 4; ++c)
        result.at(x, y)[c] = sum[c] / all;
    }
  }
  return result;
}

Picture miniature(const Picture& picture) {
  const Plane blurred = blur(blur(toLight(picture), 1, 0), 0, 1);
  return paint(picture.width, picture.height, [&](int x, int y) { return blurred.at(x, y); });
}

Made timed(const char* name, Picture (*make)(const Picture&), const Picture& picture, int repetitions) {
  Made made{name, {}, 0};
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    made.picture = make(picture);
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::nth_element(times.begin(), times.begin() + repetitions / 2, times.end());
  made.ms = times[repetitions / 2];
  return made;
}

} // namespace

std::vector<Made> makePlain(const Picture& picture, int repetitions) {
  return {timed("turned", turned, picture, repetitions), timed("tunnel", tunnel, picture, repetitions),
          timed("miniature", miniature, picture, repetitions)};
}
