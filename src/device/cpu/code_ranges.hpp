// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// Address ranges of the code of loaded kernels. Signal handlers search them, so lookups take no lock and allocate
/// nothing.
namespace clotho::cpu {

/// False without memory: traps in that code then go to the application's handlers.
bool addCodeRange(std::uintptr_t begin, std::uintptr_t end) noexcept;
void removeCodeRange(std::uintptr_t begin) noexcept;
bool isKernelCode(std::uintptr_t address) noexcept;

} // namespace clotho::cpu
