// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/addresses.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <iterator>
#include <new>

namespace clotho::cuda {

Addresses& Addresses::get() noexcept {
  // Never destroyed: threads may copy until the process ends.
  alignas(Addresses) static constinit std::array<std::byte, sizeof(Addresses)> memory{};
  static auto* const made = new (memory.data()) Addresses;
  return *made;
}

void Addresses::add(std::uintptr_t begin, std::size_t size, Kind kind) {
  MutexLock lock(mutex_);
  ranges_.insert_or_assign(begin, Bytes{size, kind});
}

void Addresses::remove(std::uintptr_t begin) noexcept {
  MutexLock lock(mutex_);
  ranges_.erase(begin);
}

Addresses::Kind Addresses::kindOf(const void* begin, std::size_t size) const noexcept {
  const auto at = std::bit_cast<std::uintptr_t>(begin);
  MutexLock lock(mutex_);
  auto next = ranges_.upper_bound(at);
  if (next == ranges_.begin()) return Kind::Pageable;
  const auto& [first, bytes] = *std::prev(next);
  return at - first < bytes.size && size <= bytes.size - (at - first) ? bytes.kind : Kind::Pageable;
}

} // namespace clotho::cuda
