// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace clotho {

/// Whether a page that has just been mapped, and has nothing in it yet, is locked.
bool isLocked(std::byte* freshPage) noexcept;

/// Whether the process locks what it maps from now on (mlockall(MCL_FUTURE)). A mapping counts against RLIMIT_MEMLOCK
/// as a whole then, whether it can be accessed or not.
bool areMappingsLocked() noexcept;

} // namespace clotho
