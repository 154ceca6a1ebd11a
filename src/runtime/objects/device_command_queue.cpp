// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/objects/device_command_queue.hpp"

#include "runtime/process.hpp"

#include <algorithm>
#include <utility>

namespace clotho {

DeviceCommandQueue::DeviceCommandQueue(Context& context, Device& device, Traits traits)
    : context_(context), device_(device), traits_(std::move(traits)) {
  context.deviceQueues().count(device, isDefault());
  try {
    onDevice_ = device.deviceEnqueue()->makeOnDeviceQueue(
        {.bytes = traits_.bytes, .isTimed = (traits_.properties & CL_QUEUE_PROFILING_ENABLE) != 0});
  } catch (...) {
    context.deviceQueues().forget(device, *this);
    throw;
  }
}

DeviceCommandQueue::~DeviceCommandQueue() { context_->deviceQueues().forget(*device_, *this); }

void DeviceCommandQueue::destroy() noexcept { Process::get().slab<DeviceCommandQueue>().destroy(this); }

DeviceCommandQueues::OfDevice* DeviceCommandQueues::find(const Device& device) {
  const auto place =
      std::find_if(devices_.begin(), devices_.end(), [&](const OfDevice& each) { return each.device == &device; });
  return place == devices_.end() ? nullptr : &*place;
}

Ref<DeviceCommandQueue> DeviceCommandQueues::defaultOf(const Device& device) {
  MutexLock lock(mutex_);
  const OfDevice* known = find(device);
  if (!known || !known->defaultQueue) return {};
  return Ref<DeviceCommandQueue>::ifAlive(known->defaultQueue);
}

void DeviceCommandQueues::setDefault(DeviceCommandQueue& queue) noexcept {
  MutexLock lock(mutex_);
  find(queue.device())->defaultQueue = &queue;
}

Ref<DeviceCommandQueue> DeviceCommandQueues::defaultOrNew(Context& context, Device& device,
                                                          DeviceCommandQueue::Traits traits) {
  MutexLock lock(creation_);
  if (Ref<DeviceCommandQueue> known = defaultOf(device)) return known;
  Ref<DeviceCommandQueue> made = make<DeviceCommandQueue>(context, device, std::move(traits));
  setDefault(*made);
  return made;
}

void DeviceCommandQueues::count(const Device& device, bool isDefault) {
  MutexLock lock(mutex_);
  OfDevice* known = find(device);
  if (!known) known = &devices_.emplace_back(OfDevice{&device});
  if (isDefault) return;
  check(known->count < device.properties().onDeviceQueues.queues, CL_OUT_OF_RESOURCES,
        "the context has CL_DEVICE_MAX_ON_DEVICE_QUEUES queues on the device");
  ++known->count;
}

void DeviceCommandQueues::forget(const Device& device, const DeviceCommandQueue& queue) noexcept {
  MutexLock lock(mutex_);
  OfDevice& known = *find(device);
  if (!queue.isDefault()) --known.count;
  if (known.defaultQueue == &queue) known.defaultQueue = nullptr;
}

} // namespace clotho
