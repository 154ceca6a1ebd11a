// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/reserved_memory.hpp"

#include "base/memory_lock.hpp"

#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

namespace clotho {

namespace {

/// Null on failure.
std::byte* mapInaccessible(std::size_t size, int flags) noexcept {
  void* memory = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

} // namespace

std::size_t ReservedMemory::pageSize() noexcept { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

ReservedMemory ReservedMemory::reserve(std::size_t size, int flags) noexcept {
  ReservedMemory range;
  const std::size_t page = pageSize();
  if (size > SIZE_MAX - page) return range;
  size = toPages(size);
  std::byte* memory = mapInaccessible(size, flags);
  if (memory) {
    // A locked mapping counts against RLIMIT_MEMLOCK as a whole, whether it can be accessed or not.
    range.isForLocking_ = isLocked(memory);
    if (range.isForLocking_) munlock(memory, size);
  } else {
    // The limit on locked memory may be what forbids the mapping. Then one page is mapped and unlocked, and grows: an
    // unlocked mapping grows to an unlocked one.
    memory = mapInaccessible(page, flags);
    if (!memory) return range;
    range.isForLocking_ = isLocked(memory);
    if (range.isForLocking_) munlock(memory, page);
    void* grown = range.isForLocking_ ? mremap(memory, page, size, MREMAP_MAYMOVE) : MAP_FAILED;
    if (grown == MAP_FAILED) {
      munmap(memory, page);
      return {};
    }
    memory = static_cast<std::byte*>(grown);
  }
  range.base_ = memory;
  range.size_ = size;
  return range;
}

void ReservedMemory::release() noexcept {
  if (base_) munmap(base_, size_);
  base_ = nullptr;
  size_ = 0;
}

bool ReservedMemory::makeUsable(std::size_t offset, std::size_t size) const noexcept {
  if (mprotect(base_ + offset, size, PROT_READ | PROT_WRITE) != 0) return false;
  // Not all at once, as MCL_FUTURE would: most of a stack is never touched.
  if (isForLocking_) mlock2(base_ + offset, size, MLOCK_ONFAULT);
  return true;
}

} // namespace clotho
