// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/addresses.hpp"
#include "replay/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace clotho::replay {
namespace {

using capture::ArgumentKind;

template <class T> std::string bytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

class CompareTest : public testing::Test {
 protected:
  CompareTest() {
    description_.memories.resize(1);
    description_.arguments.resize(1);
    description_.arguments[0].kind = ArgumentKind::Memory;
    description_.arguments[0].name = "a";
  }
  template <class T>
  std::vector<Difference> compared(const std::vector<T>& before, const std::vector<T>& now, const char* type,
                                   double ulp = 0) {
    return compare(description_, {bytesOf(before)}, {bytesOf(now)}, {type}, ulp);
  }

  capture::Description description_;
};

TEST_F(CompareTest, BitsCountWithoutATolerance) {
  EXPECT_TRUE(compared<float>({1, 2}, {1, 2}, "float*").empty());
  EXPECT_EQ(compared<float>({0.0F}, {-0.0F}, "float*").size(), 1u);
  const auto differences = compared<float>({1, 2, 3}, {1, 2, std::nextafter(3.0F, 4.0F)}, "float*");
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].first, 2u);
  EXPECT_EQ(differences[0].elements, 3u);
  EXPECT_EQ(differences[0].largestUlp, 1.0);
  EXPECT_NE(differences[0].text("captured").find("argument 0 (a): 1 of 3 elements (float)"), std::string::npos);
}

TEST_F(CompareTest, FloatsMayDifferByUnits) {
  EXPECT_TRUE(compared<float>({3}, {std::nextafter(3.0F, 4.0F)}, "const float4*", 1).empty());
  EXPECT_TRUE(compared<double>({3}, {std::nextafter(3.0, 2.0)}, "double*", 1).empty());
  EXPECT_TRUE(compared<float>({0.0F}, {-0.0F}, "float*", 1).empty());
  EXPECT_TRUE(compared<float>({NAN}, {-NAN}, "float*", 1).empty());
  EXPECT_FALSE(compared<float>({NAN}, {1}, "float*", 1e9).empty());
  EXPECT_FALSE(compared<float>({3}, {std::nextafter(std::nextafter(3.0F, 4.0F), 4.0F)}, "float*", 1).empty());
  EXPECT_FALSE(compared<int>({3}, {4}, "int*", 8).empty()) << "integers are no floats";
}

TEST_F(CompareTest, DoublesDifferByUnitsToo) {
  const double three = 3, next = std::nextafter(three, 4), second = std::nextafter(next, 4);
  EXPECT_TRUE(compared<double>({three}, {second}, "double*", 2).empty());
  const auto differences = compared<double>({three, -three}, {second, -second}, "double*", 1);
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].different, 2u);
  EXPECT_EQ(differences[0].largestUlp, 2.0);
  EXPECT_NE(differences[0].text("captured").find("now 3.0000000000000009"), std::string::npos)
      << differences[0].text("captured");
  const auto extremes = compared<double>({-HUGE_VAL}, {HUGE_VAL}, "double*", 1e18);
  ASSERT_EQ(extremes.size(), 1u);
  EXPECT_GT(extremes[0].largestUlp, 1.8e19);
}

TEST_F(CompareTest, UnknownTypesAreBytes) {
  const auto differences = compared<int>({1, 256}, {1, 512}, "struct Foo*");
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].element, "uchar");
  EXPECT_EQ(differences[0].first, 5u);
}

TEST(RelocationTest, WordsInARangeFollowIt) {
  Relocation relocation;
  relocation.add(0x1000, 0x100, 0x9000);
  relocation.add(0x5000, 0x100, 0x5000);
  std::string bytes = bytesOf<std::uint64_t>({0x1000, 0x10ff, 0x1100, 0xfff, 0x5000, 0x9000}) + "rest";
  const std::string before = bytes;
  relocation.apply(bytes);
  EXPECT_EQ(bytes.substr(0, 48), bytesOf<std::uint64_t>({0x9000, 0x90ff, 0x1100, 0xfff, 0x5000, 0x9000}));
  EXPECT_EQ(bytes.substr(48), "rest");
  Relocation none;
  none.add(0x1000, 0x100, 0x1000);
  EXPECT_FALSE(none.isNeeded());
}

} // namespace
} // namespace clotho::replay
