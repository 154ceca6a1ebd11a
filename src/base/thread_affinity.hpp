// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace clotho {

/// Whether we have bound this thread to the processors of a sub-device. A thread that it makes inherits these.
bool isThreadBound() noexcept;
void noteThreadBound() noexcept;

/// Lets this thread run wherever the process's first one may.
void takeAffinityOfProcess() noexcept;

} // namespace clotho
