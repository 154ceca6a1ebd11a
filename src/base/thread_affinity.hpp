// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace clotho {

/// Whether we have bound this thread to the processors of a sub-device. A thread that it makes inherits these.
bool isThreadBound() noexcept;
void noteThreadBound() noexcept;

/// How many threads of the calling one's making can run at once, at least one: as many as there are processors for
/// them, and at most as many as CLOTHO_COMPUTE_UNITS says.
std::size_t usableProcessors() noexcept;

/// Lets this thread run wherever the process's first one may.
void takeAffinityOfProcess() noexcept;

} // namespace clotho
