// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that the items of a group share: scans, reductions, histograms, sorting.
#include "spelling.hpp"

#include <algorithm>
#include <numeric>

namespace bench {

namespace {

using Arguments = std::vector<Argument>;

constexpr std::size_t kBlock = 256;

Arguments with(Arguments first, const Arguments& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

/// Exclusive sums of blocks of 256 numbers; each work-item has `each` of them.
Spelling scan(const char* name, std::size_t each = 1, const Arguments& more = {}, const char* options = "") {
  return {name, [=](Scale scale) -> SpelledProblem {
            const std::size_t n = static_cast<std::size_t>(scale.pick(1 << 21, 1 << 14));
            const std::vector<std::uint32_t> numbers = randomInts(n, 1000, 1);
            std::vector<std::uint32_t> sums(n);
            for (std::size_t i = 0; i < n; i += kBlock)
              std::exclusive_scan(&numbers[i], &numbers[i] + kBlock, &sums[i], 0U);
            return {{{input(numbers), output<std::uint32_t>(n)},
                     {},
                     {{"scan", {n / each}, {kBlock / each}, with({arg(0), arg(1)}, more)}},
                     options},
                    1,
                    bytesOf(sums)};
          }};
}

constexpr std::uint32_t kSummed = 1024;

/// The sum of each 1,024 numbers, by groups of 256.
Spelling reduction(const char* name, const Arguments& more = {}, const char* options = "") {
  return {name, [=](Scale scale) -> SpelledProblem {
            const std::size_t groups = static_cast<std::size_t>(scale.pick(4096, 16)), n = groups * kSummed;
            const std::vector<std::uint32_t> drawn = randomInts(n, 1000, 1);
            const std::vector<std::int32_t> numbers(drawn.begin(), drawn.end());
            std::vector<std::int32_t> sums(groups);
            for (std::size_t i = 0; i < groups; ++i)
              sums[i] = std::accumulate(&numbers[i * kSummed], &numbers[i * kSummed] + kSummed, 0);
            return {{{input(numbers), output<std::int32_t>(groups)},
                     {},
                     {{"reduce", {groups * 256}, {256}, with({arg(0), arg(1)}, more)}},
                     options},
                    1,
                    bytesOf(sums)};
          }};
}

constexpr std::size_t kBins = 256;

/// How a histogram is launched for so many bytes, which are multiples of 64 * 255 * 64. Buffer 0 has the bytes, 1 the
/// counters, 2 room for 64 groups' counters.
using HistogramLaunches = std::vector<Launch> (*)(std::size_t n);

Spelling histogram(const char* name, HistogramLaunches launches) {
  return {name, [=](Scale scale) -> SpelledProblem {
            const std::size_t n = std::size_t{64} * 255 * static_cast<std::size_t>(scale.pick(256, 64));
            const std::vector<std::uint8_t> values = randomBytes(n, kBins, 1);
            std::vector<std::uint32_t> counts(kBins);
            for (std::uint8_t value : values)
              ++counts[value];
            return {
                {{input(values), output<std::uint32_t>(kBins), scratch<std::uint32_t>(64 * kBins)}, {}, launches(n)},
                1,
                bytesOf(counts)};
          }};
}

constexpr std::size_t kGrid = std::size_t{64} * 256; ///< work-items where each takes many bytes

std::uint32_t unsignedOf(std::size_t value) { return static_cast<std::uint32_t>(value); }

/// Blocks of 256 keys, each sorted by itself.
SpelledProblem sortingProblem(Scale scale) {
  const std::size_t n = static_cast<std::size_t>(scale.pick(1 << 20, 1 << 13));
  const std::vector<std::uint32_t> keys = randomInts(n, 0, 1);
  std::vector<std::uint32_t> sorted = keys;
  for (std::size_t i = 0; i < n; i += kBlock)
    std::sort(&sorted[i], &sorted[i] + kBlock);
  return {{{input(keys), output<std::uint32_t>(n)}, {}, {}}, 1, bytesOf(sorted)};
}

Spelling sorting(const char* name, std::size_t each, bool otherWork = false, const Arguments& more = {}) {
  return {name,
          [=](Scale scale) {
            SpelledProblem made = sortingProblem(scale);
            const std::size_t n = made.expected.size() / sizeof(std::uint32_t);
            made.problem.launches = {{"sort", {n / each}, {kBlock / each}, with({arg(0), arg(1)}, more)}};
            return made;
          },
          otherWork};
}

/// A launch for each step of the network. It goes through memory 36 times, so it has other work than the rest.
Spelling sortingByLaunches(const char* name, std::size_t each) {
  return {name,
          [=](Scale scale) {
            SpelledProblem made = sortingProblem(scale);
            const std::size_t n = made.expected.size() / sizeof(std::uint32_t);
            made.problem.launches = {{"fetch", {n}, {}, {arg(0), arg(1)}}};
            for (std::uint32_t k = 2; k <= kBlock; k *= 2)
              for (std::uint32_t j = k / 2; j > 0; j /= 2)
                made.problem.launches.push_back({"exchange", {n / each}, {256}, {arg(1), k, j}});
            return made;
          },
          true};
}

} // namespace

SpellingFamily scanSpellings() {
  const char* newer = "-cl-std=CL3.0";
  return {"scan",
          {scan("hillis_steele"), scan("ping_pong", 1, {local<std::uint32_t>(2 * kBlock)}), scan("two_arrays"),
           scan("volatile_pointer", 1, {local<std::uint32_t>(2 * kBlock)}), scan("zeros_in_front"),
           scan("blelloch_offset", 2, {local<std::uint32_t>(kBlock), static_cast<std::int32_t>(kBlock)}),
           scan("blelloch_modulo"), scan("blelloch_index"), scan("unrolled"), scan("four_an_item", 4),
           scan("work_group_function", 1, {}, newer), scan("sub_groups", 1, {}, newer)}};
}

SpellingFamily reductionSpellings() {
  const char* newer = "-cl-std=CL3.0";
  const Argument tree = local<std::int32_t>(256);
  return {"reduction",
          {reduction("interleaved_modulo"), reduction("interleaved_index"), reduction("sequential", {tree}),
           reduction("in_register", {tree}, "-DGROUP=256"), reduction("strided_loop", {tree, kSummed}),
           reduction("neighbours"), reduction("vectors", {local<std::int32_t>(4 * 256)}), reduction("first_adds_all"),
           reduction("local_atomic"), reduction("work_group_function", {}, newer), reduction("sub_groups", {}, newer)}};
}

SpellingFamily histogramSpellings() {
  const auto grid = [](std::size_t n) -> std::vector<Launch> {
    return {{"count", {kGrid}, {256}, {arg(0), arg(1), unsignedOf(n)}}};
  };
  return {"histogram",
          {histogram("global_atomics",
                     [](std::size_t n) -> std::vector<Launch> { return {{"count", {n}, {}, {arg(0), arg(1)}}}; }),
           histogram("local_atomics",
                     [](std::size_t n) -> std::vector<Launch> {
                       return {{"count", {n / 255}, {256}, {arg(0), arg(1), std::uint32_t{255}}}};
                     }),
           histogram("grid_stride",
                     [](std::size_t n) -> std::vector<Launch> {
                       return {{"count", {kGrid}, {256}, {arg(0), arg(1), local<std::uint32_t>(kBins), unsignedOf(n)}}};
                     }),
           histogram("words",
                     [](std::size_t n) -> std::vector<Launch> {
                       return {{"count", {kGrid}, {256}, {arg(0), arg(1), unsignedOf(n / 4)}}};
                     }),
           histogram("vectors",
                     [](std::size_t n) -> std::vector<Launch> {
                       return {{"count", {n / (16 * 15)}, {256}, {arg(0), arg(1), std::uint32_t{15}}}};
                     }),
           histogram("chunk_an_item",
                     [](std::size_t n) -> std::vector<Launch> {
                       return {{"count", {n / 255}, {256}, {arg(0), arg(1), std::int32_t{255}}}};
                     }),
           histogram("bytes_an_item",
                     [](std::size_t n) -> std::vector<Launch> {
                       return {{"count", {n / 255}, {64}, {arg(0), arg(1), local<std::uint8_t>(64 * kBins)}}};
                     }),
           histogram("private_counters",
                     [](std::size_t n) -> std::vector<Launch> {
                       return {{"count", {n / 4080}, {64}, {arg(0), arg(1), std::int32_t{4080}}}};
                     }),
           histogram("copies", grid), histogram("partial_results", [](std::size_t n) -> std::vector<Launch> {
             return {{"count", {kGrid}, {256}, {arg(0), arg(2), unsignedOf(n)}},
                     {"merge", {kBins}, {kBins}, {arg(2), arg(1), std::uint32_t{64}}}};
           })}};
}

SpellingFamily sortingSpellings() {
  return {"sorting",
          {sorting("partner", 1), sorting("all_write", 1), sorting("pair_an_item", 2),
           sorting("minimum_and_maximum", 2, false, {local<std::uint32_t>(kBlock)}), sorting("first_step_mirrored", 1),
           sorting("odd_even_merge", 2), sortingByLaunches("launch_a_step", 1),
           sortingByLaunches("launch_a_step_pairs", 2), sorting("rank", 1, true), sorting("merge", 1, true),
           sorting("odd_even_transposition", 1, true), sorting("radix", 1, true)}};
}

} // namespace bench
