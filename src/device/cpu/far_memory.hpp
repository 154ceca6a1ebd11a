// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/device.hpp"
#include "device/device_memory.hpp"
#include "device/host_memory.hpp"

#include <memory>

namespace clotho::cpu {

class CpuDevice;

/// A home of its own for a CPU device that is to behave as if its memory were far away. It is memory of the process all
/// the same, so the device itself moves bytes between it and the host's.
class FarMemory final : public DeviceMemory {
 public:
  FarMemory(CpuDevice& device, std::uint64_t limit, std::unique_ptr<DeviceQueue> transfers)
      : device_(device), memory_(limit), transfers_(std::move(transfers)) {}

  void* allocate(std::size_t size, std::size_t alignment) noexcept override;
  void deallocate(void* memory, std::size_t size) noexcept override { memory_.deallocate(memory, size); }
  bool write(void* to, const void* from, std::size_t size) noexcept override;
  DeviceQueue& transfers() noexcept override { return *transfers_; }
  /// Devices with streams copy from each other, as GPUs do.
  bool canCopyFrom(const DeviceMemory& other) const noexcept override;

 private:
  CpuDevice& device_;
  HostMemory memory_;
  const std::unique_ptr<DeviceQueue> transfers_;
};

} // namespace clotho::cpu
