// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_case.hpp"

namespace bench {

namespace {

std::vector<std::uint64_t> randomLongs(std::size_t count, unsigned seed) {
  std::vector<std::uint32_t> words = randomInts(2 * count, 0, seed);
  std::vector<std::uint64_t> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = std::uint64_t{words[2 * i]} << 32U | words[2 * i + 1] | 1U;
  return values;
}

Problem sha256(Scale scale) {
  std::size_t n = scale.pick(20'000, 200);
  return {{input(randomInts(16 * n, 0, 1)), output<std::uint32_t>(8 * n)},
          {static_cast<long>(n)},
          {{"sha256", {n}, {}, {arg(0), arg(1)}}}};
}

Problem xxhash(Scale scale) {
  std::size_t n = scale.pick(1'000'000, 1000);
  return {{input(randomInts(16 * n, 0, 1)), output<std::uint32_t>(n)},
          {static_cast<long>(n)},
          {{"xxhash", {n}, {}, {arg(0), arg(1), 2024U}}}};
}

Problem crc32(Scale scale) {
  std::size_t packets = scale.pick(16 << 10, 256);
  int size = 128;
  std::vector<std::uint32_t> table(256);
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit)
      crc = crc & 1U ? crc >> 1U ^ 0xEDB88320U : crc >> 1U;
    table[i] = crc;
  }
  return {{input(randomBytes(packets * size, 256, 1)), input(table), output<std::uint32_t>(packets)},
          {static_cast<long>(packets), size},
          {{"crc32", {packets}, {64}, {arg(0), arg(1), arg(2), size}}}};
}

Problem hamming(Scale scale) {
  std::size_t queries = scale.pick(32 << 10, 256), set = scale.pick(512, 64);
  return {{input(randomLongs(2 * queries, 1)), input(randomLongs(2 * set, 2)), output<std::uint32_t>(queries)},
          {static_cast<long>(queries), static_cast<long>(set)},
          {{"nearest", {queries}, {128}, {arg(0), arg(1), arg(2), static_cast<int>(set)}}}};
}

Problem philox(Scale scale) {
  std::size_t n = scale.pick(1'000'000, 1000);
  return {{output<std::uint32_t>(4 * n)},
          {static_cast<long>(n)},
          {{"philox", {n}, {}, {arg(0), 0xDEADBEEFU, 0x12345678U}}}};
}

Problem xorshift(Scale scale) {
  std::size_t n = scale.pick(64 << 10, 256);
  int points = scale.pick(128, 32);
  return {{input(randomLongs(n, 1)), output<std::uint32_t>(n)},
          {static_cast<long>(n), points},
          {{"count_inside", {n}, {}, {arg(0), arg(1), points}}}};
}

Problem bitonicLocal(Scale scale) {
  std::size_t blocks = scale.pick(1024, 8);
  return {{input(randomInts(512 * blocks, 0, 1)), output<std::uint32_t>(512 * blocks)},
          {static_cast<long>(blocks)},
          {{"sort_blocks", {256 * blocks}, {256}, {arg(0), arg(1)}}}};
}

Problem bitonic(Scale scale) {
  std::size_t n = scale.pick(1 << 17, 1 << 10);
  std::vector<Launch> launches = {{"fill", {n}, {}, {arg(0), arg(1)}}};
  for (int size = 2; size <= static_cast<int>(n); size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2)
      launches.push_back({"exchange", {n}, {256}, {arg(1), size, stride}});
  return {{input(randomInts(n, 0, 1)), output<std::uint32_t>(n)}, {static_cast<long>(n)}, launches};
}

Problem audioMix(Scale scale) {
  std::size_t n = scale.pick(12 << 20, 4096);
  return {{output<std::int16_t>(n), input(randomShorts(n, 1)), input(randomShorts(n, 2))},
          {static_cast<long>(n)},
          {{"mix_channels", {n}, {}, {arg(0), arg(1), arg(2), 300, 210}}}};
}

Problem loudness(Scale scale) {
  std::size_t items = scale.pick(2'000'000, 1000);
  return {{output<std::int16_t>(8 * items), input(randomShorts(8 * items, 1))},
          {static_cast<long>(items)},
          {{"envelope", {items}, {}, {arg(0), arg(1), static_cast<int>(items)}}}};
}

} // namespace

void addIntegerCases(KernelCases& cases) {
  cases.insert(cases.end(), {
                                {"sha256", "hash", sha256},
                                {"xxhash", "hash", xxhash},
                                {"crc32", "hash", crc32},
                                {"hamming", "hash", hamming},
                                {"philox", "random", philox},
                                {"xorshift", "random", xorshift},
                                {"bitonic_local", "sort", bitonicLocal},
                                {"bitonic", "sort", bitonic},
                                {"audio_mix", "small integer", audioMix},
                                {"loudness", "small integer", loudness},
                            });
}

} // namespace bench
