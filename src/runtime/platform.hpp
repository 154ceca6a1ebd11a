// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/claims.hpp"
#include "device/device.hpp"

#include <string_view>
#include <vector>

namespace clotho {

/// The devices in the order in which applications see them: GPUs before all others, since most programs take the first
/// device, else as they come.
std::vector<Ref<Device>> defaultFirst(std::vector<Ref<Device>> devices);

/// The one platform, and its root devices. Loaders and applications remember their handles for good, so a forked child
/// goes on with the parent's.
class Platform final : public _cl_platform_id {
 public:
  using Handle = cl_platform_id;

  Platform();

  /// The default one first (defaultFirst()): clGetDeviceIDs gives them in this order.
  const std::vector<Ref<Device>>& devices() const { return devices_; }
  /// What all devices claim.
  Claims claims() const;
  /// How much of the host's memory memory objects may take, in bytes.
  std::uint64_t hostMemorySize() const;
  /// 3.0, or what CLOTHO_OPENCL_VERSION asks for: of the platform and all its devices.
  cl_version version() const { return version_; }
  std::string_view versionText() const;
  /// The newest version of OpenCL C that a device compiles together with all of those before it.
  cl_version languageVersion(const Device& device) const;
  std::string_view languageVersionText(const Device& device) const;
  /// All versions of OpenCL C that a device compiles, up to the platform's version. Version 2.0 has parts that later
  /// ones leave to devices.
  std::vector<cl_name_version> languageVersions(const Device& device) const;
  /// See Device::afterFork.
  void afterFork();

 private:
  const cl_version version_;
  std::vector<Ref<Device>> devices_;
};

} // namespace clotho
