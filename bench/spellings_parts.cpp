// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One result for each of equal parts of a buffer, by a work-item that goes through its part.
#include "spelling.hpp"

#include <algorithm>
#include <numeric>

namespace bench {

namespace {

/// Sums of 64 floats.
Spelling sums(const char* name) {
  return {name, [](Scale scale) -> SpelledProblem {
            constexpr std::size_t kLength = 64;
            const auto parts = static_cast<std::size_t>(scale.pick(1 << 16, 1 << 10));
            const std::vector<float> in = randomFloats(parts * kLength, 0, 1, 1);
            std::vector<float> out(parts);
            for (std::size_t i = 0; i < parts; ++i) {
              const auto begin = in.begin() + static_cast<std::ptrdiff_t>(i * kLength);
              out[i] = std::accumulate(begin, begin + kLength, 0.0F);
            }
            const auto length = static_cast<std::int32_t>(kLength);
            return {{{input(in), output<float>(parts, {1e-5, 1e-5})},
                     {},
                     {{"sums", {parts}, {64}, {arg(0), arg(1), length}}}},
                    1,
                    bytesOf(out)};
          }};
}

/// How often a letter comes in 256 bytes.
Spelling counts(const char* name) {
  return {name, [](Scale scale) -> SpelledProblem {
            constexpr std::size_t kLength = 256;
            const auto parts = static_cast<std::size_t>(scale.pick(1 << 14, 1 << 9));
            std::vector<std::uint8_t> in(parts * kLength);
            const std::vector<float> random = randomFloats(in.size(), 'a', 'z' + 1, 1);
            std::ranges::transform(random, in.begin(), [](float each) { return static_cast<std::uint8_t>(each); });
            std::vector<std::int32_t> out(parts);
            for (std::size_t i = 0; i < parts; ++i) {
              const auto begin = in.begin() + static_cast<std::ptrdiff_t>(i * kLength);
              out[i] = static_cast<std::int32_t>(std::count(begin, begin + kLength, 'e'));
            }
            const auto length = static_cast<std::int32_t>(kLength);
            return {
                {{input(in), output<std::int32_t>(parts)}, {}, {{"counts", {parts}, {64}, {arg(0), arg(1), length}}}},
                1,
                bytesOf(out)};
          }};
}

} // namespace

SpellingFamily partSumsSpellings() {
  return {"part_sums",
          {sums("counted"), sums("begin_end"), sums("unsigned"), sums("constant"), sums("pointers"), sums("limit"),
           sums("two_limits"), sums("guard"), sums("share")}};
}

SpellingFamily partCountsSpellings() {
  return {"part_counts",
          {counts("counted"), counts("begin_end"), counts("unsigned"), counts("pointers"), counts("limit"),
           counts("ternary"), counts("guard"), counts("vectors")}};
}

} // namespace bench
