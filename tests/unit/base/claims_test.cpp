// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/claims.hpp"

#include <gtest/gtest.h>

#include <string>

namespace clotho {

namespace {

TEST(Claims, ExtensionTextIsTheListOfNames) {
  std::string expected;
  for (const cl_name_version& entry : claims::kExtensionVersions) {
    if (!expected.empty()) expected += ' ';
    expected += entry.name;
  }
  EXPECT_EQ(claims::kExtensions, expected);
}

TEST(Claims, NamesFitTheirFields) {
#define CLAIM_EXTENSION(name, major, minor, patch, language)                                                           \
  EXPECT_LT(std::string_view(#name).size(), size_t{CL_NAME_VERSION_MAX_NAME_SIZE});
#define CLAIM_FEATURE(name) EXPECT_LT(std::string_view(#name).size(), size_t{CL_NAME_VERSION_MAX_NAME_SIZE});
#include "base/claims.def"
}

TEST(Claims, VersionsStartAsTheSpecificationWants) {
  EXPECT_TRUE(claims::kVersion30.starts_with("OpenCL 3.0 "));
  EXPECT_TRUE(claims::kVersion22.starts_with("OpenCL 2.2 "));
  EXPECT_TRUE(claims::kOpenClCVersion.starts_with("OpenCL C 1.2 "));
  EXPECT_TRUE(claims::kVersion30.ends_with(CLOTHO_VERSION)) << claims::kVersion30;
  EXPECT_TRUE(claims::kVersion22.ends_with(CLOTHO_VERSION)) << claims::kVersion22;
  EXPECT_TRUE(claims::kOpenClCVersion.ends_with(CLOTHO_VERSION));
}

} // namespace

} // namespace clotho
