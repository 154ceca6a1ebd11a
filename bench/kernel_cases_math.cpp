// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_case.hpp"

namespace bench {

namespace {

Problem blackScholes(Scale scale) {
  std::size_t n = scale.pick(400'000, 1000);
  return {{input(randomFloats(n, 5, 30, 1)), input(randomFloats(n, 1, 100, 2)), input(randomFloats(n, 0.25, 10, 3)),
           output<float>(n, {1e-4, 1e-4}), output<float>(n, {1e-4, 1e-4})},
          {static_cast<long>(n)},
          {{"black_scholes", {n}, {}, {arg(0), arg(1), arg(2), arg(3), arg(4)}}}};
}

Problem monteCarlo(Scale scale) {
  std::size_t n = scale.pick(8192, 256);
  int paths = scale.pick(64, 16);
  std::vector<std::uint32_t> seeds = randomInts(n, 0, 1);
  for (std::uint32_t& seed : seeds)
    seed |= 1U;
  return {{input(seeds), output<float>(n, {1e-3, 1e-3})},
          {static_cast<long>(n), paths},
          {{"simulate", {n}, {64}, {arg(0), arg(1), paths, 100.0F, 105.0F, 0.01F, 0.2F}}}};
}

Problem trigonometry(Scale scale) {
  std::size_t n = scale.pick(200'000, 1000);
  std::vector<float> places = randomFloats(2 * n, -1.5F, 1.5F, 1);
  for (std::size_t i = 0; i < n; ++i)
    places[2 * i] *= 2;
  return {{input(places), output<float>(2 * n, {1e-4, 1e-2})},
          {static_cast<long>(n)},
          {{"geodesy", {n}, {}, {arg(0), arg(1), 0.2335F, 0.9163F}}}};
}

Problem gelu(Scale scale) {
  std::size_t n = scale.pick(1 << 20, 4096);
  return {{output<float>(n, {1e-5, 1e-6}), input(randomFloats(n, -6, 6, 1))},
          {static_cast<long>(n)},
          {{"gelu", {n / 4}, {}, {arg(0), arg(1)}}}};
}

Problem softmax(Scale scale) {
  std::size_t rows = scale.pick(8192, 64), columns = 128;
  return {{output<float>(rows * columns, {1e-5, 1e-7}), input(randomFloats(rows * columns, -4, 4, 1))},
          {static_cast<long>(rows), static_cast<long>(columns)},
          {{"softmax", {rows}, {64}, {arg(0), arg(1), static_cast<int>(columns)}}}};
}

std::vector<float> bodies(std::size_t n) {
  std::vector<float> values = randomFloats(4 * n, -1, 1, 1);
  for (std::size_t i = 3; i < values.size(); i += 4)
    values[i] += 1.5F; // masses are positive
  return values;
}

Problem nbody(Scale scale) {
  std::size_t n = scale.pick(4096, 256);
  return {{output<float>(4 * n, {1e-3, 2e-2}), input(bodies(n))},
          {static_cast<long>(n)},
          {{"accelerate", {n}, {}, {arg(0), arg(1), static_cast<int>(n), 0.01F}}}};
}

Problem nbodyLocal(Scale scale) {
  std::size_t n = scale.pick(4096, 256);
  std::size_t group = 128;
  return {{output<float>(4 * n, {1e-3, 2e-2}), input(bodies(n))},
          {static_cast<long>(n)},
          {{"accelerate", {n}, {group}, {arg(0), arg(1), local<float>(4 * group), static_cast<int>(n), 0.01F}}}};
}

Problem nbodyDouble(Scale scale) {
  std::size_t n = scale.pick(2048, 128);
  Tolerance tolerance{1e-10, 1e-9};
  return {
      {input(randomDoubles(n, -1, 1, 1)), input(randomDoubles(n, -1, 1, 2)), input(randomDoubles(n, -1, 1, 3)),
       input(randomDoubles(n, 0.5, 2, 4)), output<double>(n, tolerance), output<double>(n, tolerance),
       output<double>(n, tolerance)},
      {static_cast<long>(n)},
      {{"accelerate", {n}, {64}, {arg(0), arg(1), arg(2), arg(3), arg(4), arg(5), arg(6), static_cast<int>(n), 0.01}}}};
}

Problem halfSaxpy(Scale scale) {
  std::size_t n = scale.pick(16 << 20, 4096);
  return {{output<std::uint16_t>(n, {1e-3}), input(randomHalfs(n, 1)), input(randomHalfs(n, 2))},
          {static_cast<long>(n)},
          {{"half_saxpy", {n}, {}, {arg(0), arg(1), arg(2), 0.75F}}}};
}

Problem halfDot(Scale scale) {
  std::size_t rows = scale.pick(120'000, 64), columns = 256;
  return {{output<float>(rows, {1e-4}), input(randomHalfs(rows * columns, 1)), input(randomHalfs(columns, 2))},
          {static_cast<long>(rows), static_cast<long>(columns)},
          {{"half_dot", {rows}, {}, {arg(0), arg(1), arg(2), static_cast<int>(columns)}}}};
}

Problem matrixInverse(Scale scale) {
  std::size_t n = scale.pick(40'000, 500);
  std::vector<float> matrices = randomFloats(16 * n, -1, 1, 1);
  for (std::size_t i = 0; i < n; ++i) // far from singular, with the large elements where pivots must find them
    for (std::size_t row = 0; row < 4; ++row)
      matrices[16 * i + 4 * row + (row + i) % 4] += 4;
  return {{output<float>(16 * n, {1e-3, 1e-4}), input(matrices)},
          {static_cast<long>(n)},
          {{"invert", {n}, {}, {arg(0), arg(1)}}}};
}

} // namespace

void addMathCases(KernelCases& cases) {
  cases.insert(cases.end(), {
                                {"black_scholes", "math", blackScholes},
                                {"monte_carlo", "math", monteCarlo},
                                {"trigonometry", "math", trigonometry},
                                {"gelu", "math", gelu},
                                {"softmax", "math", softmax},
                                {"nbody", "bodies", nbody},
                                {"nbody_local", "bodies", nbodyLocal},
                                {"nbody_double", "bodies", nbodyDouble},
                                {"half_saxpy", "half", halfSaxpy},
                                {"half_dot", "half", halfDot},
                                {"matrix_inverse", "private", matrixInverse},
                            });
}

} // namespace bench
