// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.hpp"

#include <cstring>

extern "C" void binary_search(const Host& host) {
  std::int32_t* found = host.get<std::int32_t>(0);
  const std::uint32_t* keys = host.get<std::uint32_t>(1);
  const std::uint32_t* sorted = host.get<std::uint32_t>(2);
  int count = host.size(0), n = host.size(1);
#pragma omp parallel for
  for (int i = 0; i < count; ++i) {
    std::uint32_t key = keys[i];
    int low = 0, high = n - 1, where = -1;
    while (low <= high) {
      int middle = (low + high) / 2;
      std::uint32_t value = sorted[middle];
      if (value == key) {
        where = middle;
        break;
      }
      if (value < key)
        low = middle + 1;
      else
        high = middle - 1;
    }
    found[i] = where;
  }
}

extern "C" void string_match(const Host& host) {
  const char* text = host.get<char>(0);
  const char* patterns = host.get<char>(1);
  const std::int32_t* starts = host.get<std::int32_t>(2);
  std::int32_t* hits = host.get<std::int32_t>(3);
  int length = host.size(0), count = host.size(1);
#pragma omp parallel for
  for (int at = 0; at < length; ++at) {
    int hit = -1;
    for (int p = 0; p < count && hit < 0; ++p) {
      int size = starts[p + 1] - starts[p];
      if (at + size > length || text[at] != patterns[starts[p]]) continue;
      if (std::memcmp(text + at, patterns + starts[p], static_cast<std::size_t>(size)) == 0) hit = p;
    }
    hits[at] = hit;
  }
}
