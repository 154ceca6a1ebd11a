// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/fibres.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace clotho::cpu {
namespace {

constexpr std::size_t kStack = std::size_t{64} << 10;

struct Shared {
  Fibres fibres;
  std::string order;
  std::uint64_t count = 0;
  std::vector<std::uint64_t> seen;
};

TEST(Fibres, RunInTheirOrderWithoutYields) {
  Shared shared;
  ASSERT_TRUE(shared.fibres.reserve(3, kStack));
  shared.fibres.run([](void* s, std::uint64_t i) { static_cast<Shared*>(s)->order += std::to_string(i); }, &shared, 3);
  EXPECT_EQ(shared.order, "012");
}

TEST(Fibres, TakeTurns) {
  Shared shared;
  ASSERT_TRUE(shared.fibres.reserve(3, kStack));
  shared.fibres.run(
      [](void* raw, std::uint64_t i) {
        auto& s = *static_cast<Shared*>(raw);
        for (std::uint64_t k = 0; k <= i; ++k) {
          s.order += std::to_string(i);
          s.fibres.yield();
        }
      },
      &shared, 3);
  EXPECT_EQ(shared.order, "012122");
}

TEST(Fibres, BarrierWaitsForAllThatHaveNotReturned) {
  Shared shared;
  shared.count = 5;
  ASSERT_TRUE(shared.fibres.reserve(5, kStack));
  shared.fibres.run(
      [](void* raw, std::uint64_t i) {
        auto& s = *static_cast<Shared*>(raw);
        s.order += 'a';
        if (i == 4) {
          s.fibres.yield();
          return; // when all others are in the barrier
        }
        s.fibres.barrier();
        s.order += 'b';
        if (i == 0) return;
        s.fibres.barrier();
        s.order += 'c';
      },
      &shared, 5);
  EXPECT_EQ(shared.order, "aaaaabbbbccc");
}

TEST(Fibres, KeepTheirVariables) {
  Shared shared;
  constexpr std::uint64_t kCount = 4096;
  shared.seen.resize(kCount);
  ASSERT_TRUE(shared.fibres.reserve(kCount, kStack));
  for (int again = 0; again < 2; ++again)
    shared.fibres.run(
        [](void* raw, std::uint64_t i) {
          auto& s = *static_cast<Shared*>(raw);
          alignas(64) volatile std::uint64_t values[64];
          EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values) % 64, 0u);
          EXPECT_EQ(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) % 16, 0u);
          for (volatile std::uint64_t& value : values)
            value = i++;
          s.fibres.barrier();
          std::uint64_t sum = 0;
          for (const volatile std::uint64_t& value : values)
            sum += value;
          s.seen[i - 64] = sum;
        },
        &shared, kCount);
  for (std::uint64_t i = 0; i < kCount; ++i)
    ASSERT_EQ(shared.seen[i], 64 * i + 63 * 32);
}

TEST(Fibres, YieldAloneReturns) {
  Shared shared;
  ASSERT_TRUE(shared.fibres.reserve(1, kStack));
  shared.fibres.run(
      [](void* raw, std::uint64_t) {
        for (int i = 0; i < 1000; ++i)
          static_cast<Shared*>(raw)->fibres.yield();
        static_cast<Shared*>(raw)->fibres.barrier();
      },
      &shared, 1);
}

TEST(Fibres, GuardsAreBelowEachStack) {
  Fibres fibres;
  EXPECT_FALSE(fibres.guardHas(0));
  ASSERT_TRUE(fibres.reserve(4, kStack));
  const auto begin = reinterpret_cast<std::uintptr_t>(fibres.begin()),
             end = reinterpret_cast<std::uintptr_t>(fibres.end());
  const std::uintptr_t each = (end - begin) / 4;
  for (std::uintptr_t at = begin; at < end; at += each) {
    EXPECT_FALSE(fibres.guardHas(at - 1));
    EXPECT_TRUE(fibres.guardHas(at));
    EXPECT_TRUE(fibres.guardHas(at + each - kStack - 1));
    EXPECT_FALSE(fibres.guardHas(at + each - kStack));
  }
  EXPECT_FALSE(fibres.guardHas(end));
}

TEST(Fibres, NoMemoryIsTold) {
  Fibres fibres;
  EXPECT_FALSE(fibres.reserve(std::size_t{1} << 40, std::size_t{1} << 40));
  EXPECT_TRUE(fibres.reserve(2, 1));
}

} // namespace
} // namespace clotho::cpu
