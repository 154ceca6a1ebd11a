// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "picture.hpp"

#include <array>
#include <string>

inline constexpr int kRadius = 6; ///< as in engrave.cl

/// Weights of the blur: a Gaussian, normalised.
std::array<float, 2 * kRadius + 1> blurWeights();

/// The engraving in plain C++, on one thread.
Picture engravePlain(const Picture& picture);

/// What a run on an OpenCL device took.
struct DeviceRun {
  Picture engraved;
  std::string device;
  double buildMs = 0;  ///< source to executable program
  double medianMs = 0; ///< all kernels, from the first enqueue to clFinish
};

/// The same by OpenCL, on the first device of the first platform; `repetitions` timed runs.
DeviceRun engraveOnDevice(const Picture& picture, int repetitions);
