// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters of a picture, of which kernels are told the size.
#include "spelling.hpp"

#include <algorithm>

namespace bench {

namespace {

using Floats = std::vector<float>;

constexpr std::size_t kRadius = 3, kSide = 2 * kRadius + 1;

struct Size {
  std::size_t w, h;
};

/// With what is nearest in the place of what is outside.
Floats convolved(const Floats& in, Size of, const Floats& weights) {
  Floats out(in.size());
  const auto inside = [](std::size_t at, std::size_t offset, std::size_t size) {
    return std::clamp(at + offset, kRadius, size - 1 + kRadius) - kRadius;
  };
  for (std::size_t y = 0; y < of.h; ++y)
    for (std::size_t x = 0; x < of.w; ++x) {
      float sum = 0;
      for (std::size_t j = 0; j < kSide; ++j)
        for (std::size_t i = 0; i < kSide; ++i)
          sum += in[inside(y, j, of.h) * of.w + inside(x, i, of.w)] * weights[j * kSide + i];
      out[y * of.w + x] = sum;
    }
  return out;
}

/// A work-item has `each` pixels of a row. `memory` stands before the width, the height and the radius.
Spelling convolution(const char* name, const std::vector<Argument>& memory = {}, std::size_t each = 1,
                     bool isLinear = false) {
  return {name, [=](Scale scale) -> SpelledProblem {
            const Size of = {static_cast<std::size_t>(scale.pick(1024, 128)),
                             static_cast<std::size_t>(scale.pick(512, 64))};
            const Floats in = randomFloats(of.w * of.h, 0, 1, 1), weights = randomFloats(kSide * kSide, 0, 1, 2);
            std::vector<Argument> arguments = {arg(0), arg(1), arg(2)};
            arguments.insert(arguments.end(), memory.begin(), memory.end());
            for (const std::size_t value : {of.w, of.h, kRadius})
              arguments.emplace_back(static_cast<std::int32_t>(value));
            const std::vector<std::size_t> global =
                isLinear ? std::vector{of.w * of.h} : std::vector{of.w / each, of.h};
            const std::vector<std::size_t> size =
                isLinear ? std::vector<std::size_t>{256} : std::vector<std::size_t>{16, 16};
            return {{{input(in), output<float>(in.size(), {1e-5, 1e-5}), input(weights)},
                     {},
                     {{"convolve", global, size, arguments}}},
                    1,
                    bytesOf(convolved(in, of, weights))};
          }};
}

} // namespace

SpellingFamily convolutionSpellings() {
  return {"convolution",
          {convolution("constant_size"), convolution("argument_size"), convolution("unsigned_sizes"),
           convolution("edges_apart"), convolution("conditions"), convolution("coordinates"),
           convolution("linear_id", {}, 1, /*isLinear=*/true),
           convolution("local_weights", {local<float>(kSide * kSide)}),
           convolution("local_tile", {local<float>((16 + 2 * kRadius) * (16 + 2 * kRadius))}),
           convolution("vectors", {}, 4)}};
}

} // namespace bench
