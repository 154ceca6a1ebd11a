// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <sys/resource.h>

namespace clotho {

/// Whether a file may have so many bytes, one in memory included. Writing past the limit (RLIMIT_FSIZE) would raise
/// SIGXFSZ in the application, so every file of ours is asked about before it is written.
inline bool isWithinFileSizeLimit(std::size_t size) noexcept {
  rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur;
}

} // namespace clotho
