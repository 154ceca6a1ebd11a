// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/device_queue.h"
#include "device/cuda/context.hpp"
#include "device/device.hpp"

namespace clotho::cuda {

/// A queue that kernels of a GPU enqueue to: records in the device's memory. Kernels take records from the begin on and
/// give none back. The device begins again when half of them are used, with the literals of what is still to run moved
/// elsewhere. So there is room for as many as CL_QUEUE_SIZE says before each generation of kernels, which share it.
class CudaOnDeviceQueue final : public OnDeviceQueue {
 public:
  static constexpr std::uint64_t kStride = sizeof(EnqueuedKernel); ///< from one record to the next

  /// Throws CL_OUT_OF_RESOURCES.
  CudaOnDeviceQueue(Context& context, const OnDeviceQueueTraits& traits);

  std::uint64_t handle() const noexcept override { return memory_; }
  /// The state that kernels find at the handle.
  DeviceQueueState initialState() const noexcept;
  bool isTimed() const noexcept { return isTimed_; }
  CUdeviceptr record(std::uint32_t index) const noexcept { return memory_ + kHeader + index * kStride; }
  /// The number of the record with this address; `count` if there is none.
  std::uint32_t indexOf(CUdeviceptr address) const noexcept;
  std::uint32_t count() const noexcept { return count_; }

 private:
  static constexpr std::uint64_t kHeader = 256;
  static_assert(kStride % 128 == 0 && sizeof(DeviceQueueState) <= kHeader, "literals are aligned for each type");
  ~CudaOnDeviceQueue() override { context_.deallocate(memory_); }

  Context& context_;
  const bool isTimed_;
  const std::uint32_t count_;
  CUdeviceptr memory_ = 0;
};

} // namespace clotho::cuda
