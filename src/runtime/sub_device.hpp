// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/spin.hpp"
#include "device/device.hpp"

namespace clotho {

/// A part of another device (OpenCL 3.0, section 4.3): counted, unlike root devices. All but its compute units it has
/// in common with the root device.
class SubDevice final : public Device {
 public:
  /// `units`: some of the parent's. `partition`: as the application asked, 0 at the end.
  SubDevice(Device& parent, UnitList units, std::vector<cl_device_partition_property> partition);

  const DeviceProperties& properties() const noexcept override { return properties_; }
  const Target& target() const noexcept override { return root_->target(); }
  std::unique_ptr<DeviceProgram> load(std::shared_ptr<const BuildResult> built) override {
    return root_->load(std::move(built));
  }
  void checkFacts(const BuiltKernel& kernel) const override { root_->checkFacts(kernel); }
  void start(Event& event) noexcept override { share_->start(event); }
  /// The waiting thread is none of the device's compute units.
  void help(HelpFilter, HelpCondition over, const void* context) noexcept override { spinUntil(over, context); }
  void* allocate(std::size_t size, std::size_t alignment) noexcept override { return root_->allocate(size, alignment); }
  void deallocate(void* memory, std::size_t size) noexcept override { root_->deallocate(memory, size); }
  std::uint64_t now() const noexcept override { return root_->now(); }

  Device* parent() const noexcept override { return parent_.get(); }
  Device& root() noexcept override { return *root_; }
  UnitList units() const override { return units_; }
  std::span<const cl_device_partition_property> partition() const noexcept override { return partition_; }
  std::vector<UnitList> unitsSharing(cl_device_affinity_domain domain, const UnitList& units) override {
    return root_->unitsSharing(domain, units);
  }
  std::unique_ptr<DeviceShare> share(const UnitList& units) override { return root_->share(units); }
  /// Never called: a forked child does not know its parent's sub-devices.
  void afterFork() override {}

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
