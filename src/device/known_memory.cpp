// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/known_memory.hpp"

#include <iterator>

namespace clotho {

KnownMemory& KnownMemory::get() {
  static auto* const memory = new KnownMemory; // outlives the last launch
  return *memory;
}

void KnownMemory::add(const void* begin, std::size_t size, std::size_t zone) {
  MutexLock lock(mutex_);
  entries_.insert_or_assign(reinterpret_cast<std::uintptr_t>(begin), Entry{size, zone});
}

void KnownMemory::free(const void* begin) noexcept {
  MutexLock lock(mutex_);
  const auto found = entries_.find(reinterpret_cast<std::uintptr_t>(begin));
  if (found != entries_.end()) found->second.isFreed = true;
}

void KnownMemory::forget(const void* begin) noexcept {
  MutexLock lock(mutex_);
  entries_.erase(reinterpret_cast<std::uintptr_t>(begin));
}

KnownMemory::Found KnownMemory::find(std::uintptr_t address) const {
  MutexLock lock(mutex_);
  const auto next = entries_.upper_bound(address);
  if (next != entries_.begin()) {
    const auto& [begin, entry] = *std::prev(next);
    const std::size_t offset = address - begin;
    if (offset < entry.size) return {entry.isFreed ? State::Freed : State::Live, begin, entry.size, entry.zone};
    if (offset < entry.size + entry.zone) return {State::Beside, begin, entry.size, entry.zone};
  }
  if (next != entries_.end() && next->first - address <= next->second.zone)
    return {State::Beside, next->first, next->second.size, next->second.zone};
  return {};
}

} // namespace clotho
