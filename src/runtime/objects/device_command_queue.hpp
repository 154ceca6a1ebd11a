// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/handles.hpp"
#include "base/mutex.hpp"
#include "base/object.hpp"
#include "base/slab.hpp"
#include "device/device.hpp"

#include <cstddef>
#include <vector>

namespace clotho {

class Context;

/// A device command-queue (OpenCL 2.2, section 5.1): kernels put kernels into it, and the host only passes it on. It is
/// no Queue, and its handles come from a slab of their own: so calls that take a queue of the host refuse it, without a
/// check of each call's own.
class DeviceCommandQueue final : public Object, public _cl_command_queue {
 public:
  using Handle = cl_command_queue;

  struct Traits {
    cl_command_queue_properties properties; ///< CL_QUEUE_PROPERTIES
    cl_uint bytes;                          ///< CL_QUEUE_SIZE
    std::vector<cl_queue_properties> list;  ///< what the application passed, for the query
  };
  /// CL_OUT_OF_RESOURCES when the device has as many as it may in the context, or no memory for another.
  DeviceCommandQueue(Context& context, Device& device, Traits traits);

  Context& context() const { return *context_; }
  Device& device() const { return *device_; }
  cl_command_queue_properties properties() const { return traits_.properties; }
  const std::vector<cl_queue_properties>& propertyList() const { return traits_.list; }
  cl_uint bytes() const { return traits_.bytes; }
  /// Made as the device's default queue, which is beside those that are counted.
  bool isDefault() const { return (traits_.properties & CL_QUEUE_ON_DEVICE_DEFAULT) != 0; }
  /// The device's part, which launches keep, and kernels work with.
  OnDeviceQueue& onDevice() const { return *onDevice_; }

 private:
  friend class Slab<DeviceCommandQueue>;
  ~DeviceCommandQueue() override;
  void destroy() noexcept override;

  const Ref<Context> context_;
  const Ref<Device> device_;
  const Traits traits_;
  Ref<OnDeviceQueue> onDevice_;
};

/// The device command-queues of one context: how many each device has, and which is its default. Keeps none of them.
class DeviceCommandQueues {
 public:
  /// Null when the device has none.
  Ref<DeviceCommandQueue> defaultOf(const Device& device) EXCLUDES(mutex_);
  void setDefault(DeviceCommandQueue& queue) noexcept EXCLUDES(mutex_);
  /// The device's default queue, which is made with these traits when there is none.
  Ref<DeviceCommandQueue> defaultOrNew(Context& context, Device& device, DeviceCommandQueue::Traits traits)
      EXCLUDES(creation_, mutex_);

  /// Queues come and go. CL_OUT_OF_RESOURCES when there are too many.
  void count(const Device& device, bool isDefault) EXCLUDES(mutex_);
  void forget(const Device& device, const DeviceCommandQueue& queue) noexcept EXCLUDES(mutex_);

 private:
  struct OfDevice {
    const Device* device;
    DeviceCommandQueue* defaultQueue = nullptr;
    cl_uint count = 0;
  };
  OfDevice* find(const Device& device) REQUIRES(mutex_);

  /// Held while a default queue is made, so that of two threads that want one the second finds the first one's.
  Mutex creation_;
  Mutex mutex_;
  std::vector<OfDevice> devices_ GUARDED_BY(mutex_); // that have ever had one
};

} // namespace clotho
