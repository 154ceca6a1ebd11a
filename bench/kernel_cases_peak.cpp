// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_case.hpp"

namespace bench {

namespace {

// Every width does the same work on the same elements, so that one C++ version serves all.

constexpr int kElements = 256 << 10, kFew = 5 << 10, kSteps = 1024;

std::vector<float> elements(float, std::size_t n) { return randomFloats(n, 0, 1, 1); }
std::vector<double> elements(double, std::size_t n) { return randomDoubles(n, 0, 1, 1); }
std::vector<std::uint32_t> elements(std::uint32_t, std::size_t n) { return randomInts(n, 0, 1); }

constexpr const char* nameOf(float) { return "float"; }
constexpr const char* nameOf(double) { return "double"; }
constexpr const char* nameOf(std::uint32_t) { return "uint"; }

template <class T, int width> std::string typeOption() {
  std::string scalar = nameOf(T{});
  return "-DS=" + scalar + " -DT=" + scalar + (width > 1 ? std::to_string(width) : "");
}

template <class T, int width> Problem peak(Scale scale) {
  std::size_t n = scale.pick(kElements, kFew);
  T factor, addend;
  if constexpr (std::is_integral_v<T>)
    factor = 1664525, addend = 1013904223;
  else
    factor = static_cast<T>(0.999), addend = static_cast<T>(0.001);
  Tolerance tolerance{std::is_integral_v<T> ? 0 : 1e-3};
  return {{output<T>(n, tolerance), input(elements(T{}, n))},
          {static_cast<long>(n)},
          {{"peak", {n / width}, {}, {arg(0), arg(1), factor, addend}}},
          typeOption<T, width>()};
}

constexpr int kCopied = 16 << 20;

template <int width> Problem bandwidth(Scale scale) {
  std::size_t n = scale.pick(kCopied, kFew);
  return {{output<float>(n), input(randomFloats(n, 0, 1, 1))},
          {static_cast<long>(n)},
          {{"bandwidth", {n / width}, {}, {arg(0), arg(1)}}},
          typeOption<float, width>()};
}

constexpr double kOperations = 2e-9 * kElements * kSteps, kBytes = 8e-9 * kCopied;

} // namespace

void addPeakCases(KernelCases& cases) {
  cases.insert(cases.end(),
               {
                   {"peak_float", "peak", peak<float, 1>, "peak", "peak_float", kOperations, "GFLOPS"},
                   {"peak_float2", "peak", peak<float, 2>, "peak", "peak_float", kOperations, "GFLOPS"},
                   {"peak_float4", "peak", peak<float, 4>, "peak", "peak_float", kOperations, "GFLOPS"},
                   {"peak_float8", "peak", peak<float, 8>, "peak", "peak_float", kOperations, "GFLOPS"},
                   {"peak_float16", "peak", peak<float, 16>, "peak", "peak_float", kOperations, "GFLOPS"},
                   {"peak_double", "peak", peak<double, 1>, "peak", "peak_double", kOperations, "GFLOPS"},
                   {"peak_double2", "peak", peak<double, 2>, "peak", "peak_double", kOperations, "GFLOPS"},
                   {"peak_double4", "peak", peak<double, 4>, "peak", "peak_double", kOperations, "GFLOPS"},
                   {"peak_double8", "peak", peak<double, 8>, "peak", "peak_double", kOperations, "GFLOPS"},
                   {"peak_double16", "peak", peak<double, 16>, "peak", "peak_double", kOperations, "GFLOPS"},
                   {"peak_int", "peak", peak<std::uint32_t, 1>, "peak", "peak_int", kOperations, "GIOPS"},
                   {"peak_int2", "peak", peak<std::uint32_t, 2>, "peak", "peak_int", kOperations, "GIOPS"},
                   {"peak_int4", "peak", peak<std::uint32_t, 4>, "peak", "peak_int", kOperations, "GIOPS"},
                   {"peak_int8", "peak", peak<std::uint32_t, 8>, "peak", "peak_int", kOperations, "GIOPS"},
                   {"peak_int16", "peak", peak<std::uint32_t, 16>, "peak", "peak_int", kOperations, "GIOPS"},
                   {"bandwidth_float", "peak", bandwidth<1>, "bandwidth", "bandwidth", kBytes, "GB/s"},
                   {"bandwidth_float2", "peak", bandwidth<2>, "bandwidth", "bandwidth", kBytes, "GB/s"},
                   {"bandwidth_float4", "peak", bandwidth<4>, "bandwidth", "bandwidth", kBytes, "GB/s"},
                   {"bandwidth_float8", "peak", bandwidth<8>, "bandwidth", "bandwidth", kBytes, "GB/s"},
                   {"bandwidth_float16", "peak", bandwidth<16>, "bandwidth", "bandwidth", kBytes, "GB/s"},
               });
}

} // namespace bench
