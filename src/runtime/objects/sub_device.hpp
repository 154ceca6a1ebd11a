// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/device.hpp"

namespace clotho {

/// A part of another device (OpenCL 3.0, section 4.3): counted, unlike root devices. All but its compute units it has
/// in common with the root device. Threads that wait do not help: they are none of the sub-device's compute units.
class SubDevice final : public Device {
 public:
  /// `units`: some of the parent's. `partition`: as the application asked, 0 at the end.
  SubDevice(Device& parent, UnitList units, std::vector<cl_device_partition_property> partition);

  const DeviceProperties& properties() const noexcept override { return properties_; }
  const Claims& claims() const noexcept override { return root_->claims(); }
  const Target& target() const noexcept override { return root_->target(); }
  std::unique_ptr<DeviceProgram> load(std::shared_ptr<const BuildResult> built, std::string& log) override {
    return root_->load(std::move(built), log);
  }
  std::unique_ptr<DeviceQueue> makeQueue(const QueueTraits& traits) override { return share_->makeQueue(traits); }
  void checkCode(const BuildResult& built) const override { root_->checkCode(built); }
  bool isAvailable() const noexcept override { return root_->isAvailable(); }
  std::uint64_t now() const noexcept override { return root_->now(); }

  Device* parent() const noexcept override { return parent_.get(); }
  Device& root() noexcept override { return *root_; }
  UnitList units() const override { return units_; }
  std::span<const cl_device_partition_property> partition() const noexcept override { return partition_; }
  DeviceMemory* memory() noexcept override { return root_->memory(); }
  /// A kernel's enqueued kernels run where the kernel does.
  DeviceEnqueue* deviceEnqueue() noexcept override { return root_->deviceEnqueue(); }
  /// Never called: a forked child does not know its parent's sub-devices.
  void afterFork() override {}
  void startThreads() override {}

 private:
  void destroy() noexcept override;

  const Ref<Device> parent_;
  Device* const root_;
  const UnitList units_;
  const std::vector<cl_device_partition_property> partition_;
  const DeviceProperties properties_;
  const std::unique_ptr<DeviceShare> share_;
};

/// The units of each sub-device that `properties` asks for, and the properties that those devices report: for
/// CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE the domain that was found. Throws what clCreateSubDevices returns.
struct PartitionPlan {
  std::vector<UnitList> devices;
  std::vector<cl_device_partition_property> properties;
};
PartitionPlan planPartition(Device& device, const cl_device_partition_property* properties);

/// The affinity domains that `device` can be divided along.
cl_device_affinity_domain partitionableDomains(Device& device);

} // namespace clotho
