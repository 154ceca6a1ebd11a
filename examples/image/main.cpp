// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clotho-engrave: an image file through five OpenCL kernels, beside the same in plain C++.
#include "engrave.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace {

constexpr int kRepetitions = 21;

double medianPlainMs(const Picture& picture, Picture& engraved) {
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    engraved = engravePlain(picture);
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::nth_element(times.begin(), times.begin() + 2, times.end());
  return times[2];
}

/// Largest difference of a channel, and how many pixels differ at all.
std::pair<int, std::size_t> difference(const Picture& a, const Picture& b) {
  int largest = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    count += a.pixels[i] != b.pixels[i];
    for (int c = 0; c < 4; ++c)
      largest = std::max(largest, std::abs(a.pixels[i][c] - b.pixels[i][c]));
  }
  return {largest, count};
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s picture.png|picture.jpg engraved.png\n", argv[0]);
    return 2;
  }
  try {
    const Picture picture = readPicture(argv[1]);
    std::printf("%s: %d x %d pixels\n", argv[1], picture.width, picture.height);
    const DeviceRun run = engraveOnDevice(picture, kRepetitions);
    Picture plain;
    const double plainMs = medianPlainMs(picture, plain);
    std::printf("  OpenCL on %s\n", run.device.c_str());
    std::printf("    build          %9.2f ms\n", run.buildMs);
    std::printf("    five kernels   %9.2f ms\n", run.medianMs);
    std::printf("  plain C++        %9.2f ms   OpenCL is %.1f times as fast\n", plainMs, plainMs / run.medianMs);
    // Rounding may fall either way where the orders of addition differ.
    const auto [largest, count] = difference(run.engraved, plain);
    std::printf("  largest difference of the two pictures: %d of 255 (%zu pixels differ)\n", largest, count);
    writePng(run.engraved, argv[2]);
    std::printf("  written: %s\n", argv[2]);
    if (largest > 2) {
      std::fprintf(stderr, "the results disagree\n");
      return 1;
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
