// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cluster/window.hpp"

#include <algorithm>
#include <sys/mman.h>

namespace clotho::cluster {

std::uint64_t Window::reserve(std::uint64_t base, std::uint64_t size, int flags) noexcept {
  void* const wanted = reinterpret_cast<void*>(base); // NOLINT(performance-no-int-to-ptr): an address
  void* const memory = mmap(wanted, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  return memory == MAP_FAILED ? 0 : reinterpret_cast<std::uintptr_t>(memory);
}

Window::Window(std::uint64_t size, std::uint64_t alignment) noexcept {
  size = roomFor(size);
  const std::uint64_t room = size + alignment - kPage;
  const std::uint64_t begin = reserve(0, room, 0);
  if (begin == 0) return;
  base_ = (begin + alignment - 1) / alignment * alignment;
  size_ = size;
  const auto giveBack = [](std::uint64_t from, std::uint64_t to) {
    if (from < to) munmap(reinterpret_cast<void*>(from), to - from); // NOLINT(performance-no-int-to-ptr): an address
  };
  giveBack(begin, base_);
  giveBack(base_ + size, begin + room);
}

Window::Window(std::uint64_t size, At place) noexcept {
  size = roomFor(size);
  const std::uint64_t begin = reserve(place.base, size, MAP_FIXED_NOREPLACE);
  if (begin == 0) return;
  base_ = begin;
  size_ = size;
  if (begin == place.base) return;
  munmap(reinterpret_cast<void*>(begin), size); // NOLINT(performance-no-int-to-ptr): by a system without the flag
  base_ = size_ = 0;
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
