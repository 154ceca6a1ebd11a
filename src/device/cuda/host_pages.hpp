// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "device/cuda/context.hpp"

#include <cstddef>
#include <map>
#include <set>

namespace clotho::cuda {

/// Pages of the host's that the driver has pinned for us. Copies between them and GPUs are commands in a stream and run
/// at the full speed of the bus.
class PinnedPages {
 public:
  explicit PinnedPages(Context& context) : context_(context) {}

  /// False if the memory is small, which Staging serves, or is pinned, or cannot be.
  bool pin(void* memory, std::size_t size) noexcept EXCLUDES(mutex_);
  /// Undoes it; nothing for other memory. No copy uses the memory any more.
  /// False if a command that has run for too long may still copy from there, or to it.
  bool unpin(void* memory) noexcept EXCLUDES(mutex_);

 private:
  Context& context_;
  Mutex mutex_;
  std::set<void*> pinned_ GUARDED_BY(mutex_);
};

/// Memory that the host and all GPUs address alike, and whose pages the driver moves to where they are used. There is
/// no more of it than the device's memory, though the driver would give out more than the machine has.
class ManagedMemory {
 public:
  /// `limit`: bytes that may be allocated at the same time.
  ManagedMemory(Context& context, CUdevice device, std::size_t limit)
      : context_(context), device_(device), limit_(limit) {}

  /// `isOwned`: it lies on the device unless others use it. Null when there is not so much left.
  void* allocate(std::size_t size, std::size_t alignment, bool isOwned) noexcept EXCLUDES(mutex_);
  void deallocate(void* memory) noexcept EXCLUDES(mutex_);

 private:
  Context& context_;
  const CUdevice device_;
  const std::size_t limit_;
  /// An allocation as the driver knows it.
  struct Allocation {
    CUdeviceptr address;
    std::size_t size;
  };
  bool reserve(std::size_t size) EXCLUDES(mutex_);
  void release(std::size_t size) EXCLUDES(mutex_);

  Mutex mutex_;
  std::size_t reserved_ GUARDED_BY(mutex_) = 0;
  std::map<void*, Allocation> allocations_ GUARDED_BY(mutex_); // by our address, which is aligned
};

} // namespace clotho::cuda
