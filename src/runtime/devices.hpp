// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/device.hpp"

#include <vector>

namespace clotho {

/// The root devices of this process, the default one first. Starts no thread and installs nothing. Whoever puts a
/// driver together says what kinds there are (driver/devices.cpp).
std::vector<Ref<Device>> makeDevices();

} // namespace clotho
