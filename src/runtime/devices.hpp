// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/device.hpp"

#include <cstdint>
#include <vector>

namespace clotho {

/// Devices on the host's processors, as the options choose them. Starts nothing.
std::vector<Ref<Device>> makeHostDevices();
/// All devices that the options choose (CLOTHO_DEVICES), in their order: `host` and those of other kinds, whose drivers
/// are loaded for that.
std::vector<Ref<Device>> makeDevices(const std::vector<Ref<Device>>& host);

/// Bytes of the host's memory that memory objects may take where makeHostDevices() makes no device.
std::uint64_t memoryWithoutHostDevices();

/// Whether makeDevices() may add CPUs to those of the host: other processes' devices.
bool mayHaveOtherCpus();

/// The claims that devices may have which makeDevices() adds to those of the host; known without their drivers.
Claims claimsOfOthers();

} // namespace clotho
