// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/platform.hpp"

#include "base/log.hpp"
#include "base/options.hpp"
#include "runtime/devices.hpp"

#include <algorithm>

namespace clotho {

namespace {

cl_version chosenVersion() {
  const std::string& chosen = options().openClVersion;
  if (chosen == "2.2") return CL_MAKE_VERSION(2, 2, 0);
  if (chosen != "3.0")
    CLOTHO_LOG(Runtime, Warn, "CLOTHO_OPENCL_VERSION is '%s', neither 3.0 nor 2.2; 3.0 it stays", chosen.c_str());
  return CL_MAKE_VERSION(3, 0, 0);
}

} // namespace

std::string_view Platform::versionText() const {
  return version_ == CL_MAKE_VERSION(2, 2, 0) ? claims::kVersion22 : claims::kVersion30;
}

Platform::Platform() : version_(chosenVersion()), devices_(makeDevices()) {}

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
