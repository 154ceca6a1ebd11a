// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace clotho::compiler::spirv {

/// The module as input for SPIRV-Tools' validator: without parts that it does not know and need not see, or checks more
/// strictly than programs of OpenCL and SYCL compilers allow.
std::vector<std::uint32_t> validatorInput(std::span<const std::uint32_t> module);

/// Whether the module has integers of widths other than 8, 16, 32 and 64 bits (SPV_INTEL_arbitrary_precision_integers),
/// for which the validator has no rules.
bool hasUnusualIntegers(std::span<const std::uint32_t> module);

} // namespace clotho::compiler::spirv
