// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/device_queue.h"
#include "base/reserved_memory.hpp"
#include "device/device.hpp"

namespace clotho::cpu {

/// A queue that kernels enqueue to: a pool of records, in which the kernels that have been enqueued lie until they are
/// complete.
class CpuOnDeviceQueue final : public OnDeviceQueue {
 public:
  /// CL_OUT_OF_RESOURCES without memory.
  explicit CpuOnDeviceQueue(const OnDeviceQueueTraits& traits);

  std::uint64_t handle() const noexcept override { return reinterpret_cast<std::uintptr_t>(memory_.base()); }
  DeviceQueueState& state() const noexcept { return *reinterpret_cast<DeviceQueueState*>(memory_.base()); }
  static CpuOnDeviceQueue& of(const EnqueuedKernel& record) noexcept {
    return *pointerTo<CpuOnDeviceQueue>(pointerTo<const DeviceQueueState>(record.queue)->object);
  }

 private:
  ~CpuOnDeviceQueue() override { memory_.release(); }

  ReservedMemory memory_;
};

} // namespace clotho::cpu
