// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/transfer.hpp"

#include "command/command.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace clotho::cpu {
namespace {

constexpr TaskOps kNoOps{};

std::vector<std::byte> pattern(std::size_t size, unsigned seed) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<std::byte>((i * 2654435761u + seed) >> 13);
  return bytes;
}

/// Runs all units as several threads would, in any order.
template <class Run> void runAll(Task& task, Run&& run) {
  if (task.whole) return run(0, task.units);
  std::uint32_t participant = 0;
  while (auto chunk = task.ranges.claim(participant++, 1))
    run(chunk.first, chunk.end);
}

void runWhole(const Copy& copy) {
  Task task(kNoOps, nullptr);
  planCopy(copy, 4, task);
  runAll(task, [&](std::uint64_t first, std::uint64_t end) { runCopy(copy, task, first, end); });
}

Copy plain(const std::byte* source, std::byte* target, std::size_t size) {
  Copy copy{};
  copy.source = source;
  copy.target = target;
  copy.rowBytes = size;
  return copy;
}

TEST(Copy, PlainOfEverySize) {
  for (std::size_t size :
       {0ul, 1ul, 63ul, 4096ul, (1ul << 20) - 1, (1ul << 20) + 1, (3ul << 20) + 77, (17ul << 20) + 13}) {
    auto source = pattern(size + 3, 1);
    std::vector<std::byte> target(size + 8);
    runWhole(plain(source.data() + 3, target.data() + 5, size));
    EXPECT_EQ(std::memcmp(source.data() + 3, target.data() + 5, size), 0) << size;
    for (std::size_t i : {0ul, 4ul, size + 5, size + 7})
      EXPECT_EQ(target[i], std::byte{0}) << size;
  }
}

TEST(Copy, LargeCopiesAreCut) {
  std::vector<std::byte> bytes(64);
  Task task(kNoOps, nullptr);
  planCopy(plain(bytes.data(), bytes.data(), std::size_t{100} << 20), 4, task);
  EXPECT_FALSE(task.whole);
  EXPECT_EQ(task.units, 100u);
  EXPECT_EQ(task.parallelism, 4u);
  Task small(kNoOps, nullptr);
  planCopy(plain(bytes.data(), bytes.data(), 64), 4, small);
  EXPECT_TRUE(small.whole);
}

struct Case {
  std::size_t rowBytes, rows, slices, sourceRow, sourceSlice, targetRow, targetSlice;
};

TEST(Copy, Rectangles) {
  for (const Case& c :
       {Case{5, 3, 2, 8, 40, 7, 30}, Case{8, 4, 3, 8, 32, 8, 32}, Case{8, 4, 3, 8, 64, 8, 40},
        Case{16, 1, 5, 16, 20, 16, 16}, Case{1, 1000, 1, 2, 0, 3, 0}, Case{3000, 500, 3, 3001, 1600000, 3100, 1560000},
        Case{(std::size_t{5} << 20) / 2, 2, 2, std::size_t{3} << 20, std::size_t{7} << 20, (std::size_t{5} << 20) / 2,
             std::size_t{5} << 20}}) {
    auto source = pattern(c.sourceSlice * c.slices + c.sourceRow * c.rows + c.rowBytes, 7);
    std::vector<std::byte> target(c.targetSlice * c.slices + c.targetRow * c.rows + c.rowBytes), expected = target;
    for (std::size_t z = 0; z < c.slices; ++z)
      for (std::size_t y = 0; y < c.rows; ++y)
        std::memcpy(expected.data() + z * c.targetSlice + y * c.targetRow,
                    source.data() + z * c.sourceSlice + y * c.sourceRow, c.rowBytes);
    Copy copy = plain(source.data(), target.data(), c.rowBytes);
    copy.rows = c.rows;
    copy.slices = c.slices;
    copy.sourceRowPitch = c.sourceRow;
    copy.sourceSlicePitch = c.sourceSlice;
    copy.targetRowPitch = c.targetRow;
    copy.targetSlicePitch = c.targetSlice;
    runWhole(copy);
    EXPECT_TRUE(target == expected) << c.rowBytes << " x " << c.rows << " x " << c.slices;
  }
}

// From some size on copies go past the caches, line by line where rows are aligned and several rows at a time.
TEST(Copy, LargeRectangles) {
  constexpr std::size_t kBytes = std::size_t{17} << 20;
  struct Large {
    std::size_t rowBytes, rowsPerSlice, rowGap, slicesGap, misaligned;
  };
  for (const Large& c :
       {Large{64, 1u << 20, 64, 0, 0}, Large{64, 7, 64, 128, 0}, Large{64, 1, 64, 64, 0}, Large{64, 1000, 16, 0, 0},
        Large{192, 33, 64, 0, 0}, Large{200, 100, 56, 256, 0}, Large{1024, 5, 1024, 0, 0}, Large{1024, 64, 64, 0, 16},
        Large{1000, 64, 24, 0, 0}, Large{4160, 3, 64, 64, 0}, Large{16000, 10, 384, 0, 0}, Large{16384, 9, 64, 0, 32},
        Large{40, 1000, 24, 64, 0}, Large{600, 77, 1, 3, 1}}) {
    std::size_t rows = kBytes / c.rowBytes, slices = (rows + c.rowsPerSlice - 1) / c.rowsPerSlice;
    rows = std::min(rows, c.rowsPerSlice);
    std::size_t rowPitch = c.rowBytes + c.rowGap, slicePitch = rows * rowPitch + c.slicesGap;
    auto source = pattern(slicePitch * slices + 64, 11);
    std::vector<std::byte> memory(slicePitch * slices + 256), expected(memory.size());
    std::size_t start = (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64 + c.misaligned;
    for (std::size_t z = 0; z < slices; ++z)
      for (std::size_t y = 0; y < rows; ++y)
        std::memcpy(expected.data() + start + z * slicePitch + y * rowPitch,
                    source.data() + 3 + z * slicePitch + y * rowPitch, c.rowBytes);
    Copy copy = plain(source.data() + 3, memory.data() + start, c.rowBytes);
    copy.rows = rows;
    copy.slices = slices;
    copy.sourceRowPitch = copy.targetRowPitch = rowPitch;
    copy.sourceSlicePitch = copy.targetSlicePitch = slicePitch;
    runWhole(copy);
    EXPECT_TRUE(memory == expected) << c.rowBytes << " x " << rows << " x " << slices;
  }
}

TEST(Copy, Overlapping) {
  for (std::ptrdiff_t distance : {-5000, -1, 1, 5000}) {
    auto bytes = pattern(4 << 20, 3);
    auto expected = bytes;
    std::size_t size = (3 << 20) + 5, from = 10000;
    std::memmove(expected.data() + from + distance, expected.data() + from, size);
    Copy copy = plain(bytes.data() + from, bytes.data() + from + distance, size);
    copy.mayOverlap = true;
    runWhole(copy);
    EXPECT_TRUE(bytes == expected) << distance;
  }
}

TEST(Fill, EveryPatternSize) {
  for (std::size_t patternSize = 1; patternSize <= 128; patternSize *= 2) {
    for (std::size_t size :
         {patternSize, patternSize * 3, std::size_t{1} << 20, (std::size_t{20} << 20) + patternSize}) {
      Fill fill{};
      auto source = pattern(128, static_cast<unsigned>(patternSize));
      std::memcpy(fill.pattern.data(), source.data(), 128);
      fill.patternSize = patternSize;
      fill.rowBytes = size;
      std::vector<std::byte> target(size + 256);
      fill.target = target.data() + 128;
      Task task(kNoOps, nullptr);
      planFill(fill, 4, task);
      runAll(task, [&](std::uint64_t first, std::uint64_t end) { runFill(fill, task, first, end); });
      bool same = true;
      for (std::size_t i = 0; i < size; ++i)
        same &= fill.target[i] == source[i % patternSize];
      EXPECT_TRUE(same) << patternSize << " in " << size;
      EXPECT_EQ(target[127], std::byte{0});
      EXPECT_EQ(target[128 + size], std::byte{0});
    }
  }
}

TEST(Fill, TargetsWithOddAlignment) {
  Fill fill{};
  fill.pattern[0] = std::byte{9};
  fill.patternSize = 1;
  fill.rowBytes = (std::size_t{17} << 20) + 3;
  std::vector<std::byte> target(fill.rowBytes + 16);
  fill.target = target.data() + 3;
  Task task(kNoOps, nullptr);
  planFill(fill, 2, task);
  runAll(task, [&](std::uint64_t first, std::uint64_t end) { runFill(fill, task, first, end); });
  EXPECT_EQ(target[2], std::byte{0});
  EXPECT_EQ(static_cast<std::size_t>(std::count(target.begin(), target.end(), std::byte{9})), fill.rowBytes);
}

// Rows and slices apart from each other, short and long, also such as go past the caches.
TEST(Fill, RowsOfEveryLength) {
  struct Case {
    std::size_t patternSize, rowBytes, rows, slices, rowGap, sliceGap;
  };
  const Case cases[] = {{4, 4, 3, 2, 12, 7},
                        {16, 48, 5, 3, 0, 16},
                        {1, 77, 9, 4, 3, 0},
                        {16, 4096, 3000, 2, 64, 0},
                        {4, 1 << 20, 20, 1, 4, 0},
                        {8, (3 << 20) + 8, 3, 3, 8, 24},
                        {2, (1 << 20) + 2, 18, 1, 2, 0}};
  for (const Case& each : cases) {
    Fill fill{};
    const auto source = pattern(128, 5);
    std::memcpy(fill.pattern.data(), source.data(), each.patternSize);
    fill.patternSize = each.patternSize;
    fill.rowBytes = each.rowBytes;
    fill.rows = each.rows;
    fill.slices = each.slices;
    fill.rowPitch = each.rowBytes + each.rowGap;
    fill.slicePitch = fill.rowPitch * each.rows + each.sliceGap;
    std::vector<std::byte> target(fill.slicePitch * each.slices + 20, std::byte{0xee}), expected = target;
    fill.target = target.data() + 4;
    for (std::size_t slice = 0; slice < each.slices; ++slice)
      for (std::size_t row = 0; row < each.rows; ++row)
        for (std::size_t i = 0; i < each.rowBytes; ++i)
          expected[4 + slice * fill.slicePitch + row * fill.rowPitch + i] = source[i % each.patternSize];
    Task task(kNoOps, nullptr);
    planFill(fill, 3, task);
    runAll(task, [&](std::uint64_t first, std::uint64_t end) { runFill(fill, task, first, end); });
    EXPECT_TRUE(target == expected) << each.rowBytes << " x " << each.rows << " x " << each.slices;
  }
}

} // namespace
} // namespace clotho::cpu
