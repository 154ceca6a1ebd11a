// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace clotho {

/// Lets this thread run wherever the process's first one may. A new thread inherits the processors of the one that
/// makes it, which may be bound to those of a sub-device.
void takeAffinityOfProcess() noexcept;

} // namespace clotho
