// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/options.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

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

TEST(Options, NonsenseLeavesTheDefault) {
  for (const char* text : {"", "x", "-1", "3x", "99999999999999999999999"}) {
    Variable units("CLOTHO_COMPUTE_UNITS", text), cache("CLOTHO_CACHE", text);
    Options read = Options::fromEnvironment();
    EXPECT_EQ(read.computeUnits, 0u) << text;
    EXPECT_TRUE(read.cacheEnabled) << text;
  }
}

} // namespace

} // namespace clotho
