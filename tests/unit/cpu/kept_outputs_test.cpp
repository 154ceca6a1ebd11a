// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/kept_outputs.hpp"

#include <gtest/gtest.h>

#include <array>

namespace clotho::cpu {
namespace {

constexpr std::uint64_t kCache = 32 << 20;

class KeptOutputs : public testing::Test {
 protected:
  /// A kernel that reads as many bytes as it writes.
  bool write(std::uint64_t bytes = kCache) {
    return keepsOutput(std::array{BufferUse{bytes, &in_}, BufferUse{bytes, &out_, /*isOutput=*/true}}, kCache);
  }
  bool change(std::uint64_t bytes = kCache) {
    return keepsOutput(std::array{BufferUse{bytes, &out_, false, /*isChanged=*/true}}, kCache);
  }
  bool read(std::uint64_t bytes = kCache) {
    return keepsOutput(std::array{BufferUse{bytes, &out_}, BufferUse{16, &sum_, true}}, kCache);
  }

  std::atomic<std::uint64_t> in_{0}, out_{0}, sum_{0};
};

TEST_F(KeptOutputs, AreThoseThatWereChangedInPlaceTheLastTime) {
  EXPECT_FALSE(write());
  EXPECT_FALSE(change());
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(write());
    EXPECT_FALSE(change());
  }
  EXPECT_TRUE(write());
  // Not changed any more since.
  EXPECT_FALSE(write());
}

TEST_F(KeptOutputs, AreNotThoseThatAreOnlyRead) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(write());
    EXPECT_FALSE(read());
  }
}

TEST_F(KeptOutputs, AreNoLongerInTheCachesAfterOtherLaunches) {
  write();
  change();
  read(kCache / 2);
  EXPECT_TRUE(write());
  change();
  read(2 * kCache);
  EXPECT_FALSE(write());
}

TEST_F(KeptOutputs, NeedNoCareWhereThereIsRoomForAll) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(write(kCache / 4));
    EXPECT_FALSE(change(kCache / 4));
  }
}

TEST_F(KeptOutputs, AreJudgedByTheLargest) {
  std::atomic<std::uint64_t> small{0};
  const auto writeBoth = [&] {
    return keepsOutput(
        std::array{BufferUse{1024, &small, true}, BufferUse{kCache, &in_}, BufferUse{kCache, &out_, true}}, kCache);
  };
  const auto changeSmall = [&] { return keepsOutput(std::array{BufferUse{1024, &small, false, true}}, kCache); };
  writeBoth();
  change();
  EXPECT_TRUE(writeBoth());
  changeSmall();
  EXPECT_FALSE(writeBoth());
}

} // namespace
} // namespace clotho::cpu
