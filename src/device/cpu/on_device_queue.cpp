// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/on_device_queue.hpp"

#include <algorithm>

namespace clotho::cpu {

CpuOnDeviceQueue::CpuOnDeviceQueue(const OnDeviceQueueTraits& traits) {
  const std::size_t records = std::clamp<std::size_t>(traits.bytes / kQueueRecordBytes, 1, UINT32_MAX);
  const std::size_t header = ReservedMemory::toPages(sizeof(DeviceQueueState));
  memory_ = ReservedMemory::reserve(header + records * kQueueRecordBytes);
  check(memory_.base() != nullptr, CL_OUT_OF_RESOURCES, "no addresses for a queue on the device");
  if (!memory_.makeUsable(0, memory_.size())) {
    memory_.release();
    throw Error{CL_OUT_OF_RESOURCES, "no memory for a queue on the device"};
  }
  DeviceQueueState& made = state();
  made.records.count = static_cast<std::uint32_t>(records);
  made.records.base = reinterpret_cast<std::uintptr_t>(memory_.base() + header);
  made.records.stride = kQueueRecordBytes;
  made.object = reinterpret_cast<std::uintptr_t>(this);
  made.isTimed = traits.isTimed ? 1 : 0;
}

} // namespace clotho::cpu
