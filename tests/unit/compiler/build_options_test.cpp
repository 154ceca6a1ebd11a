// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/build_options.hpp"

#include <gtest/gtest.h>

namespace clotho::compiler {
namespace {

using Words = std::vector<std::string>;

std::optional<BuildOptions> parse(std::string_view text, BuildKind kind = BuildKind::Build,
                                  std::uint32_t openclVersion = 300) {
  std::string why;
  auto options = parseBuildOptions(text, kind, openclVersion, why);
  EXPECT_EQ(options.has_value(), why.empty()) << why;
  return options;
}

TEST(SplitOptions, SeparatesAtAnyWhiteSpace) {
  EXPECT_EQ(splitOptions("  -a\t-b \n -c "), (Words{"-a", "-b", "-c"}));
  EXPECT_EQ(splitOptions(""), Words{});
}

TEST(SplitOptions, QuotesGroup) {
  EXPECT_EQ(splitOptions(R"(-I "a folder" -D'X=1 2')"), (Words{"-I", "a folder", "-DX=1 2"}));
  EXPECT_EQ(splitOptions(R"("")"), Words{""});
}

TEST(SplitOptions, BackslashTakesTheNextLiterally) {
  EXPECT_EQ(splitOptions(R"(-DS=\"text\")"), Words{R"(-DS="text")"});
  EXPECT_EQ(splitOptions(R"(a\ folder)"), Words{"a folder"});
  EXPECT_EQ(splitOptions(R"("say \"hi\"")"), Words{R"(say "hi")"});
}

TEST(SplitOptions, OtherBackslashesStay) { EXPECT_EQ(splitOptions(R"(C:\dir)"), Words{R"(C:\dir)"}); }

TEST(SplitOptions, OpenQuoteIsAnError) { EXPECT_EQ(splitOptions(R"(-D "X)"), std::nullopt); }

TEST(BuildOptions, ChecksAreASet) {
  EXPECT_EQ(parse("")->checks, 0U);
  EXPECT_EQ(parse("-clotho-check=memory,race")->checks, unsigned(kCheckMemory | kCheckRace));
  EXPECT_EQ(parse("-clotho-check=all")->checks, kAllChecks);
  // The program's own option comes behind that of the environment.
  EXPECT_EQ(parse("-clotho-check=all -clotho-check=none")->checks, 0U);
  EXPECT_EQ(parse("-clotho-check=value", BuildKind::Link)->checks, unsigned(kCheckValue));
  for (const char* text : {"-clotho-check=", "-clotho-check=memory,", "-clotho-check=everything"}) {
    std::string why;
    EXPECT_FALSE(parseBuildOptions(text, BuildKind::Build, 300, why)) << text;
  }
}

TEST(BuildOptions, DefinesAndIncludesKeepTheirOrder) {
  const auto options = parse("-D A -I x -DB=2 -Iy");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->preprocessor, (Words{"-DA", "-Ix", "-DB=2", "-Iy"}));
}

TEST(BuildOptions, DefinitionEndsAtNewline) {
  const auto options = parse("-D 'A=1\n2'");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->preprocessor, Words{"-DA=1"});
}

TEST(BuildOptions, HighestVersionOneIsTheDefault) {
  EXPECT_EQ(parse("")->std, OpenclStd::CL1_2);
  EXPECT_EQ(parse("-cl-std=CL3.0")->std, OpenclStd::CL3_0);
  EXPECT_EQ(parse("-cl-std=CL1.1")->std, OpenclStd::CL1_1);
  EXPECT_EQ(parse("-cl-std=CL1.0")->std, OpenclStd::CL1_0);
  EXPECT_EQ(parse("-cl-std=CLC++")->std, OpenclStd::Cpp1_0);
  EXPECT_EQ(parse("-cl-std=CLC++1.0")->std, OpenclStd::Cpp1_0);
  EXPECT_EQ(parse("-cl-std=CLC++2021")->std, OpenclStd::Cpp2021);
  EXPECT_FALSE(parse("-cl-std=c++14").has_value()); // the kernel language of OpenCL 2.2 comes as SPIR-V alone
}

TEST(BuildOptions, NewerLanguagesNeedNewerDevices) {
  for (std::uint32_t version : {220, 300})
    EXPECT_FALSE(parse("-cl-std=CL3.1", BuildKind::Build, version).has_value()) << version;
  EXPECT_EQ(parse("-cl-std=CL3.1", BuildKind::Compile, 310)->std, OpenclStd::CL3_1);
  EXPECT_EQ(parse("", BuildKind::Build, 310)->std, OpenclStd::CL1_2);
  EXPECT_FALSE(parse("-cl-std=CL3.2", BuildKind::Build, 310).has_value());
}

TEST(BuildOptions, WidthsThatThereAre) {
  for (unsigned width : {1, 4, 8, 16, 32, 64})
    EXPECT_EQ(parse("-clotho-width=" + std::to_string(width))->width, width);
  for (const char* other : {"0", "2", "128", "", "16x"})
    EXPECT_FALSE(parse(std::string("-clotho-width=") + other)) << other;
  EXPECT_TRUE(parse("-clotho-validate")->validate);
}

TEST(BuildOptions, BothSpellingsOfSignedZeros) {
  EXPECT_TRUE(parse("-cl-no-signed-zeros")->noSignedZeros);
  EXPECT_TRUE(parse("-cl-no-signed-zeroes", BuildKind::Link)->noSignedZeros);
}

class Refused : public testing::TestWithParam<std::pair<const char*, BuildKind>> {};

TEST_P(Refused, WithASentence) {
  std::string why;
  EXPECT_FALSE(parseBuildOptions(GetParam().first, GetParam().second, 300, why));
  EXPECT_TRUE(why.ends_with('.')) << why;
}

INSTANTIATE_TEST_SUITE_P(BuildOptions, Refused,
                         testing::Values(std::pair{"-cl-unknown", BuildKind::Build}, std::pair{"x", BuildKind::Build},
                                         std::pair{"-D", BuildKind::Compile}, std::pair{"-I \"\"", BuildKind::Build},
                                         std::pair{"-cl-std=CL1.3", BuildKind::Build},
                                         std::pair{"-cl-std=", BuildKind::Build},
                                         std::pair{"-create-library", BuildKind::Build},
                                         std::pair{"-clotho-nonsense", BuildKind::Build},
                                         std::pair{"-D A", BuildKind::Link}, std::pair{"-g", BuildKind::Link},
                                         std::pair{"-enable-link-options", BuildKind::Link}));

TEST(BuildOptions, LinkerOptions) {
  const auto options = parse("-create-library -enable-link-options -cl-fast-relaxed-math", BuildKind::Link);
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->createLibrary && options->enableLinkOptions && options->fastRelaxedMath);
}

} // namespace
} // namespace clotho::compiler
