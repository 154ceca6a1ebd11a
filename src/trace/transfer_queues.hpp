// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace clotho::trace {

/// Makes the queue for the transfers that `owner` does (transferQueue) one of the device, which `device` identifies.
/// Before its first transfer; without this it is one of memory.
void addTransferQueue(const void* owner, const void* device, std::string_view deviceName) noexcept;

} // namespace clotho::trace
