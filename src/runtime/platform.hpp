// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/claims.hpp"
#include "base/mutex.hpp"
#include "device/device.hpp"

#include <atomic>
#include <string_view>
#include <vector>

namespace clotho {

/// The one platform, and its root devices. Loaders and applications remember their handles for good, so a forked child
/// goes on with the parent's.
class Platform final : public _cl_platform_id {
 public:
  using Handle = cl_platform_id;

  Platform();

  /// All devices. Drivers of other kinds than the host's processors are loaded by the first call.
  const std::vector<Ref<Device>>& devices() const EXCLUDES(mutex_);
  /// Devices on the host's processors alone.
  const std::vector<Ref<Device>>& hostDevices() const { return hostDevices_; }
  /// The devices that the application can have heard of.
  const std::vector<Ref<Device>>& knownDevices() const {
    return hasAll_.load(std::memory_order_acquire) ? devices_ : hostDevices_;
  }
  /// Claims of all devices; before their drivers are loaded, of all kinds of devices that there may be.
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
  const std::vector<Ref<Device>> hostDevices_;
  mutable Mutex mutex_;
  mutable std::vector<Ref<Device>> devices_; // written once, under the mutex
  mutable std::atomic<bool> hasAll_{false};
};

} // namespace clotho
