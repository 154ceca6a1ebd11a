// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/claims.hpp"

#include <gtest/gtest.h>

#include <string>

namespace clotho {

namespace {

TEST(Claims, ExtensionTextIsTheListOfNames) {
  std::string expected;
  const Claims cpu = Claims::of(claims::kCpu);
  for (const cl_name_version& entry : cpu.extensionVersions()) {
    if (!expected.empty()) expected += ' ';
    expected += entry.name;
  }
  EXPECT_EQ(cpu.extensions(), expected);
}

TEST(Claims, NamesFitTheirFields) {
  for (const claims::Row& row : claims::kRows)
    EXPECT_LT(row.name.size(), size_t{CL_NAME_VERSION_MAX_NAME_SIZE}) << row.name;
}

TEST(Claims, APlatformHasWhatItsDevicesHaveInCommon) {
  Claims one, other;
  one.words[0] = 0b0111;
  other.words[0] = 0b1110;
  one &= other;
  EXPECT_EQ(one.words[0], 0b0110u);
  EXPECT_TRUE(one.has(1) && one.has(2));
  EXPECT_FALSE(one.has(0) || one.has(3));
  std::size_t rows = 0;
  one.forEach([&](const claims::Row& row) { rows += &row == &claims::kRows[1] || &row == &claims::kRows[2]; });
  EXPECT_EQ(rows, 2u);
  EXPECT_EQ(Claims::of(0), Claims()) << "no kind, no claim";
}

TEST(Claims, EachRowIsOfAKind) {
  for (const claims::Row& row : claims::kRows)
    EXPECT_NE(row.kinds, 0) << row.name;
}

TEST(Claims, VersionsStartAsTheSpecificationWants) {
  EXPECT_TRUE(claims::kVersion30.starts_with("OpenCL 3.0 "));
  EXPECT_TRUE(claims::kVersion22.starts_with("OpenCL 2.2 "));
  EXPECT_TRUE(claims::kVersion31.starts_with("OpenCL 3.1 "));
  EXPECT_TRUE(claims::kOpenClCVersion31.starts_with("OpenCL C 3.1 "));
  EXPECT_TRUE(claims::kVersion31.ends_with(CLOTHO_VERSION));
  EXPECT_TRUE(claims::kOpenClCVersion31.ends_with(CLOTHO_VERSION));
  EXPECT_TRUE(claims::kOpenClCVersion30.starts_with("OpenCL C 3.0 "));
  EXPECT_TRUE(claims::kOpenClCVersion22.starts_with("OpenCL C 2.0 "));
  EXPECT_TRUE(claims::kVersion30.ends_with(CLOTHO_VERSION)) << claims::kVersion30;
  EXPECT_TRUE(claims::kVersion22.ends_with(CLOTHO_VERSION)) << claims::kVersion22;
  EXPECT_TRUE(claims::kOpenClCVersion30.ends_with(CLOTHO_VERSION));
  EXPECT_TRUE(claims::kOpenClCVersion22.ends_with(CLOTHO_VERSION));
}

} // namespace

} // namespace clotho
