// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/required_sub_groups.hpp"

#include <algorithm>

namespace clotho::api {

namespace {

/// The first of all local sizes, by falling extents of the dimensions in their order, that will do.
bool findLocalSize(const RequiredSubGroups& required, bool divides, NDRange& range) noexcept {
  const std::uint64_t most = required.count * required.size, tooFew = most - required.size;
  const auto mayBe = [&](std::size_t i) { return !divides || range.global[i] % range.local[i] == 0; };
  auto& [x, y, z] = range.local;
  for (x = std::min(range.global[0], most); x > 0; --x) {
    if (!mayBe(0)) continue;
    for (y = std::min(range.global[1], most / x); y > 0; --y) {
      if (!mayBe(1)) continue;
      for (z = std::min(range.global[2], most / (x * y)); x * y * z > tooFew; --z)
        if (mayBe(2) && allGroupsHave(required, range)) return true;
    }
  }
  return false;
}

} // namespace

bool allGroupsHave(const RequiredSubGroups& required, const NDRange& range) noexcept {
  const Boxes boxes(range);
  for (unsigned i = 0; i < boxes.count(); ++i) {
    const Box box = boxes[i];
    if (box.count(0) == 0 || box.count(1) == 0 || box.count(2) == 0) continue;
    if ((box.items() + required.size - 1) / required.size != required.count) return false;
  }
  return true;
}

void chooseLocalSize(const RequiredSubGroups& required, std::uint64_t largest, bool allowsNonUniform,
                     NDRange& range) noexcept {
  const std::uint64_t whole = required.count * required.size;
  if (whole <= largest) {
    if (findLocalSize(required, /*divides=*/true, range)) return;
    if (allowsNonUniform && findLocalSize(required, /*divides=*/false, range)) return;
  }
  range.local = {whole, 1, 1};
}

} // namespace clotho::api
