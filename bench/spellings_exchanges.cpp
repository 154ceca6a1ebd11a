// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that try an exchange until it succeeds: sums and largest values of reals, tables, lists.
#include "spelling.hpp"

#include <algorithm>

namespace bench {

namespace {

using Arguments = std::vector<Argument>;

constexpr const char* kNewer = "-cl-std=CL3.0";

/// Values that are added to, or compared with, what is in places that are drawn. They are small integers, so that sums
/// are the same in any order.
struct Drawn {
  Drawn(std::size_t count, std::size_t most) {
    for (const std::uint32_t place : randomInts(count, static_cast<std::uint32_t>(most), 1))
      places.push_back(static_cast<std::int32_t>(place));
    for (const std::uint32_t value : randomInts(count, 16, 2))
      values.push_back(static_cast<float>(value + 1));
  }

  std::vector<std::int32_t> places;
  std::vector<float> values;
};

/// A quarter as many places as values, so lanes rarely meet.
Drawn drawn(Scale scale) {
  const std::size_t n = static_cast<std::size_t>(scale.pick(1 << 20, 1 << 13));
  return {n, n / 4};
}

/// `each`: values for each work-item.
Spelling sums(const char* name, const char* options = "", std::size_t each = 1) {
  return {name, [=](Scale scale) -> SpelledProblem {
            const Drawn made = drawn(scale);
            const std::size_t n = made.values.size();
            std::vector<float> results(n / 4);
            for (std::size_t i = 0; i < n; ++i)
              results[static_cast<std::size_t>(made.places[i])] += made.values[i];
            Arguments arguments = {arg(0), arg(1), arg(2)};
            if (each > 1) arguments.push_back(static_cast<std::int32_t>(n));
            return {{{input(made.places), input(made.values), output<float>(n / 4)},
                     {},
                     {{"sums", {n / each}, {64}, arguments}},
                     options},
                    2,
                    bytesOf(results)};
          }};
}

constexpr std::size_t kBins = 256, kEach = 16;

Spelling localSums(const char* name, const Arguments& more = {}, const char* options = "") {
  return {name, [=](Scale scale) -> SpelledProblem {
            const std::size_t groups = static_cast<std::size_t>(scale.pick(256, 4)), n = groups * kBins * kEach;
            const Drawn made(n, kBins);
            std::vector<float> results(groups * kBins);
            for (std::size_t i = 0; i < n; ++i)
              results[i / (kBins * kEach) * kBins + static_cast<std::size_t>(made.places[i])] += made.values[i];
            Arguments arguments = {arg(0), arg(1), arg(2)};
            arguments.insert(arguments.end(), more.begin(), more.end());
            return {{{input(made.places), input(made.values), output<float>(groups * kBins)},
                     {},
                     {{"sums", {groups * kBins}, {kBins}, arguments}},
                     options},
                    2,
                    bytesOf(results)};
          }};
}

Spelling most(const char* name, const char* options = "") {
  return {name, [=](Scale scale) -> SpelledProblem {
            const Drawn made = drawn(scale);
            const std::size_t n = made.values.size();
            std::vector<float> results(n / 4);
            for (std::size_t i = 0; i < n; ++i) {
              float& result = results[static_cast<std::size_t>(made.places[i])];
              result = std::max(result, made.values[i]);
            }
            return {{{input(made.places), input(made.values), output<float>(n / 4)},
                     {},
                     {{"most", {n}, {64}, {arg(0), arg(1), arg(2)}}},
                     options},
                    2,
                    bytesOf(results)};
          }};
}

/// The table has four places for each key.
Spelling table(const char* name, const char* options = "") {
  return {name, [=](Scale scale) -> SpelledProblem {
            const std::size_t n = static_cast<std::size_t>(scale.pick(1 << 18, 1 << 12));
            std::vector<std::uint32_t> keys = randomInts(n, static_cast<std::uint32_t>(2 * n - 1), 1), isIn(2 * n);
            for (std::uint32_t& key : keys)
              isIn[++key] = 1;
            return {{{input(keys), scratch<std::uint32_t>(4 * n), output<std::uint32_t>(2 * n)},
                     {},
                     {{"insert", {n}, {64}, {arg(0), arg(1), arg(2), static_cast<std::uint32_t>(4 * n - 1)}}},
                     options},
                    2,
                    bytesOf(isIn)};
          }};
}

/// Lists of 16 nodes.
Spelling list(const char* name, const char* options = "") {
  return {name, [=](Scale scale) -> SpelledProblem {
            const std::size_t n = static_cast<std::size_t>(scale.pick(1 << 19, 1 << 12)), lists = n / 16;
            std::vector<std::int32_t> results(lists);
            for (std::size_t i = 0; i < n; ++i)
              results[i % lists] += static_cast<std::int32_t>(i & 255);
            return {{{scratch<std::int32_t>(n), scratch<std::int32_t>(lists), output<std::int32_t>(lists)},
                     {},
                     {{"clear", {lists}, {64}, {arg(1)}},
                      {"push", {n}, {64}, {arg(0), arg(1), static_cast<std::int32_t>(lists - 1)}},
                      {"walk", {lists}, {64}, {arg(0), arg(1), arg(2)}}},
                     options},
                    2,
                    bytesOf(results)};
          }};
}

} // namespace

SpellingFamily exchangeSumSpellings() {
  Spelling twice = sums("two_exchanges");
  twice.otherWork = true;
  return {"exchange_sums",
          {sums("union"), sums("as_uint"), sums("found"), sums("assumed"), sums("break"), sums("weak", kNewer),
           sums("strong", kNewer), sums("grid_stride", "", 16), twice}};
}

SpellingFamily exchangeLocalSpellings() {
  return {"exchange_local",
          {localSums("union"), localSums("found", {local<std::uint32_t>(kBins)}), localSums("weak", {}, kNewer)}};
}

SpellingFamily exchangeMostSpellings() {
  return {"exchange_most", {most("break"), most("condition"), most("fmax"), most("strong", kNewer)}};
}

SpellingFamily exchangeTableSpellings() {
  return {"exchange_table",
          {table("break"), table("for_return"), table("look_first"), table("strong", kNewer), table("quadratic")}};
}

SpellingFamily exchangeListSpellings() {
  return {"exchange_list", {list("volatile"), list("found"), list("weak", kNewer)}};
}

} // namespace bench
