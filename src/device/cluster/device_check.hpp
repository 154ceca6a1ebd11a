// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cluster/setup.hpp"

namespace clotho::cluster {

/// A reason why no device can be as a node describes it, or null. The API divides by some of these properties and
/// reserves memory by others, so a device with impossible ones is not used.
const char* whyImpossible(const DeviceDescription& description) noexcept;

} // namespace clotho::cluster
