// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clotho-pictures: three pictures made from one, by OpenCL's images and samplers, beside the same in plain C++.
#include "pictures.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace {

/// Both versions round to bytes, levels of mipmaps twice, and filters add in another order.
constexpr int kTolerance = 2;

int largestDifference(const Picture& a, const Picture& b) {
  if (a.pixels.size() != b.pixels.size()) return 255;
  int largest = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i)
    for (int c = 0; c < 4; ++c)
      largest = std::max(largest, std::abs(a.pixels[i][c] - b.pixels[i][c]));
  return largest;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s picture.png|picture.jpg folder\n", argv[0]);
    return 2;
  }
  try {
    const Picture picture = readPicture(argv[1]);
    const std::string folder = argv[2];
    std::printf("%s: %d x %d pixels\n", argv[1], picture.width, picture.height);
    const DeviceRun run = makeOnDevice(picture, 11);
    const std::vector<Made> plain = makePlain(picture, 3);
    std::printf("  OpenCL on %s, built in %.0f ms\n", run.device.c_str(), run.buildMs);
    bool good = true;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      const Made &ours = run.made[i], &theirs = plain[i];
      const int difference = largestDifference(ours.picture, theirs.picture);
      good &= difference <= kTolerance;
      std::printf("  %-10s %8.2f ms   plain C++ %8.2f ms   %5.1f times as fast   differs by %d of 255 at most\n",
                  ours.name.c_str(), ours.ms, theirs.ms, theirs.ms / ours.ms, difference);
      writePng(ours.picture, folder + "/" + ours.name + ".png");
      writePng(theirs.picture, folder + "/" + ours.name + "-plain.png");
      std::printf("             written: %s/%s.png, and %s-plain.png\n", folder.c_str(), ours.name.c_str(),
                  ours.name.c_str());
    }
    if (!good) std::fprintf(stderr, "the pictures differ by more than %d of 255\n", kTolerance);
    return good ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
