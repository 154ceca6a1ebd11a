// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/reserved_memory.hpp"

#include "base/slab.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace clotho {

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

/// How many bytes of private mappings between two addresses can be written: what the system charges a process for.
std::size_t writableBytes(std::uintptr_t begin, std::uintptr_t end) {
  std::size_t sum = 0;
  std::ifstream file("/proc/self/maps");
  for (std::string line; std::getline(file, line);) {
    unsigned long low = 0, high = 0;
    char rights[8] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %7s", &low, &high, rights) == 3 && rights[1] == 'w' && rights[3] == 'p' &&
        low < end && high > begin)
      sum += std::min(high, end) - std::max(low, begin);
  }
  return sum;
}

TEST(ReservedMemory, IsMemoryWhereItWasMadeUsable) {
  ReservedMemory range = ReservedMemory::reserve(1024 * kMiB + 1);
  ASSERT_NE(range.base(), nullptr);
  EXPECT_EQ(range.size(), 1024 * kMiB + ReservedMemory::pageSize());
  const auto begin = reinterpret_cast<std::uintptr_t>(range.base());
  EXPECT_EQ(writableBytes(begin, begin + range.size()), 0u);
  ASSERT_TRUE(range.makeUsable(512 * kMiB, kMiB));
  ASSERT_TRUE(range.makeUsable(512 * kMiB, 2 * kMiB));
  EXPECT_EQ(writableBytes(begin, begin + range.size()), 2 * kMiB);
  std::byte* place = range.base() + 514 * kMiB - 1;
  EXPECT_EQ(*place, std::byte{0});
  *place = std::byte{7};
  ASSERT_TRUE(range.makeUsable(512 * kMiB, 2 * kMiB));
  EXPECT_EQ(*place, std::byte{7});
  range.release();
  EXPECT_EQ(range.base(), nullptr);
}

TEST(ReservedMemory, TooMuchIsNone) {
  for (const std::size_t size : {SIZE_MAX, SIZE_MAX / 2})
    EXPECT_EQ(ReservedMemory::reserve(size).base(), nullptr);
}

struct Large {
  std::byte bytes[1000];
};

/// Bytes that can be written in the gigabyte behind an object.
std::size_t chargedFrom(const void* object) {
  const auto begin = reinterpret_cast<std::uintptr_t>(object) & ~(ReservedMemory::pageSize() - 1);
  return writableBytes(begin, begin + 1024 * kMiB);
}

TEST(SlabMemory, IsChargedAsSlotsAreUsed) {
  Slab<Large> slab(std::size_t{4} << 20);
  std::vector<Large*> objects;
  objects.push_back(slab.create());
  // A few mappings of others may lie behind the range.
  EXPECT_LT(chargedFrom(objects.front()), 32 * kMiB);
  while (objects.size() < 100'000)
    objects.push_back(slab.create());
  EXPECT_GE(chargedFrom(objects.front()), objects.size() * sizeof(Large));
  EXPECT_LT(chargedFrom(objects.front()), objects.size() * sizeof(Large) + 80 * kMiB);
  for (const Large* object : objects)
    EXPECT_TRUE(slab.isLive(object));
  // What was never handed out can be asked for, though it can't be read.
  const auto* beyond = reinterpret_cast<const Large*>(reinterpret_cast<const std::byte*>(objects[1]) + 2000 * kMiB);
  EXPECT_FALSE(slab.isLive(beyond));
  slab.prefetch(beyond);
  for (Large* object : objects)
    slab.destroy(object);
}

TEST(SlabMemory, GrowsForManyThreadsAtOnce) {
  for (int round = 0; round < 20; ++round) {
    Slab<Large> slab(1 << 16);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        std::vector<Large*> mine;
        for (int i = 0; i < 1000; ++i) {
          mine.push_back(slab.create());
          mine.back()->bytes[999] = std::byte{1};
        }
        for (Large* object : mine) {
          EXPECT_EQ(object->bytes[999], std::byte{1});
          slab.destroy(object);
        }
      });
    for (std::thread& thread : threads)
      thread.join();
    EXPECT_EQ(slab.liveCount(), 0u);
  }
}

} // namespace

} // namespace clotho
