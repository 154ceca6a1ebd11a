// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cluster/cluster_memory.hpp"

#include <algorithm>
#include <new>

namespace clotho::cluster {

void* ClusterMemory::allocate(std::size_t size, std::size_t alignment) noexcept {
  if (session_.isLost()) return nullptr;
  std::uint64_t before = used_.load(std::memory_order_relaxed);
  do
    if (size > limit_ || before > limit_ - size) return nullptr;
  while (!used_.compare_exchange_weak(before, before + size, std::memory_order_relaxed));

  std::uint64_t address = 0;
  try {
    address = window_.carve(size, alignment);
  } catch (const std::bad_alloc&) {
    address = 0;
  }
  if (address != 0 && !session_.tell(UseMemory{address, size})) {
    window_.giveBack(address);
    address = 0;
  }
  if (address == 0) used_.fetch_sub(size, std::memory_order_relaxed);
  return reinterpret_cast<void*>(address); // NOLINT(performance-no-int-to-ptr): an address
}

// The memory of a lost node is gone.
void ClusterMemory::deallocate(void* memory, std::size_t size) noexcept {
  if (session_.isLost()) return;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  static_cast<void>(session_.tell(FreeMemory{address}));
  window_.giveBack(address);
  used_.fetch_sub(size, std::memory_order_relaxed);
}

// Later messages come later, so the bytes are there as far as anything here can find out.
bool ClusterMemory::write(void* to, const void* from, std::size_t size) noexcept {
  auto address = reinterpret_cast<std::uintptr_t>(to);
  const auto* bytes = static_cast<const char*>(from);
  try {
    for (std::size_t part = 0; size > 0; size -= part, bytes += part, address += part) {
      part = std::min(size, kMostText);
      if (!session_.tell(WriteBytes{address, std::string(bytes, part)})) return false;
    }
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

} // namespace clotho::cluster
