// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cluster/window.hpp"

#include <algorithm>
#include <sys/mman.h>

namespace clotho::cluster {

Window::Window(std::uint64_t size, std::uint64_t base) noexcept {
  size = roomFor(size);
  void* const wanted = reinterpret_cast<void*>(base); // NOLINT(performance-no-int-to-ptr): an address
  const int fixed = base != 0 ? MAP_FIXED_NOREPLACE : 0;
  void* memory = mmap(wanted, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
  if (memory == MAP_FAILED) return;
  if (base != 0 && memory != wanted) { // by a system that does not know the flag
    munmap(memory, size);
    return;
  }
  base_ = reinterpret_cast<std::uintptr_t>(memory);
  size_ = size;
}

Window::~Window() {
  if (size_ != 0) munmap(reinterpret_cast<void*>(base_), size_); // NOLINT(performance-no-int-to-ptr): an address
}

std::uint64_t Window::carve(std::uint64_t size, std::uint64_t alignment) {
  alignment = std::max(alignment, kPage);
  if (size > size_) return 0;
  size = roomFor(std::max<std::uint64_t>(size, 1));
  MutexLock lock(mutex_);
  std::uint64_t begin = base_;
  const auto align = [&] { begin = (begin + alignment - 1) / alignment * alignment; };
  align();
  for (const auto& [usedBegin, usedEnd] : used_) {
    if (begin <= usedBegin && usedBegin - begin >= size) break;
    begin = std::max(begin, usedEnd);
    align();
  }
  if (begin - base_ > size_ || size_ - (begin - base_) < size) return 0;
  used_.emplace(begin, begin + size);
  return begin;
}

void Window::giveBack(std::uint64_t address) noexcept {
  MutexLock lock(mutex_);
  used_.erase(address);
}

} // namespace clotho::cluster
