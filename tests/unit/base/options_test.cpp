// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/options.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <utility>

namespace clotho {

namespace {

/// Sets a variable for the time of a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

TEST(Options, Defaults) {
  Options standard = Options::fromEnvironment();
  EXPECT_TRUE(standard.cacheEnabled);
  EXPECT_EQ(standard.computeUnits, 0u);
  EXPECT_EQ(standard.cpuTarget, "");
}

TEST(Options, ValuesOfEachType) {
  Variable units("CLOTHO_COMPUTE_UNITS", "3"), cache("CLOTHO_CACHE", "0"), folder("CLOTHO_CACHE_DIR", "/a b");
  Options read = Options::fromEnvironment();
  EXPECT_EQ(read.computeUnits, 3u);
  EXPECT_FALSE(read.cacheEnabled);
  EXPECT_EQ(read.cacheDir, "/a b");
}

TEST(Options, NumbersOfBothBases) {
  const std::pair<const char*, std::uint64_t> cases[] = {{"32902", 32902},
                                                         {"0x8086", 0x8086},
                                                         {"0X10DE", 0x10de},
                                                         {"010", 10},
                                                         {"18446744073709551615", UINT64_MAX},
                                                         {"0xffffffffffffffff", UINT64_MAX}};
  for (const auto& [text, value] : cases) {
    Variable id("CLOTHO_VENDOR_ID", text);
    EXPECT_EQ(Options::fromEnvironment().vendorId, value) << text;
  }
}

TEST(Options, NonsenseLeavesTheDefault) {
  for (const char* text : {"", "x", "-1", "+1", " 1", "3x", "0x", "0x-1", "0xg", "18446744073709551616",
                           "0x10000000000000000", "99999999999999999999999"}) {
    Variable units("CLOTHO_COMPUTE_UNITS", text), cache("CLOTHO_CACHE", text);
    Options read = Options::fromEnvironment();
    EXPECT_EQ(read.computeUnits, 0u) << text;
    EXPECT_TRUE(read.cacheEnabled) << text;
  }
}

} // namespace

} // namespace clotho
