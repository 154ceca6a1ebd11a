// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/device_queue.h"
#include "command/command.hpp"

#include <CL/cl.h>
#include <cstdint>
#include <span>

/// Launches of kernels that other kernels have enqueued (abi/device_queue.h).
namespace clotho {

/// The range of a record that is no marker. Local sizes of 0 are left to the device.
NDRange rangeOf(const EnqueuedKernel& record) noexcept;

/// Sets what a launch runs: the kernel of a block, whose literal is at this address, with arguments of local memory of
/// these sizes. A status.
cl_int setEnqueued(Launch& launch, const DeviceKernel& kernel, std::uint64_t literal,
                   std::span<const std::uint64_t> localSizes, const NDRange& range,
                   const DeviceProperties& properties) noexcept;

} // namespace clotho
