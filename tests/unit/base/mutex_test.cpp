// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/mutex.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace clotho {

namespace {

TEST(Parking, OtherValueDoesNotSleep) {
  std::atomic<std::uint32_t> word{1};
  Parking::wait(word, 0); // would sleep for good
}

TEST(Parking, TimesOut) {
  std::atomic<std::uint32_t> word{0};
  auto begin = std::chrono::steady_clock::now();
  Parking::wait(word, 0, 5'000'000);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(Parking, WakesAll) {
  std::atomic<std::uint32_t> word{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      while (word.load() == 0)
        Parking::wait(word, 0);
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  word.store(1);
  Parking::wakeAll(word);
  for (std::thread& thread : threads)
    thread.join();
}

struct Guarded {
  Mutex mutex;
  CondVar changed;
  int value GUARDED_BY(mutex) = 0;
};

TEST(CondVar, WaitsForThePredicate) {
  Guarded guarded;
  std::thread other([&] {
    for (int i = 0; i < 5; ++i) {
      MutexLock lock(guarded.mutex);
      ++guarded.value;
      guarded.changed.notifyAll();
    }
  });
  {
    MutexLock lock(guarded.mutex);
    guarded.changed.wait(guarded.mutex, [&]() REQUIRES(guarded.mutex) { return guarded.value == 5; });
    EXPECT_EQ(guarded.value, 5);
    EXPECT_FALSE(guarded.changed.waitFor(guarded.mutex, std::chrono::milliseconds(2),
                                         [&]() REQUIRES(guarded.mutex) { return guarded.value == 6; }));
  }
  other.join();
}

} // namespace

} // namespace clotho
