// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/source_line.hpp"

#include "base/text_file.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <dlfcn.h>
#include <string>

namespace clotho::cpu {
namespace {

/// The object of kernels.c, and where a function of it lies there.
std::string object() { return testBuild(/*inMemory=*/true)->object; }

std::uint64_t addressOf(const char* kernel) {
  const auto* function = reinterpret_cast<const std::byte*>(testKernel(kernel).function());
  Dl_info info;
  EXPECT_NE(dladdr(function, &info), 0);
  return static_cast<std::uint64_t>(function - static_cast<const std::byte*>(info.dli_fbase));
}

/// The line of kernels.c with this text, counted from 1 on.
std::size_t lineOf(const std::string& text) {
  const std::string source = readTextFile(CLOTHO_TEST_KERNELS_SOURCE);
  const std::size_t at = source.find(text);
  EXPECT_NE(at, std::string::npos);
  return static_cast<std::size_t>(std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at), '\n')) +
         1;
}

// What stands there is the function's first line, or its first statement.
TEST(SourceLine, OfTheFirstInstructionOfAFunction) {
  for (const char* kernel : {"divide", "work"}) {
    const std::string line = sourceLineOf(object(), addressOf(kernel));
    const std::size_t at = line.rfind("kernels.c:");
    ASSERT_NE(at, std::string::npos) << line;
    const std::size_t number = std::stoul(line.substr(at + std::string("kernels.c:").size()));
    const std::size_t first = lineOf(std::string("KERNEL(") + kernel + ")");
    EXPECT_GE(number, first) << kernel;
    EXPECT_LE(number, first + 1) << kernel;
  }
}

TEST(SourceLine, UnknownIsEmpty) {
  EXPECT_EQ(sourceLineOf(object(), UINT64_MAX), "");
  EXPECT_EQ(sourceLineOf("", 0), "");
  EXPECT_EQ(sourceLineOf("no object", 0), "");
}

TEST(SourceLine, DamagedObjectsAreNotFollowedBeyondTheirEnd) {
  const std::string whole = object();
  const std::uint64_t address = addressOf("illegal");
  for (std::size_t size = 0; size < whole.size(); size += 61)
    static_cast<void>(sourceLineOf(std::string(whole, 0, size), address));
  std::uint32_t random = 1;
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = whole;
    for (int k = 0; k < 8; ++k) {
      random = random * 1664525 + 1013904223;
      damaged[random % damaged.size()] = static_cast<char>(random >> 24);
    }
    static_cast<void>(sourceLineOf(damaged, address));
  }
}

} // namespace
} // namespace clotho::cpu
