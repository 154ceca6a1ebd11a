// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/uuid.hpp"

#include <string>

namespace clotho {

class Device;

// The identifiers of cl_khr_device_uuid. Made at each query: few programs ask, so start-up is not to pay for them.
/// Identifier of the device: the same in every process, after a restart and with another version of the driver.
Uuid deviceUuid(const Device& device);
/// Identifier of the driver: the same wherever this version runs.
Uuid driverUuid(const Device& device);

/// Text that tells this machine from others; applications are not to see it as it is. `root` is the root of the file
/// system.
std::string machineIdentity(const std::string& root);

} // namespace clotho
