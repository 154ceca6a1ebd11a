// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cluster/window.hpp"

#include <gtest/gtest.h>

namespace clotho::cluster {
namespace {

constexpr std::uint64_t kPage = 4096;

TEST(Window, PiecesDoNotOverlap) {
  Window window(16 * kPage);
  ASSERT_EQ(window.size(), 16 * kPage);
  const std::uint64_t one = window.carve(1, 128), two = window.carve(kPage + 1, 128), three = window.carve(kPage, 128);
  EXPECT_EQ(one, window.base());
  EXPECT_EQ(two, one + kPage);
  EXPECT_EQ(three, two + 2 * kPage);
}

TEST(Window, FillsTheFirstGapThatIsLargeEnough) {
  Window window(8 * kPage);
  const std::uint64_t first = window.carve(2 * kPage, 1);
  window.carve(kPage, 1);
  window.giveBack(first);
  EXPECT_EQ(window.carve(3 * kPage, 1), window.base() + 3 * kPage);
  EXPECT_EQ(window.carve(2 * kPage, 1), first);
  EXPECT_EQ(window.carve(3 * kPage, 1), 0u); // two are left
  EXPECT_NE(window.carve(2 * kPage, 1), 0u);
  EXPECT_EQ(window.carve(1, 1), 0u);
}

TEST(Window, AlignsAndRefusesWhatIsTooLarge) {
  Window window(64 * kPage);
  window.carve(1, 1);
  const std::uint64_t aligned = window.carve(1, 16 * kPage);
  EXPECT_EQ(aligned % (16 * kPage), 0u);
  EXPECT_EQ(window.carve(65 * kPage, 1), 0u);
  EXPECT_EQ(window.carve(~std::uint64_t{0}, 1), 0u);
}

TEST(Window, KnowsItsAddresses) {
  Window window(4 * kPage);
  const auto* begin = reinterpret_cast<const std::byte*>(window.base());
  EXPECT_TRUE(window.contains(begin));
  EXPECT_TRUE(window.contains(begin + 4 * kPage - 1));
  EXPECT_FALSE(window.contains(begin + 4 * kPage));
  EXPECT_FALSE(window.contains(begin - 1));
  EXPECT_FALSE(window.contains(nullptr));
}

TEST(Window, BeginsWhereItIsWanted) {
  constexpr std::uint64_t kAlignment = std::uint64_t{1} << 30;
  const Window aligned(3 * kPage, kAlignment);
  ASSERT_EQ(aligned.size(), 3 * kPage);
  EXPECT_EQ(aligned.base() % kAlignment, 0u);
  const Window behind(kPage, Window::At{aligned.base() + aligned.size()});
  EXPECT_EQ(behind.base(), aligned.base() + aligned.size()) << "no more addresses are taken";
  EXPECT_EQ(Window(kPage, Window::At{aligned.base() + kPage}).size(), 0u) << "something is there";
}

TEST(Window, IsEmptyWhereThereAreNotSoManyAddresses) {
  const Window window(std::uint64_t{1} << 60);
  EXPECT_EQ(window.size(), 0u);
  EXPECT_FALSE(window.contains(&window));
}

} // namespace
} // namespace clotho::cluster
