// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/platform.hpp"

#include "device/cpu/cpu_device.hpp"

namespace clotho {

Platform::Platform() { devices_.push_back(makeCpuDevice(*this)); }

void Platform::afterFork() {
  for (const Ref<Device>& device : devices_)
    device->afterFork();
}

} // namespace clotho
