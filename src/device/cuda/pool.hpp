// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cuda/driver.hpp"

#include <cstddef>

namespace clotho::cuda {

/// A GPU's memory, from a pool of the driver's. Unlike cuMemFree(), which waits for all that the GPU does, nothing here
/// waits for a stream in which commands are: what is freed by the host is known to be in use no more.
///
/// Memory comes from cuMemAlloc() if the driver has no pools. The device's context is current in each call.
class MemoryPool {
 public:
  MemoryPool(const Driver& api, CUdevice device) noexcept;
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// Lets another GPU copy from the memory over the bus between both, which needs what cuCtxEnablePeerAccess() gives,
  /// too.
  CUresult allowAccess(CUdevice peer) noexcept;
  /// Memory for all streams. Gives back to the system what is free before it fails.
  CUresult allocate(CUdeviceptr& address, std::size_t bytes) noexcept;
  CUresult deallocate(CUdeviceptr address) noexcept;
  /// Memory for what comes next in the stream, until it is freed there.
  CUresult allocate(CUdeviceptr& address, std::size_t bytes, CUstream stream) noexcept;
  CUresult deallocate(CUdeviceptr address, CUstream stream) noexcept;

 private:
  const Driver& api_;
  CUmemoryPool pool_ = nullptr; // null: there are no pools
  CUstream stream_ = nullptr;   // in which nothing but this class's own calls is
};

} // namespace clotho::cuda
