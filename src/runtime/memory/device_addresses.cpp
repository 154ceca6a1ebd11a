// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/device_addresses.hpp"

#include "runtime/memory/memory.hpp"

#include <iterator>

namespace clotho {

void DeviceAddresses::add(MemoryObject& buffer, HomeId home, const std::byte* begin) {
  MutexLock lock(mutex_);
  buffers_.emplace(Place{home, reinterpret_cast<std::uintptr_t>(begin)}, &buffer);
}

void DeviceAddresses::remove(const MemoryObject& buffer) noexcept {
  MutexLock lock(mutex_);
  std::erase_if(buffers_, [&](const auto& entry) { return entry.second == &buffer; });
}

Ref<MemoryObject> DeviceAddresses::find(HomeId home, const void* pointer) const {
  const auto number = reinterpret_cast<std::uintptr_t>(pointer);
  MutexLock lock(mutex_);
  for (auto next = buffers_.upper_bound({home, number}); next != buffers_.begin();) {
    const auto& [place, buffer] = *--next;
    if (place.first != home || number - place.second >= buffer->size()) return nullptr;
    if (Ref<MemoryObject> alive = Ref<MemoryObject>::ifAlive(buffer)) return alive;
  }
  return nullptr;
}

} // namespace clotho
