// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/device.hpp"

#include <vector>

namespace clotho {

/// The root devices of this process, of each type the default one first. Starts no thread and installs nothing. Each
/// driver defines the function for the kinds of devices that it has (driver/devices.cpp).
std::vector<Ref<Device>> makeDevices();

} // namespace clotho
