// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/file.hpp"
#include "fixture.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

/// The files that tests of captured launches find, in the folder of CLOTHO_CAPTURE.
namespace clotho::test {

namespace fs = std::filesystem;

inline fs::path folder() {
  const char* text = std::getenv("CLOTHO_CAPTURE");
  const std::string setting = text ? text : "";
  return setting.substr(0, setting.find(":launch"));
}

inline void removeOldFiles() {
  std::error_code ignored;
  fs::remove_all(folder(), ignored);
}

/// The capture of a kernel's launch, which is complete when the launch is.
inline std::optional<capture::Contents> captureOf(const std::string& kernel, int launch = 1) {
  const fs::path path = folder() / (kernel + "-" + std::to_string(launch) + ".capture");
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::string why;
  auto contents = capture::parse(bytes, why);
  EXPECT_TRUE(contents) << path << ": " << why;
  return contents;
}

/// A list of one handle, for calls that take lists or addresses of handles.
template <class T> std::array<T, 1> one(const Owned<T>& handle) { return {handle.get()}; }

template <class T> std::vector<T> numbers(const std::string& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

#define CAPTURE_OF(name, ...)                                                                                          \
  const auto name = captureOf(__VA_ARGS__);                                                                            \
  ASSERT_TRUE(name)

} // namespace clotho::test
