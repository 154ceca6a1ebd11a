// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/host_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

namespace clotho {

namespace {

/// The largest OpenCL type (double16, long16).
constexpr std::size_t kLeastAlignment = 128;
constexpr std::size_t kMappedFrom = std::size_t{1} << 20;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kHugeFrom = 2 * kHugePage;

std::size_t toPages(std::size_t size) noexcept {
  auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (size + page - 1) / page * page;
}

/// A mapping with any alignment: what is too much at both ends goes back.
void* map(std::size_t size, std::size_t alignment) noexcept {
  size = toPages(size);
  std::size_t extra = alignment > toPages(1) ? alignment : 0;
  void* raw = mmap(nullptr, size + extra, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  auto* begin = static_cast<std::byte*>(raw);
  std::size_t before = extra ? (alignment - reinterpret_cast<std::uintptr_t>(begin) % alignment) % alignment : 0;
  std::size_t behind = extra - before;
  if (before) munmap(begin, before);
  if (behind) munmap(begin + before + size, behind);
  return begin + before;
}

} // namespace

void* HostMemory::allocate(std::size_t size, std::size_t alignment) noexcept {
  std::uint64_t before = used_.load(std::memory_order_relaxed);
  do
    if (size > limit_ || before > limit_ - size) return nullptr;
  while (!used_.compare_exchange_weak(before, before + size, std::memory_order_relaxed));

  alignment = std::max(alignment, kLeastAlignment);
  void* memory = nullptr;
  if (size >= kHugeFrom) {
    memory = map(size, std::max(alignment, kHugePage));
    if (memory) madvise(memory, toPages(size), MADV_HUGEPAGE);
  }
  if (!memory && size >= kMappedFrom)
    memory = map(size, alignment);
  else if (!memory && posix_memalign(&memory, alignment, size) != 0)
    memory = nullptr;
  if (!memory) used_.fetch_sub(size, std::memory_order_relaxed);
  return memory;
}

void HostMemory::deallocate(void* memory, std::size_t size) noexcept {
  if (!memory) return;
  if (size >= kMappedFrom)
    munmap(memory, toPages(size));
  else
    std::free(memory);
  used_.fetch_sub(size, std::memory_order_relaxed);
}

} // namespace clotho
