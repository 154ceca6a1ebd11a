// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/executor.hpp"
#include "device/host_memory.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace clotho::cpu {
namespace {

TEST(HostMemory, AlignsSmallAndLarge) {
  HostMemory memory(std::uint64_t{1} << 30);
  for (std::size_t size : {1ul, 100ul, 1ul << 20, (1ul << 20) + 1, 5ul << 20, (9ul << 20) + 123}) {
    for (std::size_t alignment : {128ul, 4096ul, 65536ul}) {
      void* pointer = memory.allocate(size, alignment);
      ASSERT_NE(pointer, nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pointer) % alignment, 0u);
      std::memset(pointer, 1, size);
      memory.deallocate(pointer, size);
    }
  }
  EXPECT_EQ(memory.used(), 0u);
}

TEST(HostMemory, ExhaustionIsNull) {
  HostMemory memory(10 << 20);
  void* first = memory.allocate(6 << 20, 128);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(memory.allocate(6 << 20, 128), nullptr);
  EXPECT_EQ(memory.allocate(SIZE_MAX, 128), nullptr);
  void* second = memory.allocate(4 << 20, 128);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(memory.allocate(1, 128), nullptr);
  memory.deallocate(first, 6 << 20);
  memory.deallocate(second, 4 << 20);
  EXPECT_EQ(memory.used(), 0u);
}

// Masked accesses without live lanes take hundreds of cycles where no page is.
TEST(Arena, HasItsPagesAtOnce) {
  Arena arena;
  std::byte* memory = arena.reserve(40000);
  ASSERT_NE(memory, nullptr);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> isThere(arena.size() / page);
  ASSERT_EQ(mincore(memory, arena.size(), isThere.data()), 0);
  for (const unsigned char flags : isThere)
    EXPECT_EQ(flags & 1U, 1U);
}

TEST(Arena, GrowsAndKeeps) {
  Arena arena;
  EXPECT_EQ(arena.reserve(0), nullptr);
  std::byte* small = arena.reserve(100);
  ASSERT_NE(small, nullptr);
  EXPECT_EQ(arena.reserve(50), small);
  std::byte* large = arena.reserve(1 << 20);
  ASSERT_NE(large, nullptr);
  std::memset(large, 1, 1 << 20);
  EXPECT_EQ(arena.reserve(SIZE_MAX / 2), nullptr);
  EXPECT_EQ(arena.reserve(1 << 20), large);
}

TEST(Executor, RestoresTheThread) {
  Executor executor;
  stack_t before{};
  sigaltstack(nullptr, &before);
  std::fesetround(FE_UPWARD);
  ASSERT_TRUE(executor.enter());
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  stack_t inside{};
  sigaltstack(nullptr, &inside);
  EXPECT_NE(inside.ss_sp, before.ss_sp);
  volatile double zero = 0;
  volatile double infinite = 1 / zero;
  EXPECT_GT(infinite, 1.0);
  executor.leave();
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  EXPECT_EQ(std::fetestexcept(FE_DIVBYZERO), 0);
  std::fesetround(FE_TONEAREST);
  stack_t after{};
  sigaltstack(nullptr, &after);
  EXPECT_EQ(after.ss_sp, before.ss_sp);
  EXPECT_EQ(after.ss_flags, before.ss_flags);
}

} // namespace
} // namespace clotho::cpu
