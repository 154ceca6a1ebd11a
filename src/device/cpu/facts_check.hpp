// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/compiler.hpp"

namespace clotho::cpu {

/// Checks what a program binary says of a kernel to this kind of device, before anything relies on it: the device lays
/// out memory and stacks by these numbers and does not look at them again. Throws CL_INVALID_BINARY where they are not
/// plausible, or do not agree with the rest of the kernel.
void checkFacts(const BuiltKernel& kernel);

} // namespace clotho::cpu
