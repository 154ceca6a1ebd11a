// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clotho-nbody: bodies that attract each other, on the default device. The first step of some bodies is compared with
// plain C++, and in the end the sum of all momenta has to be what it was, which is none.
#include "../device/device.hpp"
#include "nbody_cl.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>

namespace {

constexpr float kTime = 0.001F, kSoftening = 0.001F;

/// Bodies of equal mass, anywhere in a cube.
std::vector<cl_float4> makeBodies(std::size_t count) {
  std::uint64_t random = 1;
  const auto next = [&] {
    random = random * 6364136223846793005 + 1442695040888963407;
    return static_cast<float>(random >> 40) / static_cast<float>(1 << 24);
  };
  std::vector<cl_float4> bodies(count);
  for (cl_float4& body : bodies)
    body = {{next(), next(), next(), 1 / static_cast<float>(count)}};
  return bodies;
}

/// Whether a body that was at rest has the velocity after one step that it should have. Rounding may change the sum of
/// what pulls it by a small part of all that is added up.
bool hasVelocity(const std::vector<cl_float4>& bodies, std::size_t which, const cl_float4& velocity) {
  constexpr double kTolerance = 1e-5;
  std::array<double, 3> pull{};
  double all = 0;
  for (const cl_float4& other : bodies) {
    std::array<double, 3> way{};
    double square = kSoftening;
    for (std::size_t i = 0; i < 3; ++i) {
      way[i] = double(other.s[i]) - bodies[which].s[i];
      square += way[i] * way[i];
    }
    const double factor = other.s[3] / (square * std::sqrt(square));
    for (std::size_t i = 0; i < 3; ++i)
      pull[i] += way[i] * factor;
    all += std::sqrt(square) * factor;
  }
  for (std::size_t i = 0; i < 3; ++i)
    if (!(std::abs(velocity.s[i] - pull[i] * kTime) <= kTolerance * all * kTime)) return false;
  return true;
}

/// How large the sum of the momenta is beside the sum of their sizes.
double momentum(const std::vector<cl_float4>& velocities) {
  std::array<double, 3> sum{};
  double sizes = 0;
  for (const cl_float4& velocity : velocities) {
    double square = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      sum[i] += velocity.s[i];
      square += double(velocity.s[i]) * velocity.s[i];
    }
    sizes += std::sqrt(square);
  }
  return std::sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / sizes;
}

int simulate(std::size_t count, unsigned long steps) {
  constexpr std::size_t kCompared = 64;
  constexpr double kMostMomentum = 1e-4;
  std::vector<cl_float4> bodies = makeBodies(count), velocities(count);
  Device device(kNbodySource);
  cl_mem now = device.buffer(bodies), next = device.buffer(bodies), speeds = device.buffer(velocities);
  const auto step = [&] {
    device.run("attract", {count}, next, speeds, now, kTime, kSoftening);
    std::swap(now, next);
  };
  step();
  device.read(speeds, velocities);
  for (std::size_t i = 0; i < std::min(kCompared, count); ++i) {
    const std::size_t which = i * (count - 1) / kCompared;
    if (hasVelocity(bodies, which, velocities[which])) continue;
    std::fprintf(stderr, "body %zu does not move as it should\n", which);
    return 1;
  }
  const auto start = std::chrono::steady_clock::now();
  for (unsigned long i = 1; i < steps; ++i)
    step();
  device.finish();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  device.read(now, bodies);
  device.read(speeds, velocities);
  const double left = momentum(velocities);
  if (!(left <= kMostMomentum)) {
    std::fprintf(stderr, "momentum comes from nowhere: %g of what moves\n", left);
    return 1;
  }
  std::printf("%zu bodies, %lu steps on %s\n", count, steps, device.name().c_str());
  std::printf("time %.3f s without the first step, %.2f pairs per ns\n", seconds,
              double(steps - 1) * double(count) * double(count) / seconds * 1e-9);
  std::printf("checksum %016llx\n",
              static_cast<unsigned long long>(checksumOf(bodies.data(), bodies.size() * sizeof bodies[0])));
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  const unsigned long count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 16384;
  const unsigned long steps = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 20;
  if (argc > 3 || count < 2 || count > 1UL << 24 || steps < 2) {
    std::fprintf(stderr, "usage: %s [bodies, at least 2 [steps, at least 2]]\n", argv[0]);
    return 2;
  }
  try {
    return simulate(count, steps);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
