// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/devices.hpp"

#include "device/cpu/cpu_device.hpp"

namespace clotho {

// The one place that names kinds of devices.
std::vector<Ref<Device>> makeDevices() {
  std::vector<Ref<Device>> devices;
  devices.push_back(makeCpuDevice());
  return devices;
}

} // namespace clotho
