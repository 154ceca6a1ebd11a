// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/log.hpp"
#include "base/mutex.hpp"
#include "base/object.hpp"
#include "base/slab.hpp"
#include "command/storage.hpp"
#include "device/device.hpp"
#include "runtime/memory/device_addresses.hpp"
#include "runtime/memory/shared_memory.hpp"
#include "runtime/objects/device_command_queue.hpp"

#include <atomic>
#include <vector>

namespace clotho {

class Queue;

/// A context: devices, and where errors are told.
class Context final : public Object, public _cl_context {
 public:
  using Handle = cl_context;
  using ErrorCallback = void(CL_CALLBACK*)(const char*, const void*, size_t, void*);
  using DestructorCallback = void(CL_CALLBACK*)(cl_context, void*);

  Context(std::vector<Ref<Device>> devices, std::vector<cl_context_properties> properties, ErrorCallback onError,
          void* userData);

  const std::vector<Ref<Device>>& devices() const { return devices_; }
  bool has(const Device& device) const;
  const std::vector<cl_context_properties>& properties() const { return properties_; }
  /// The homes of its memory objects.
  Homes& homes() const { return *homes_; }
  /// Memory that host and devices address alike.
  SharedMemory& sharedMemory() { return sharedMemory_; }
  const SharedMemory& sharedMemory() const { return sharedMemory_; }
  /// The buffers whose addresses devices have told.
  DeviceAddresses& deviceAddresses() { return deviceAddresses_; }
  /// The queues on its devices.
  DeviceCommandQueues& deviceQueues() { return deviceQueues_; }
  /// Bits of CL_DEVICE_SVM_CAPABILITIES: those that all devices have, or some device has.
  cl_device_svm_capabilities commonSvm() const { return commonSvm_; }
  cl_device_svm_capabilities anySvm() const { return anySvm_; }

  /// Bits of CL_CONTEXT_MEMORY_INITIALIZE_KHR, which Debian's headers lack (cl_khr_initialize_memory).
  static constexpr cl_context_properties kInitializeLocal = 1, kInitializePrivate = 2;
  /// The kinds of memory that kernels of this context find zeroed.
  cl_context_properties initializedMemory() const { return initializedMemory_; }

  /// Tells the application's callback of an error, on the callback thread, and the log. Errors of a call are warnings
  /// there, since the call's status tells of them, too; failures of commands are errors. Any thread, no lock held.
  void report(std::string message, LogLevel level) noexcept;

  /// Its queues come and go.
  void add(Queue& queue) EXCLUDES(mutex_);
  void remove(Queue& queue) noexcept EXCLUDES(mutex_);
  /// Returns when all commands that are in some queue now are done.
  void finish() EXCLUDES(mutex_);

  void addDestructorCallback(DestructorCallback function, void* userData) EXCLUDES(mutex_);

 private:
  friend class Slab<Context>;
  ~Context() override;
  void destroy() noexcept override;

  const std::vector<Ref<Device>> devices_;
  const Ref<Homes> homes_;
  SharedMemory sharedMemory_;
  DeviceAddresses deviceAddresses_;
  DeviceCommandQueues deviceQueues_;
  cl_device_svm_capabilities commonSvm_ = ~cl_device_svm_capabilities{0}, anySvm_ = 0;
  const std::vector<cl_context_properties> properties_;
  const cl_context_properties initializedMemory_;
  const ErrorCallback onError_;
  void* const userData_;
  Mutex mutex_;
  std::vector<Queue*> queues_ GUARDED_BY(mutex_);
  std::vector<std::pair<DestructorCallback, void*>> destructorCallbacks_ GUARDED_BY(mutex_);
  std::atomic<bool> hasDestructorCallbacks_{false};
};

} // namespace clotho
