// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_case.hpp"

#include <algorithm>
#include <string>

namespace bench {

namespace {

// Whether a point leaves now or one iteration later may hang on the last bit, and compilers fuse multiplications and
// additions differently; chaos does the rest. Hence outliers.

Problem mandelbrot(Scale scale) {
  std::size_t width = scale.pick(500, 50), height = scale.pick(300, 30);
  int limit = 256;
  return {{output<std::int32_t>(width * height, {0, 0, 0.01})},
          {static_cast<long>(width), static_cast<long>(height), limit},
          {{"mandelbrot",
            {(width + 15) / 16 * 16, (height + 15) / 16 * 16},
            {16, 16},
            {arg(0), static_cast<int>(width), static_cast<int>(height), limit}}}};
}

Problem julia(Scale scale) {
  std::size_t width = scale.pick(640, 64), height = scale.pick(480, 48);
  return {{output<std::uint8_t>(width * height * 4, {0, 0, 0.01})},
          {static_cast<long>(width), static_cast<long>(height)},
          {{"julia", {width, height}, {}, {arg(0), -0.8F, 0.156F}}}};
}

Problem collatz(Scale scale) {
  std::size_t count = scale.pick(64 << 10, 1 << 10);
  return {{output<std::int32_t>(count)},
          {static_cast<long>(count), 1'000'000},
          {{"collatz", {count}, {128}, {arg(0), 1'000'000U}}}};
}

Problem raytrace(Scale scale) {
  std::size_t width = scale.pick(320, 64), height = scale.pick(240, 48);
  std::vector<float> numbers = randomFloats(12UL * 8, 0, 1, 5), spheres;
  for (std::size_t i = 0; i < numbers.size(); i += 8) {
    float radius = 0.4F + 0.6F * numbers[i + 3];
    spheres.insert(spheres.end(), {8 * numbers[i] - 4, radius + numbers[i + 1], 7 * numbers[i + 2] - 2, radius,
                                   numbers[i + 4], numbers[i + 5], numbers[i + 6], 0.7F * numbers[i + 7]});
  }
  return {
      {output<std::uint8_t>(width * height * 4, {0, 1, 0.005}), input(spheres)},
      {static_cast<long>(width), static_cast<long>(height)},
      {{"raytrace", {width, height}, {16, 8}, {arg(0), arg(1), static_cast<int>(width), static_cast<int>(height)}}}};
}

Problem raymarch(Scale scale) {
  std::size_t width = scale.pick(320, 50), height = scale.pick(180, 40);
  return {{output<float>(width * height, {1e-3, 1e-3, 0.01})},
          {static_cast<long>(width), static_cast<long>(height)},
          {{"raymarch",
            {(width + 15) / 16 * 16, (height + 15) / 16 * 16},
            {16, 16},
            {arg(0), static_cast<int>(width), static_cast<int>(height)}}}};
}

Problem binarySearch(Scale scale) {
  std::size_t count = scale.pick(128 << 10, 1 << 10), n = scale.pick(1 << 18, 1 << 12);
  std::vector<std::uint32_t> sorted = randomInts(n, static_cast<std::uint32_t>(n) * 8, 1);
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<std::uint32_t> keys = randomInts(count, static_cast<std::uint32_t>(n) * 8, 2);
  for (std::size_t i = 0; i < keys.size(); i += 2)
    keys[i] = sorted[keys[i] % sorted.size()];
  auto size = static_cast<int>(sorted.size());
  return {{output<std::int32_t>(count), input(keys), input(sorted)},
          {static_cast<long>(count), size},
          {{"search", {count}, {}, {arg(0), arg(1), arg(2), size}}}};
}

Problem stringMatch(Scale scale) {
  std::size_t length = scale.pick(1 << 20, 2000);
  std::vector<std::uint8_t> text = randomBytes(length, 4, 1);
  for (std::uint8_t& letter : text)
    letter = static_cast<std::uint8_t>("ACGT"[letter]);
  const std::string patterns[] = {"ACGTAC", "GATTACA", "TTTTTT", "CCGG", "ATATATAT", "GGGAAA", "TAGACC", "CATCAT"};
  std::vector<std::uint8_t> letters;
  std::vector<std::int32_t> starts = {0};
  for (const std::string& pattern : patterns) {
    letters.insert(letters.end(), pattern.begin(), pattern.end());
    starts.push_back(static_cast<std::int32_t>(letters.size()));
  }
  auto count = static_cast<int>(starts.size() - 1), size = static_cast<int>(length);
  return {{input(text), input(letters), input(starts), output<std::int32_t>(length)},
          {size, count},
          {{"match", {(length + 255) / 256 * 256}, {256}, {arg(0), size, arg(1), arg(2), count, arg(3)}}}};
}

} // namespace

void addDivergenceCases(KernelCases& cases) {
  cases.insert(cases.end(), {
                                {"mandelbrot", "divergence", mandelbrot},
                                {"julia", "divergence", julia},
                                {"collatz", "divergence", collatz},
                                {"raytrace", "divergence", raytrace},
                                {"raymarch", "divergence", raymarch},
                                {"binary_search", "divergence", binarySearch},
                                {"string_match", "divergence", stringMatch},
                            });
}

} // namespace bench
