// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/shared_memory.hpp"

#include <iterator>
#include <utility>

namespace clotho {

namespace {

std::uintptr_t numberOf(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

} // namespace

SharedMemory::~SharedMemory() {
  for (const auto& [begin, allocation] : allocations_)
    memory_.deallocate(allocation.begin, allocation.size);
}

void* SharedMemory::allocate(std::size_t size, std::size_t alignment, SharedTraits traits) {
  auto* begin = static_cast<std::byte*>(memory_.allocate(size, alignment));
  if (!begin) return nullptr;
  try {
    MutexLock lock(mutex_);
    allocations_.emplace(numberOf(begin), SharedAllocation{begin, size, std::move(traits)});
  } catch (...) {
    memory_.deallocate(begin, size);
    throw;
  }
  return begin;
}

bool SharedMemory::free(void* pointer) noexcept {
  Allocations::node_type freed; // its device is released without the lock
  {
    MutexLock lock(mutex_);
    freed = allocations_.extract(numberOf(pointer));
  }
  if (!freed) return false;
  memory_.deallocate(freed.mapped().begin, freed.mapped().size);
  return true;
}

SharedMemory::Allocations::const_iterator SharedMemory::around(const void* pointer) const {
  const auto next = allocations_.upper_bound(numberOf(pointer));
  if (next == allocations_.begin()) return allocations_.end();
  const auto found = std::prev(next);
  return numberOf(pointer) - found->first < found->second.size ? found : allocations_.end();
}

std::optional<SharedAllocation> SharedMemory::find(const void* pointer) const {
  MutexLock lock(mutex_);
  const auto found = around(pointer);
  if (found == allocations_.end()) return std::nullopt;
  return found->second;
}

SharedMemory::Extent SharedMemory::extentAround(const void* pointer) const {
  MutexLock lock(mutex_);
  const auto found = around(pointer);
  if (found == allocations_.end()) return {};
  return {found->first, found->first + found->second.size};
}

} // namespace clotho
