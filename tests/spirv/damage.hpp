// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

namespace clotho::test {

using Words = std::vector<std::uint32_t>;

/// A module of this folder with random damages; a seed always gives the same one.
Words damaged(std::uint64_t seed);
void writeModule(const Words& module, const char* path);

/// "FIRST-LAST", or one number.
struct Seeds {
  std::uint64_t first = 0, last = 0;
};
Seeds seedsOf(const char* text);

} // namespace clotho::test
