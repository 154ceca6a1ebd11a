// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace clotho::compiler::spirv {

/// What SPIRV-Tools' validator is given for a module: without what it does not know and need not see, and without what
/// it is stricter with than programs that compilers of OpenCL and SYCL write.
std::vector<std::uint32_t> validatorInput(std::span<const std::uint32_t> module);

/// Whether the module has integers of other widths than 8, 16, 32 and 64 bits (SPV_INTEL_arbitrary_precision_integers),
/// for which the validator has no rules.
bool hasUnusualIntegers(std::span<const std::uint32_t> module);

} // namespace clotho::compiler::spirv
