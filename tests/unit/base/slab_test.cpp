// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/slab.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace clotho {

namespace {

struct alignas(64) Item {
  explicit Item(int value = 0) : value(value) {}
  int value;
};

TEST(Slab, LiveFromCreateToDestroy) {
  Slab<Item> slab(128);
  Item* item = slab.create(7);
  EXPECT_EQ(item->value, 7);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(item) % alignof(Item), 0u);
  EXPECT_TRUE(slab.isLive(item));
  EXPECT_EQ(slab.liveCount(), 1u);
  slab.destroy(item);
  EXPECT_FALSE(slab.isLive(item));
  EXPECT_EQ(slab.liveCount(), 0u);
}

TEST(Slab, ForeignPointersAreNotLive) {
  Slab<Item> slab(128);
  Item* first = slab.create(1);
  Item outside;
  auto at = [&](std::ptrdiff_t bytes) { return reinterpret_cast<Item*>(reinterpret_cast<char*>(first) + bytes); };
  EXPECT_FALSE(slab.isLive(nullptr));
  EXPECT_FALSE(slab.isLive(&outside));
  EXPECT_FALSE(slab.isLive(reinterpret_cast<Item*>(~std::uintptr_t{0})));
  EXPECT_FALSE(slab.isLive(reinterpret_cast<Item*>(std::uintptr_t{8})));
  for (std::ptrdiff_t bytes : {-64, -1, 1, 8, 64})
    EXPECT_FALSE(slab.isLive(at(bytes))) << bytes;
  EXPECT_FALSE(slab.isLive(at(1 << 20))) << "in the range, never handed out";
  slab.destroy(first);
}

TEST(Slab, SlotsAreUsedAgain) {
  Slab<Item> slab(128);
  Item* first = slab.create();
  slab.destroy(first);
  EXPECT_EQ(slab.create(), first);
  EXPECT_NE(slab.create(), first);
}

TEST(Slab, RunsOut) {
  Slab<Item> slab(64);
  std::vector<Item*> items;
  EXPECT_THROW(
      {
        for (int i = 0; i < 65; ++i)
          items.push_back(slab.create(i));
      },
      std::bad_alloc);
  EXPECT_EQ(items.size(), 64u);
  slab.destroy(items.back());
  EXPECT_NO_THROW(slab.create());
}

struct Thrower {
  explicit Thrower(bool throws) {
    if (throws) throw std::runtime_error("no");
  }
};

TEST(Slab, ThrowingConstructorGivesTheSlotBack) {
  Slab<Thrower> slab(64);
  for (int i = 0; i < 200; ++i)
    EXPECT_THROW(slab.create(true), std::runtime_error);
  EXPECT_EQ(slab.liveCount(), 0u);
  EXPECT_NO_THROW(slab.create(false));
}

TEST(Slab, ManyThreadsNeverShareASlot) {
  Slab<Item> slab(4096);
  std::atomic<int> shared{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::vector<Item*> mine;
      for (int i = 0; i < 20'000; ++i) {
        mine.push_back(slab.create(t));
        if (mine.size() == 100 || i % 3 == 0) {
          shared += mine.back()->value != t || !slab.isLive(mine.back());
          slab.destroy(mine.back());
          mine.pop_back();
        }
      }
      for (Item* item : mine) {
        shared += item->value != t;
        slab.destroy(item);
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(shared, 0);
  EXPECT_EQ(slab.liveCount(), 0u);
}

} // namespace

} // namespace clotho
