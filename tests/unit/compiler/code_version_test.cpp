// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a version of code is for, as a value and as text.
#include "compiler/code_version.hpp"

#include <CL/cl.h>

#include <gtest/gtest.h>
#include <unordered_set>

namespace clotho {

namespace {

/// One of each kind, and one with everything.
std::vector<CodeVersion> versions() {
  std::vector<CodeVersion> all(1);
  all.emplace_back().local = {{256, 1, 1}, false};
  all.emplace_back().local = {{256, 1, 1}, true};
  all.emplace_back().local = {{16, 16, 2}, false};
  all.emplace_back().rows = CodeVersion::Rows::Partial;
  all.emplace_back().rows = CodeVersion::Rows::Whole;
  all.emplace_back().set({2, CodeVersion::Format{CL_RGBA, CL_UNORM_INT8, true}});
  all.emplace_back().set({2, CodeVersion::Format{CL_RGBA, CL_UNORM_INT8, false}});
  all.emplace_back().set({2, CodeVersion::Format{CL_sBGRA, CL_UNORM_INT8, true}});
  all.emplace_back().set({2, CodeVersion::Format{CL_RGB, CL_UNORM_SHORT_565, true}});
  all.emplace_back().set({2, CodeVersion::Format{7, 9, true}}); // no names for these
  all.emplace_back().set({2, CodeVersion::Sampler{0x15}});
  all.emplace_back().set({2, CodeVersion::Integer{0x15}});
  all.emplace_back().set({3, CodeVersion::Integer{UINT64_MAX}});
  all.emplace_back().width = 1;
  CodeVersion& last = all.emplace_back();
  last.local = {{64, 2, 1}, true};
  last.rows = CodeVersion::Rows::Whole;
  last.set({12, CodeVersion::Integer{0}});
  last.set({0, CodeVersion::Format{CL_R, CL_FLOAT, true}});
  last.set({1, CodeVersion::Sampler{UINT64_MAX}});
  last.width = 64;
  return all;
}

TEST(CodeVersionTest, DifferentOnesAreDifferent) {
  const auto all = versions();
  std::unordered_set<CodeVersion> known;
  std::unordered_set<std::size_t> hashes;
  for (const CodeVersion& each : all) {
    EXPECT_TRUE(known.insert(each).second) << each.text();
    EXPECT_TRUE(hashes.insert(std::hash<CodeVersion>()(each)).second) << each.text();
    EXPECT_FALSE(known.insert(CodeVersion(each)).second) << each.text();
    EXPECT_EQ(each.isGeneral(), each == CodeVersion()) << each.text();
  }
}

TEST(CodeVersionTest, TextIsReadBack) {
  for (const CodeVersion& each : versions()) {
    const auto read = CodeVersion::parse(each.text());
    ASSERT_TRUE(read) << each.text();
    EXPECT_EQ(*read, each) << each.text();
  }
}

TEST(CodeVersionTest, TextIsAsDocumented) {
  CodeVersion version;
  EXPECT_EQ(version.text(), "general");
  version.local = {{256, 1, 1}, false};
  version.rows = CodeVersion::Rows::Whole;
  version.set({5, CodeVersion::Integer{17}});
  version.set({3, CodeVersion::Sampler{0x15}});
  version.set({2, CodeVersion::Format{CL_RGBA, CL_UNORM_INT8, true}});
  version.width = 16;
  EXPECT_EQ(version.text(), "local=256x1x1 rows=whole arg2=rgba.unorm8 arg3=sampler:15 arg5=17 width=16");
  EXPECT_EQ(version.withoutIntegers().text(), "local=256x1x1 rows=whole arg2=rgba.unorm8 arg3=sampler:15 width=16");
  version.set({5, CodeVersion::Integer{18}});
  EXPECT_EQ(version.withWidth(0).text(), "local=256x1x1 rows=whole arg2=rgba.unorm8 arg3=sampler:15 arg5=18");
}

TEST(CodeVersionTest, PartsComeInAnyOrder) {
  const auto read = CodeVersion::parse("width=16 arg5=17 local=256x1x1 arg2=rgba.unorm8");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->text(), "local=256x1x1 arg2=rgba.unorm8 arg5=17 width=16");
}

TEST(CodeVersionTest, OtherTextsAreRefused) {
  for (const char* text : {"",
                           "local",
                           "local=",
                           "local=256",
                           "local=256x1",
                           "local=256x1x1x1",
                           "local=256x0x1",
                           "local=ax1x1",
                           "local=256x1x1 local=256x1x1",
                           "local=-1x1x1",
                           "rows",
                           "rows=some",
                           "rows=whole rows=whole",
                           "width=0",
                           "width=",
                           "width=8 width=8",
                           "width=4294967296",
                           "arg=5",
                           "argx=5",
                           "arg2",
                           "arg2=",
                           "arg2=rgba",
                           "arg2=rgba.",
                           "arg2=rgba.unorm8.huge",
                           "arg2=pink.unorm8",
                           "arg2=#.#",
                           "arg2=sampler:",
                           "arg2=sampler:g",
                           "arg2=18446744073709551616",
                           "arg2=-1",
                           "arg2=1 arg2=2",
                           "general width=8",
                           "local=1x1x1  width=8",
                           "x=1"})
    EXPECT_FALSE(CodeVersion::parse(text)) << text;
}

} // namespace

} // namespace clotho
