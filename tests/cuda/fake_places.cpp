// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fake driver's memory without addresses, and addresses without memory.
#include "fake_world.hpp"

#include <cstring>
#include <sys/mman.h>

using namespace fake_cuda; // NOLINT(google-build-using-namespace): this is a part of it
using clotho::cuda::AllocationProperties;
using clotho::cuda::CUmemHandle;
using clotho::cuda::PoolAccess;

namespace {

constexpr std::size_t kGranule = std::size_t{2} << 20;

/// Ranges of addresses that are reserved, and which of them have memory. Under the world's lock.
std::map<CUdeviceptr, std::size_t>& reserved() {
  static auto* const ranges = new std::map<CUdeviceptr, std::size_t>;
  return *ranges;
}
std::set<CUdeviceptr>& mapped() {
  static auto* const addresses = new std::set<CUdeviceptr>;
  return *addresses;
}

void* at(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

bool isReserved(CUdeviceptr address, std::size_t bytes) {
  const auto found = reserved().find(address);
  return found != reserved().end() && found->second == bytes;
}

} // namespace

// NOLINTBEGIN(readability-identifier-naming): CUDA's names
/// Takes the wanted address as a wish, as CUDA does.
API cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t, CUdeviceptr wanted, std::uint64_t) {
  if (const int error = ready()) return error;
  if (bytes == 0 || bytes % kGranule != 0) return kInvalidValue;
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* memory = mmap(at(wanted), bytes, PROT_NONE, kFlags | MAP_FIXED_NOREPLACE, -1, 0);
  if (wanted == 0 || memory == MAP_FAILED) memory = mmap(nullptr, bytes, PROT_NONE, kFlags, -1, 0);
  if (memory == MAP_FAILED) return kOutOfMemory;
  *address = reinterpret_cast<CUdeviceptr>(memory);
  const std::lock_guard lock(world().mutex);
  reserved()[*address] = bytes;
  return kSuccess;
}
API cuMemAddressFree(CUdeviceptr address, std::size_t bytes) {
  const std::lock_guard lock(world().mutex);
  if (!isReserved(address, bytes) || mapped().contains(address)) return kInvalidValue;
  reserved().erase(address);
  munmap(at(address), bytes);
  return kSuccess;
}
API cuMemCreate(CUmemHandle* memory, std::size_t bytes, const AllocationProperties* properties, std::uint64_t) {
  if (const int error = ready()) return error;
  if (properties->allocationType != 1 || properties->locationType != 1 || bytes % kGranule != 0) return kInvalidValue;
  const std::lock_guard lock(world().mutex);
  if (world().used + world().kept + bytes > memorySize()) return kOutOfMemory;
  *memory = bytes;
  return kSuccess;
}
API cuMemRelease(CUmemHandle memory) { return memory ? kSuccess : kInvalidValue; }
API cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t offset, CUmemHandle memory, std::uint64_t) {
  const std::lock_guard lock(world().mutex);
  if (offset != 0 || bytes != memory || !isReserved(address, bytes) || !mapped().insert(address).second)
    return kInvalidValue;
  world().used += bytes;
  return kSuccess;
}
API cuMemSetAccess(CUdeviceptr address, std::size_t bytes, const PoolAccess* access, std::size_t count) {
  const std::lock_guard lock(world().mutex);
  if (count != 1 || access->flags != 3 || !isReserved(address, bytes) || !mapped().contains(address))
    return kInvalidValue;
  if (mprotect(at(address), bytes, PROT_READ | PROT_WRITE) != 0) return kOutOfMemory;
  std::memset(at(address), 0xdb, kGranule); // what was never moved here is to be recognised
  world().memory[address] = bytes;
  return kSuccess;
}
/// Waits for all streams, as CUDA does.
API cuMemUnmap(CUdeviceptr address, std::size_t bytes) {
  std::vector<Stream*> streams;
  {
    const std::lock_guard lock(world().mutex);
    streams.assign(world().streams.begin(), world().streams.end());
  }
  for (Stream* each : streams)
    each->synchronize();
  const std::lock_guard lock(world().mutex);
  if (!isReserved(address, bytes) || mapped().erase(address) == 0) return kInvalidValue;
  world().memory.erase(address);
  world().used -= bytes;
  mmap(at(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  return kSuccess;
}
// NOLINTEND(readability-identifier-naming)
