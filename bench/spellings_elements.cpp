// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One operation for each element, by work-items that have one or more of them.
#include "spelling.hpp"

namespace bench {

namespace {

/// a * x + b of each x; a work-item has `each` of them.
Spelling line(const char* name, std::size_t each, std::size_t size = 256) {
  return {name, [=](Scale scale) -> SpelledProblem {
            const std::size_t n = 3 * static_cast<std::size_t>(scale.pick(1 << 19, 1 << 14));
            constexpr float kA = 1.5F, kB = 0.25F;
            const std::vector<float> in = randomFloats(n, -1, 1, 1);
            std::vector<float> out(n);
            for (std::size_t i = 0; i < n; ++i)
              out[i] = kA * in[i] + kB;
            return {{{input(in), output<float>(n, {1e-6, 1e-6})},
                     {},
                     {{"line", {n / each}, {size}, {arg(0), arg(1), kA, kB, static_cast<std::int32_t>(n)}}}},
                    1,
                    bytesOf(out)};
          }};
}

} // namespace

SpellingFamily elementsSpellings() {
  return {"elements",
          {line("one", 1), line("guard", 1), line("grid_stride", 16), line("far_four", 4), line("four", 4, 128),
           line("vectors", 4), line("members", 4, 64), line("pairs_guard", 2), line("threes", 3),
           line("three_loop", 3, 128), line("loads_of_three", 3), line("backwards", 1), line("part_of_group", 4)}};
}

} // namespace bench
