// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/host_pages.hpp"

#include "device/cuda/addresses.hpp"
#include "device/cuda/staging.hpp"

#include <bit>
#include <new>

namespace clotho::cuda {

bool PinnedPages::pin(void* memory, std::size_t size) noexcept {
  if (size <= Staging::kMost) return false;
  Addresses& addresses = Addresses::get();
  if (addresses.kindOf(memory, size) != Addresses::Kind::Pageable) return false;
  const Context::Current current(context_);
  if (context_.isLost()) return false;
  // It may be refused, for example where a page is pinned already: then copies are slower.
  if (context_.api().memHostRegister(memory, size, kHostRegisterPortable) != CUresult::Success) return false;
  try {
    MutexLock lock(mutex_);
    pinned_.insert(memory);
    addresses.add(std::bit_cast<std::uintptr_t>(memory), size, Addresses::Kind::Pinned);
    return true;
  } catch (const std::bad_alloc&) {
    MutexLock lock(mutex_);
    pinned_.erase(memory);
    context_.api().memHostUnregister(memory);
    return false;
  }
}

bool PinnedPages::unpin(void* memory) noexcept {
  {
    MutexLock lock(mutex_);
    if (pinned_.erase(memory) == 0) return true;
  }
  if (context_.loss() == CUresult::LaunchTimeout) return false;
  Addresses::get().remove(std::bit_cast<std::uintptr_t>(memory));
  if (const Context::Current current(context_); !context_.isLost())
    context_.succeeded(context_.api().memHostUnregister(memory));
  return true;
}

bool ManagedMemory::reserve(std::size_t size) {
  MutexLock lock(mutex_);
  if (size > limit_ - reserved_) return false;
  reserved_ += size;
  return true;
}

void ManagedMemory::release(std::size_t size) {
  MutexLock lock(mutex_);
  reserved_ -= size;
}

void* ManagedMemory::allocate(std::size_t size, std::size_t alignment, bool isOwned) noexcept {
  constexpr std::size_t kDriversAlignment = 256;
  const Driver& api = context_.api();
  const Context::Current current(context_);
  if (context_.isLost()) return nullptr;
  const std::size_t extra = alignment > kDriversAlignment ? alignment : 0;
  if (!reserve(size + extra)) return nullptr;
  CUdeviceptr address = 0;
  if (!context_.succeeded(api.memAllocManaged(&address, size + extra, kAttachGlobal))) {
    release(size + extra);
    return nullptr;
  }
  const CUdeviceptr aligned = extra ? (address + extra - 1) / extra * extra : address;
  void* memory = std::bit_cast<void*>(aligned);
  try {
    MutexLock lock(mutex_);
    allocations_.emplace(memory, Allocation{address, size + extra});
    Addresses::get().add(aligned, size, Addresses::Kind::Device);
  } catch (const std::bad_alloc&) {
    MutexLock lock(mutex_);
    allocations_.erase(memory);
    reserved_ -= size + extra;
    api.memFree(address);
    return nullptr;
  }
  // Only advice: where it is not taken, pages come when they are used.
  if (isOwned) api.memAdvise(aligned, size, MemoryAdvice::SetPreferredLocation, device_);
  return memory;
}

void ManagedMemory::deallocate(void* memory) noexcept {
  Addresses::get().remove(std::bit_cast<std::uintptr_t>(memory));
  Allocation allocation{};
  {
    MutexLock lock(mutex_);
    const auto found = allocations_.find(memory);
    if (found == allocations_.end()) return;
    allocation = found->second;
    allocations_.erase(found);
  }
  if (const Context::Current current(context_); !context_.isLost())
    context_.succeeded(context_.api().memFree(allocation.address));
  release(allocation.size);
}

} // namespace clotho::cuda
