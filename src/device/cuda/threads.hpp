// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace clotho::cuda {

/// Starts a thread that never ends. `name`: at most 15 characters. False if the system refuses.
bool startThread(const char* name, void* (*main)(void*), void* argument) noexcept;

} // namespace clotho::cuda
