// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace clotho::compiler::spirv {

/// The module with its functions in the order that SPIR-V demands (section 2.4): variables at the beginning, and blocks
/// after their dominators. Versions of Khronos's translator write LLVM's order instead. Ordered functions are
/// unchanged.
std::vector<std::uint32_t> withFunctionsInOrder(std::span<const std::uint32_t> module);

} // namespace clotho::compiler::spirv
