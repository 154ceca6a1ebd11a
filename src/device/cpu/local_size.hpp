// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace clotho {
struct DeviceProperties;
struct KernelInfo;
struct NDRange;
} // namespace clotho

/// How large work-groups should be.
namespace clotho::cpu {

/// Sets the local size of a range whose other members are set. `device`: the CPU device or a share of it.
void chooseLocalSize(NDRange& range, const KernelInfo& kernel, const DeviceProperties& device) noexcept;

/// A sentence if a work-group keeps more private data than there is memory for, else nothing.
std::string whyNoRoom(const NDRange& range, const KernelInfo& kernel, const DeviceProperties& device);

} // namespace clotho::cpu
