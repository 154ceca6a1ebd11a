// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "device/cuda/context.hpp"
#include "device/cuda/cuda_program.hpp"

#include <vector>

namespace clotho::cuda {

/// Buffers in the device's memory for what running kernels print (abi/printf.h).
class PrintBuffers {
 public:
  static constexpr std::size_t kSize = std::size_t{1} << 20; ///< CL_DEVICE_PRINTF_BUFFER_SIZE

  explicit PrintBuffers(Context& context) : context_(context) {}
  /// One that is empty for what comes next in the stream; 0 if there is no memory.
  CUdeviceptr acquire(CUstream stream) noexcept EXCLUDES(mutex_);
  /// Writes what the kernel has printed to standard output, and keeps the buffer for another launch. The context is
  /// current.
  void printAndRelease(CUdeviceptr buffer, const CudaKernel& kernel) noexcept EXCLUDES(mutex_);

 private:
  Context& context_;
  Mutex mutex_;
  std::vector<CUdeviceptr> free_ GUARDED_BY(mutex_);
};

} // namespace clotho::cuda
