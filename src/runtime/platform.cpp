// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/platform.hpp"

#include "base/opencl_version.hpp"
#include "runtime/devices.hpp"

#include <algorithm>
#include <iterator>

namespace clotho {

std::string_view Platform::versionText() const {
  return version_ == CL_MAKE_VERSION(2, 2, 0)   ? claims::kVersion22
         : version_ == CL_MAKE_VERSION(3, 1, 0) ? claims::kVersion31
                                                : claims::kVersion30;
}

cl_version Platform::languageVersion() const {
  return version_ == CL_MAKE_VERSION(2, 2, 0) ? CL_MAKE_VERSION(2, 0, 0) : version_;
}

std::string_view Platform::languageVersionText() const {
  return version_ == CL_MAKE_VERSION(2, 2, 0)   ? claims::kOpenClCVersion22
         : version_ == CL_MAKE_VERSION(3, 1, 0) ? claims::kOpenClCVersion31
                                                : claims::kOpenClCVersion30;
}

std::vector<cl_name_version> Platform::languageVersions() const {
  std::vector<cl_name_version> versions;
  std::ranges::copy_if(claims::kOpenClCVersions, std::back_inserter(versions),
                       [this](const cl_name_version& each) { return each.version <= version_; });
  return versions;
}

Platform::Platform() : version_(chosenOpenClVersion()), devices_(makeDevices()) {}

Claims Platform::claims() const {
  Claims common = devices_.front()->claims();
  for (const Ref<Device>& device : devices_)
    common &= device->claims();
  return common;
}

std::uint64_t Platform::hostMemorySize() const {
  std::uint64_t most = 0;
  for (const Ref<Device>& device : devices_)
    most = std::max(most, device->properties().globalMemorySize);
  return most;
}

void Platform::afterFork() {
  for (const Ref<Device>& device : devices_)
    device->afterFork();
}

} // namespace clotho
