// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/platform.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace clotho {

namespace {

/// A device of some type that does nothing.
class TypedDevice final : public Device {
 public:
  explicit TypedDevice(cl_device_type type) { properties_.type = type; }
  const DeviceProperties& properties() const noexcept override { return properties_; }
  const Claims& claims() const noexcept override { return claims_; }
  const Target& target() const noexcept override { return target_; }
  std::unique_ptr<DeviceProgram> load(std::shared_ptr<const BuildResult>) override { return nullptr; }
  std::unique_ptr<DeviceQueue> makeQueue(const QueueTraits&) override { return nullptr; }
  void checkFacts(const BuiltKernel&) const override {}
  std::uint64_t now() const noexcept override { return 0; }
  void afterFork() override {}
  void startThreads() override {}
  UnitList units() const override { return {}; }

 private:
  DeviceProperties properties_;
  Claims claims_;
  Target target_;
};

TEST(Platform, GpusComeFirstAndElseDevicesKeepTheirOrder) {
  std::vector<Ref<Device>> devices;
  for (const cl_device_type type :
       {CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU})
    devices.push_back(Ref<Device>::adopt(new TypedDevice(type)));
  const std::vector<Device*> expected = {devices[1].get(), devices[4].get(), devices[0].get(), devices[2].get(),
                                         devices[3].get()};
  std::vector<Device*> found;
  for (const Ref<Device>& device : defaultFirst(devices))
    found.push_back(device.get());
  EXPECT_EQ(found, expected);
}

} // namespace

} // namespace clotho
