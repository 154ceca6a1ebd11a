// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_case.hpp"

namespace bench {

namespace {

Problem triad(Scale scale) {
  std::size_t n = scale.pick(8 << 20, 4096);
  return {{output<float>(n, {1e-6}), input(randomFloats(n, 0, 1, 1)), input(randomFloats(n, 0, 1, 2))},
          {static_cast<long>(n)},
          {{"triad", {n}, {}, {arg(0), arg(1), arg(2), 3.0F}}}};
}

Problem saxpy(Scale scale) {
  std::size_t n = scale.pick(2'000'000, 3000), global = (n + 255) / 256 * 256;
  return {{changed(randomFloats(n, 0, 1, 1), {1e-5, 1e-5}), input(randomFloats(n, -1, 1, 2))},
          {static_cast<long>(n)},
          std::vector<Launch>(16, {"saxpy", {global}, {256}, {arg(0), arg(1), 0.5F, static_cast<int>(n)}})};
}

Problem reduce(Scale scale) {
  int n = scale.pick(16 << 20, 10'000);
  return {{input(randomFloats(n, 0, 1, 1)), scratch<float>(512), output<float>(1, {1e-3})},
          {n},
          {{"reduce", {512UL * 256}, {256}, {arg(0), arg(1), local<float>(256), n}},
           {"reduce", {256}, {256}, {arg(1), arg(2), local<float>(256), 512}}}};
}

Problem scan(Scale scale) {
  std::size_t n = scale.pick(8 << 20, 64 << 10);
  return {{input(randomInts(n, 1000, 1)), output<std::uint32_t>(n), scratch<std::uint32_t>(n / 1024)},
          {static_cast<long>(n)},
          {{"scan_blocks", {n / 4}, {256}, {arg(0), arg(1), arg(2)}},
           {"scan_sums", {256}, {256}, {arg(2), static_cast<int>(n / 1024)}},
           {"add_sums", {n}, {256}, {arg(1), arg(2)}}}};
}

Problem scan64(Scale scale) {
  std::size_t n = scale.pick(3 << 20, 16 << 10);
  std::vector<std::uint32_t> words = randomInts(2 * n, 0, 1);
  std::vector<std::uint64_t> values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] = std::uint64_t{words[2 * i]} << 32U | words[2 * i + 1];
  return {{input(values), output<std::uint64_t>(n), scratch<std::uint64_t>(n / 256), scratch<std::uint64_t>(n / 256)},
          {static_cast<long>(n)},
          {{"scan_blocks", {n}, {256}, {arg(0), arg(1), arg(2)}},
           {"scan_sums", {256}, {256}, {arg(2), arg(3), static_cast<int>(n / 256)}},
           {"add_offsets", {n}, {256}, {arg(1), arg(3)}}}};
}

Problem histogram(Scale scale) {
  int n = scale.pick(16 << 20, 50'000);
  std::vector<std::uint8_t> data = randomBytes(n, 256, 1);
  for (std::size_t i = 0; i < data.size(); ++i)
    if (i / 4096 % 3 == 0) data[i] &= 7U; // pictures have areas of few colours
  return {{input(data), output<std::uint32_t>(256)},
          {n},
          {{"clear", {256}, {}, {arg(1)}}, {"histogram", {64UL * 256}, {256}, {arg(0), arg(1), n}}}};
}

Problem transpose(Scale scale) {
  std::size_t width = scale.pick(2048, 64), height = scale.pick(1536, 96);
  return {
      {output<float>(width * height), input(randomFloats(width * height, 0, 1, 1))},
      {static_cast<long>(width), static_cast<long>(height)},
      {{"transpose", {width, height}, {16, 16}, {arg(0), arg(1), static_cast<int>(width), static_cast<int>(height)}}}};
}

Problem matmul(Scale scale) {
  std::size_t n = scale.pick(512, 64);
  return {
      {output<float>(n * n, {1e-4, 1e-4}), input(randomFloats(n * n, -1, 1, 1)), input(randomFloats(n * n, -1, 1, 2))},
      {static_cast<long>(n)},
      {{"matmul", {n, n}, {16, 16}, {arg(0), arg(1), arg(2), static_cast<int>(n)}}}};
}

Problem dgemv(Scale scale) {
  std::size_t rows = scale.pick(8192, 512), cols = scale.pick(768, 64);
  return {{output<double>(rows, {1e-12, 1e-12}), input(randomDoubles(rows * cols, -1, 1, 1)),
           input(randomDoubles(cols, -1, 1, 2))},
          {static_cast<long>(rows), static_cast<long>(cols)},
          {{"dgemv", {rows}, {64}, {arg(0), arg(1), arg(2), static_cast<int>(rows), static_cast<int>(cols)}}}};
}

Problem spmv(Scale scale) {
  int rows = scale.pick(200'000, 1000);
  std::vector<std::uint32_t> lengths = randomInts(rows, 33, 1);
  std::vector<std::int32_t> starts = {0};
  for (std::uint32_t length : lengths)
    starts.push_back(starts.back() + static_cast<std::int32_t>(length));
  auto entries = static_cast<std::size_t>(starts.back());
  return {{output<float>(rows, {1e-4, 1e-5}), input(starts), input(randomInts(entries, rows, 2)),
           input(randomFloats(entries, -1, 1, 3)), input(randomFloats(rows, -1, 1, 4))},
          {rows},
          {{"spmv", {(rows + 127UL) / 128 * 128}, {128}, {arg(0), arg(1), arg(2), arg(3), arg(4), rows}}}};
}

Problem kmeans(Scale scale) {
  int points = scale.pick(500'000, 1000), clusters = 24;
  return {{output<std::int32_t>(points, {0, 0, 1e-4}), input(randomFloats(points * 8UL, 0, 10, 1)),
           input(randomFloats(clusters * 8UL, 0, 10, 2))},
          {points, clusters},
          {{"assign", {(points + 255UL) / 256 * 256}, {256}, {arg(0), arg(1), arg(2), points, clusters}}}};
}

Problem fft(Scale scale) {
  std::size_t transforms = scale.pick(1024, 8);
  return {{input(randomFloats(transforms * 2048, -1, 1, 1)), output<float>(transforms * 2048, {1e-4, 2e-4})},
          {static_cast<long>(transforms)},
          {{"fft1024", {transforms * 256}, {256}, {arg(0), arg(1)}}}};
}

} // namespace

void addMemoryCases(KernelCases& cases) {
  cases.insert(cases.end(), {
                                {"triad", "streaming", triad},
                                {"saxpy", "streaming", saxpy},
                                {"reduce", "collective", reduce},
                                {"scan", "collective", scan},
                                {"scan64", "collective", scan64},
                                {"histogram", "collective", histogram},
                                {"transpose", "matrix", transpose},
                                {"matmul_naive", "matrix", matmul},
                                {"matmul_tiled", "matrix", matmul},
                                {"dgemv", "matrix", dgemv},
                                {"spmv", "matrix", spmv},
                                {"kmeans", "matrix", kmeans},
                                {"fft", "signal", fft},
                            });
}

} // namespace bench
