// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// rt.o under test has "rt_" before its symbols, so that the C library's functions stay at hand to compare with.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>

extern "C" {
void* rt_memcpy(void*, const void*, std::size_t);
void* rt_memmove(void*, const void*, std::size_t);
void* rt_memset(void*, int, std::size_t);
int rt_memcmp(const void*, const void*, std::size_t);
double rt_fma(double, double, double);
float rt_fmaf(float, float, float);
double rt_trunc(double);
double rt_floor(double);
double rt_ceil(double);
double rt_round(double);
double rt_rint(double);
float rt_floorf(float);
float rt_roundf(float);
}

namespace {

std::mt19937_64 theRandom(3);

/// Any double, with those near 1, denormals and short significands more often than chance has them.
double anyDouble() {
  std::uint64_t bits = theRandom();
  const std::uint64_t exponentMask = UINT64_C(0x7ff) << 52;
  switch (theRandom() % 5) {
  case 0: break;
  case 1: bits = (bits & ~exponentMask) | (983 + theRandom() % 80) << 52; break;
  case 2: bits = (bits & ~exponentMask) | (theRandom() % 60) << 52; break;
  case 3: bits &= exponentMask | UINT64_C(1) << 63; break;
  default: bits = (bits & ~exponentMask) | (1003 + theRandom() % 40) << 52; bits &= ~UINT64_C(0) << theRandom() % 52;
  }
  return std::bit_cast<double>(bits);
}

::testing::AssertionResult same(double got, double wanted) {
  if ((std::isnan(got) && std::isnan(wanted)) ||
      std::bit_cast<std::uint64_t>(got) == std::bit_cast<std::uint64_t>(wanted))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << std::hexfloat << got << " instead of " << wanted;
}

TEST(RunTimeHelpers, FusedMultiplyAddRoundsOnce) {
  for (int i = 0; i < 300000; ++i) {
    const double x = anyDouble(), y = anyDouble();
    // Cancellation is where a second rounding shows.
    double z = anyDouble();
    if (i % 3 == 0) z = -x * y;
    if (i % 6 == 0) z = std::nextafter(z, 0.0);
    EXPECT_TRUE(same(rt_fma(x, y, z), std::fma(x, y, z))) << x << " " << y << " " << z;
    const float a = static_cast<float>(x), b = static_cast<float>(y), c = i % 3 == 0 ? -a * b : static_cast<float>(z);
    EXPECT_TRUE(same(rt_fmaf(a, b, c), std::fma(a, b, c))) << a << " " << b << " " << c;
  }
}

TEST(RunTimeHelpers, RoundToIntegers) {
  for (int i = 0; i < 300000; ++i) {
    const double x = anyDouble();
    EXPECT_TRUE(same(rt_trunc(x), std::trunc(x))) << x;
    EXPECT_TRUE(same(rt_floor(x), std::floor(x))) << x;
    EXPECT_TRUE(same(rt_ceil(x), std::ceil(x))) << x;
    EXPECT_TRUE(same(rt_round(x), std::round(x))) << x;
    EXPECT_TRUE(same(rt_rint(x), std::rint(x))) << x;
    const float f = static_cast<float>(x);
    EXPECT_TRUE(same(rt_floorf(f), std::floor(f))) << f;
    EXPECT_TRUE(same(rt_roundf(f), std::round(f))) << f;
  }
}

TEST(RunTimeHelpers, MemoryFunctions) {
  std::array<char, 300> ours, theirs;
  for (char& c : ours)
    c = static_cast<char>(theRandom());
  theirs = ours;
  for (int i = 0; i < 20000; ++i) {
    const std::size_t to = theRandom() % 100, from = theRandom() % 100, size = theRandom() % 150;
    rt_memmove(&ours[to], &ours[from], size);
    std::memmove(&theirs[to], &theirs[from], size);
    EXPECT_EQ(ours, theirs);
    EXPECT_EQ(rt_memset(&ours[to], i, size / 4), &ours[to]);
    std::memset(&theirs[to], i, size / 4);
    EXPECT_EQ(ours, theirs);
    std::array<char, 150> copy;
    EXPECT_EQ(rt_memcpy(copy.data(), &ours[from], size), copy.data());
    EXPECT_EQ(rt_memcmp(copy.data(), &theirs[from], size), 0);
    const int order = rt_memcmp(&ours[to], &ours[from], size), wanted = std::memcmp(&ours[to], &ours[from], size);
    EXPECT_EQ(order < 0, wanted < 0);
    EXPECT_EQ(order > 0, wanted > 0);
  }
}

} // namespace

#ifdef __FLT16_MANT_DIG__
extern "C" {
_Float16 rt___truncsfhf2(float);
_Float16 rt___truncdfhf2(double);
float rt___extendhfsf2(_Float16);
}

TEST(RunTimeHelpers, HalvesAreWidenedExactlyAndNarrowedToNearest) {
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const auto half = std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits));
    const auto next = std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits + 1));
    const int exponent = static_cast<int>(bits >> 10);
    const float value = exponent ? std::ldexp(1024.0f + static_cast<float>(bits & 0x3ff), exponent - 25)
                                 : std::ldexp(static_cast<float>(bits), -24);
    EXPECT_EQ(rt___extendhfsf2(half), value);
    const double step = exponent ? std::ldexp(1.0, exponent - 25) : 0x1p-24;
    const auto narrowed = [](double x) { return std::bit_cast<std::uint16_t>(rt___truncdfhf2(x)); };
    EXPECT_EQ(narrowed(value), bits);
    EXPECT_EQ(narrowed(value + step * 0.499999), bits);
    EXPECT_EQ(narrowed(value + step * 0.5), bits + (bits & 1)); // the even neighbour
    EXPECT_EQ(narrowed(value + step * 0.500001), bits + 1);
    EXPECT_EQ(std::bit_cast<std::uint16_t>(rt___truncsfhf2(-value)), bits | 0x8000);
    EXPECT_EQ(std::bit_cast<std::uint16_t>(next), bits + 1);
  }
  EXPECT_TRUE(std::isnan(rt___extendhfsf2(rt___truncsfhf2(NAN))));
  EXPECT_EQ(rt___extendhfsf2(rt___truncsfhf2(1e30f)), INFINITY);
}
#endif
