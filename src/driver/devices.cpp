// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/devices.hpp"

#include "base/log.hpp"
#include "base/options.hpp"
#include "base/text_file.hpp"
#include "device/cpu/cpu_device.hpp"

namespace clotho {

// The one place that names kinds of devices.
std::vector<Ref<Device>> makeDevices() {
  std::vector<Ref<Device>> devices;
  for (std::string_view home : split(options().cpuDevices, ',')) {
    if (home == "near")
      devices.push_back(makeCpuDevice(cpu::Home::Near));
    else if (home == "far")
      devices.push_back(makeCpuDevice(cpu::Home::Far));
    else if (home == "bare")
      devices.push_back(makeCpuDevice(cpu::Home::Bare));
    else
      CLOTHO_LOG(Device, Warn, "CLOTHO_CPU_DEVICES: '%.*s' is not near, far or bare", static_cast<int>(home.size()),
                 home.data());
  }
  if (devices.empty()) devices.push_back(makeCpuDevice(cpu::Home::Near));
  return devices;
}

} // namespace clotho
