// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clotho-stencil: heat in a plate, on the default device. All results are compared with plain C++, bit by bit.
#include "../device/device.hpp"
#include "stencil_cl.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <utility>

namespace {

struct Plate {
  std::size_t width, height;
  std::vector<float> points;
};

Plate makePlate(std::size_t width, std::size_t height) {
  Plate plate{width, height, std::vector<float>(width * height)};
  for (std::size_t i = 0; i < plate.points.size(); ++i)
    plate.points[i] = static_cast<float>(i * 2654435761U % 1000);
  return plate;
}

/// The plate after so many steps.
Plate afterSteps(Plate plate, unsigned long steps) {
  const std::size_t width = plate.width;
  std::vector<float> next = plate.points;
  for (unsigned long i = 0; i < steps; ++i) {
    const std::vector<float>& now = plate.points;
    for (std::size_t y = 1; y + 1 < plate.height; ++y)
      for (std::size_t x = 1; x + 1 < width; ++x) {
        const std::size_t at = y * width + x;
        next[at] = 0.25F * (now[at - width] + now[at + width] + now[at - 1] + now[at + 1]);
      }
    std::swap(plate.points, next);
  }
  return plate;
}

int simulate(const Plate& plate, unsigned long steps) {
  Device device(kStencilSource);
  cl_mem now = device.buffer(plate.points), next = device.buffer(plate.points);
  const auto step = [&] {
    device.run("spread", {plate.width, plate.height}, next, now, static_cast<cl_int>(plate.width),
               static_cast<cl_int>(plate.height));
    std::swap(now, next);
  };
  step();
  device.finish();
  const auto start = std::chrono::steady_clock::now();
  for (unsigned long i = 1; i < steps; ++i)
    step();
  device.finish();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::vector<float> found(plate.points.size());
  device.read(now, found);
  const std::size_t bytes = found.size() * sizeof found[0];
  if (std::memcmp(found.data(), afterSteps(plate, steps).points.data(), bytes) != 0) {
    std::fprintf(stderr, "the plate is not what it should be\n");
    return 1;
  }
  std::printf("%zu x %zu points, %lu steps on %s\n", plate.width, plate.height, steps, device.name().c_str());
  std::printf("time %.3f s without the first step, %.2f points per ns\n", seconds,
              double(steps - 1) * double(found.size()) / seconds * 1e-9);
  std::printf("checksum %016llx\n", static_cast<unsigned long long>(checksumOf(found.data(), bytes)));
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  const unsigned long width = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 4096;
  const unsigned long height = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : width;
  const unsigned long steps = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 100;
  if (argc > 4 || width < 3 || height < 3 || width > 1UL << 15 || height > 1UL << 15 || steps < 2) {
    std::fprintf(stderr, "usage: %s [width [height [steps, at least 2]]]\n", argv[0]);
    return 2;
  }
  try {
    return simulate(makePlate(width, height), steps);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
