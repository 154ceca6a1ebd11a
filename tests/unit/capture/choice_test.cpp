// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capture/choice.hpp"

#include <gtest/gtest.h>

namespace clotho::capture {
namespace {

std::optional<Choice> parsed(std::string_view text) {
  std::string why;
  return Choice::parse(text, why);
}

TEST(ChoiceTest, NothingIsCapturedWithoutAFolder) { EXPECT_FALSE(parsed("")); }

TEST(ChoiceTest, AFolderAloneMeansTheFirstLaunchOfEachKernel) {
  const auto choice = parsed("/tmp/captures");
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->folder, "/tmp/captures");
  EXPECT_TRUE(choice->wantsKernel("any"));
  EXPECT_TRUE(choice->wantsLaunch(1));
  EXPECT_FALSE(choice->wantsLaunch(2));
}

TEST(ChoiceTest, KernelsAreNamesWithStars) {
  const auto choice = parsed("f:kernel=blur,mat*_2");
  ASSERT_TRUE(choice);
  for (const char* name : {"blur", "mat_2", "matmul_2"})
    EXPECT_TRUE(choice->wantsKernel(name)) << name;
  for (const char* name : {"blur2", "ablur", "matmul_3", ""})
    EXPECT_FALSE(choice->wantsKernel(name)) << name;
}

TEST(ChoiceTest, LaunchesAreNumbersAndRanges) {
  const auto choice = parsed("f:kernel=k:launch=2,5-7,100-");
  ASSERT_TRUE(choice);
  for (const std::uint64_t number : {2, 5, 6, 7, 100, 100000})
    EXPECT_TRUE(choice->wantsLaunch(number)) << number;
  for (const std::uint64_t number : {1, 3, 4, 8, 99})
    EXPECT_FALSE(choice->wantsLaunch(number)) << number;
}

TEST(ChoiceTest, FoldersMayHaveColons) {
  const auto choice = parsed("/a:b/c:launch=3");
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->folder, "/a:b/c");
  EXPECT_TRUE(parsed("/a:1=2/b:c/d=e"));
  EXPECT_TRUE(choice->wantsLaunch(3));
}

TEST(ChoiceTest, WhatIsNoNumberIsRefused) {
  for (const char* text : {"f:launch=", "f:launch=x", "f:launch=5-3", "f:launch=1,,2", "f:launch=-3", "f:launches=3",
                           "f:kernels=a", "f:kernel=", "f:kernel=a,", "f:kernel=a:launches=2", "f:x=1:launch=3"}) {
    std::string why;
    EXPECT_FALSE(Choice::parse(text, why)) << text;
    EXPECT_FALSE(why.empty()) << text;
  }
}

} // namespace
} // namespace clotho::capture
