// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

namespace clotho::test {

/// Folder in which the driver keeps its builds, in tests that have such a folder of their own.
inline std::string cacheFolder() {
  const char* folder = std::getenv("CLOTHO_CACHE_DIR");
  EXPECT_NE(folder, nullptr);
  return folder;
}

/// Number of builds in that folder.
inline std::ptrdiff_t cachedBuilds() {
  const std::filesystem::recursive_directory_iterator all(cacheFolder());
  return std::count_if(begin(all), end(all), [](const auto& entry) {
    return entry.is_regular_file() && entry.path().extension() != ".tuned";
  });
}

} // namespace clotho::test
