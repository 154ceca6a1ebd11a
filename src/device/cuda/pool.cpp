// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/pool.hpp"

namespace clotho::cuda {

namespace {

/// Bytes that stay with the process when they are free: enough for what programs make and release again and again, and
/// little for others that use the GPU.
constexpr std::uint64_t kKept = std::uint64_t{1} << 30;

} // namespace

MemoryPool::MemoryPool(const Driver& api, CUdevice device) noexcept : api_(api) {
  int hasPools = 0;
  if (api_.deviceGetAttribute(&hasPools, DeviceAttribute::MemoryPoolsSupported, device) != CUresult::Success ||
      !hasPools || api_.streamCreate(&stream_, kStreamNonBlocking) != CUresult::Success)
    return;
  const PoolProperties properties{.locationId = device};
  if (api_.memPoolCreate(&pool_, &properties) != CUresult::Success) {
    pool_ = nullptr;
    return;
  }
  std::uint64_t kept = kKept;
  api_.memPoolSetAttribute(pool_, PoolAttribute::ReleaseThreshold, &kept);
  // An allocation must not have to wait for another stream's commands because it gets memory that was freed behind
  // them.
  int waits = 0;
  api_.memPoolSetAttribute(pool_, PoolAttribute::ReuseAllowInternalDependencies, &waits);
}

CUresult MemoryPool::allowAccess(CUdevice peer) noexcept {
  const PoolAccess access{.locationId = peer};
  return pool_ ? api_.memPoolSetAccess(pool_, &access, 1) : CUresult::Success;
}

CUresult MemoryPool::allocate(CUdeviceptr& address, std::size_t bytes) noexcept {
  if (!pool_) return api_.memAlloc(&address, bytes);
  const CUresult result = allocate(address, bytes, stream_);
  // Other streams may use the memory when this one has got to it, which is at once.
  return result == CUresult::Success ? api_.streamSynchronize(stream_) : result;
}

CUresult MemoryPool::deallocate(CUdeviceptr address) noexcept {
  return pool_ ? api_.memFreeAsync(address, stream_) : api_.memFree(address);
}

CUresult MemoryPool::allocate(CUdeviceptr& address, std::size_t bytes, CUstream stream) noexcept {
  if (!pool_) return api_.memAlloc(&address, bytes);
  CUresult result = api_.memAllocFromPoolAsync(&address, bytes, pool_, stream);
  if (result != CUresult::OutOfMemory) return result;
  // Freed memory can be given back only when the stream has got to where it was freed.
  if (api_.streamSynchronize(stream_) == CUresult::Success && api_.memPoolTrimTo(pool_, 0) == CUresult::Success)
    result = api_.memAllocFromPoolAsync(&address, bytes, pool_, stream);
  return result;
}

CUresult MemoryPool::deallocate(CUdeviceptr address, CUstream stream) noexcept {
  if (pool_) return api_.memFreeAsync(address, stream);
  const CUresult ended = api_.streamSynchronize(stream);
  return ended == CUresult::Success ? api_.memFree(address) : ended;
}

} // namespace clotho::cuda
