// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../image/picture.hpp"

#include <array>
#include <cmath>
#include <string>
#include <vector>

// What both versions are told, so that they make the same pictures.

inline constexpr int kWidth = 960, kHeight = 640; ///< of the pictures that need not be as large as the first
inline constexpr int kRadius = 15;                ///< of the blur
inline constexpr float kFocus = 0.62F;            ///< where the miniature is sharp
inline constexpr float kStart = 0.85F;            ///< where the tunnel begins in the picture's height
inline constexpr std::array<float, 4> kLight{1.0F, 0.93F, 0.8F, 1.0F};

/// How far one pixel to the right, and one down, goes in a picture that is turned and zoomed.
struct Turn {
  std::array<float, 2> across, down;
};
inline Turn turnFor(const Picture& picture) {
  const float angle = 0.35F, zoom = 2.2F;
  const float c = zoom * std::cos(angle) * float(picture.width) / float(kWidth);
  const float s = zoom * std::sin(angle) * float(picture.width) / float(kWidth);
  const float w = float(picture.width), h = float(picture.height);
  return {{c / w, s / h}, {-s / w, c / h}};
}

/// A size of level `level` of a mipmap, and how many levels there are.
inline int halved(int size, int level) { return size >> level > 1 ? size >> level : 1; }
inline int levelCount(const Picture& picture) {
  int levels = 1;
  for (int size = picture.width > picture.height ? picture.width : picture.height; size > 1; size /= 2)
    ++levels;
  return levels;
}

/// A result, and how long it took.
struct Made {
  std::string name;
  Picture picture;
  double ms = 0;
};

/// turned, tunnel and miniature, in plain C++ on one thread.
std::vector<Made> makePlain(const Picture& picture, int repetitions);

/// The same with OpenCL's images and samplers, on the first device of the first platform.
struct DeviceRun {
  std::string device;
  double buildMs = 0;
  std::vector<Made> made;
};
DeviceRun makeOnDevice(const Picture& picture, int repetitions);
