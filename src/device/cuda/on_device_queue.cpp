// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/on_device_queue.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace clotho::cuda {

CudaOnDeviceQueue::CudaOnDeviceQueue(Context& context, const OnDeviceQueueTraits& traits)
    : context_(context), isTimed_(traits.isTimed),
      count_(2 * static_cast<std::uint32_t>(std::clamp<std::size_t>(traits.bytes / kQueueRecordBytes, 1, 1U << 30))),
      memory_(context.allocate(kHeader + count_ * kStride)) {
  check(memory_ != 0, CL_OUT_OF_RESOURCES, "no memory for a queue on the device");
}

DeviceQueueState CudaOnDeviceQueue::initialState() const noexcept {
  DeviceQueueState state{};
  state.records.count = count_;
  state.records.base = record(0);
  state.records.stride = kStride;
  state.isTimed = isTimed_ ? 1 : 0;
  return state;
}

std::uint32_t CudaOnDeviceQueue::indexOf(CUdeviceptr address) const noexcept {
  if (address < record(0) || (address - record(0)) % kStride != 0) return count_;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>((address - record(0)) / kStride, count_));
}

} // namespace clotho::cuda
