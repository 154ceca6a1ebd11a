// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/compiler.hpp"

namespace clotho {

/// Checks what a program binary says of its kernels, before anything relies on it: the runtime lays out arguments,
/// local memory and stacks by these numbers and does not look at them again. What is said to the device, it checks
/// itself (Device::checkCode). Throws CL_INVALID_BINARY where they are not plausible, or do not agree with each other.
void checkBinaryResult(const BuildResult& result);

} // namespace clotho
