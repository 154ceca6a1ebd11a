// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/memory_lock.hpp"

#include "base/reserved_memory.hpp"

#include <cerrno>
#include <sys/mman.h>

namespace clotho {

/// Only a locked mapping refuses this advice. There is nothing in the page yet that it could drop.
bool isLocked(std::byte* freshPage) noexcept {
  const int before = errno;
  const bool refused = madvise(freshPage, ReservedMemory::pageSize(), MADV_DONTNEED) != 0;
  errno = before;
  return refused;
}

bool areMappingsLocked() noexcept {
  const std::size_t size = ReservedMemory::pageSize();
  void* page = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (page == MAP_FAILED) return false;
  const bool result = isLocked(static_cast<std::byte*>(page));
  munmap(page, size);
  return result;
}

} // namespace clotho
