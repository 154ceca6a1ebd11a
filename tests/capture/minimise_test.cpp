// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/minimise.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace clotho::replay {
namespace {

bool has(const std::string& text, const char* what) { return text.find(what) != std::string::npos; }

TEST(MinimiseTest, PiecesThatMatterAreLeft) {
  std::vector<int> all(100);
  std::iota(all.begin(), all.end(), 0);
  const auto holds = [](const std::vector<int>& rest) {
    return std::find(rest.begin(), rest.end(), 7) != rest.end() &&
           std::find(rest.begin(), rest.end(), 93) != rest.end();
  };
  EXPECT_EQ(minimise<int>(all, holds), (std::vector<int>{7, 93}));
  EXPECT_TRUE(minimise<int>(all, [](const auto&) { return true; }).empty());
  EXPECT_EQ(minimise<int>(all, [](const auto& rest) { return rest.size() == 100; }), all);
}

TEST(MinimiseTest, StatementsEndAtSemicolonsAndBraces) {
  const std::string text =
      "#define A(x) \\\n  x; x\nint a[2] = {1, 2};\nvoid f() { g(); }\n// ; {\nchar c = ';'; for (;;) h();";
  const auto pieces = statementsIn(text);
  EXPECT_EQ(pieces, (std::vector<std::string>{"#define A(x) \\\n  x; x\n", "int a[2] = {1, 2}", ";\n",
                                              "void f() { g(); }\n", "// ; {\nchar c = ';';", " for (;;) h();"}));
  std::string joined;
  for (const std::string& piece : pieces)
    joined += piece;
  EXPECT_EQ(joined, text);
}

TEST(MinimiseTest, FunctionsStatementsAndBodies) {
  const std::string source = "int unused(int x) { return x; }\n"
                             "kernel void k(global int* a) {\n"
                             "  int t = 0;\n"
                             "  if (a[1]) { t++; for (int i = 0; i < 3; i++) { a[0] = 5; t--; } }\n"
                             "}\n";
  const std::string smallest = minimiseSource(source, [](const std::string& text) {
    return has(text, "kernel void k") && has(text, "a[0] = 5;") && has(text, "}");
  });
  EXPECT_EQ(smallest, "kernel void k(global int* a) { a[0] = 5;}\n");
}

TEST(MinimiseTest, UnfinishedTextsAreLeftAsTheyAre) {
  for (const char* text : {"", "/*", "\"", "{{{", "}}}", "#", "int a", "'\\"})
    EXPECT_EQ(minimiseSource(text, [&](const std::string& rest) { return rest == text; }), text);
}

} // namespace
} // namespace clotho::replay
