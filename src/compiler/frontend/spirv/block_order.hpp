// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace clotho::compiler::spirv {

/// The module with the blocks of each function in an order that has dominators first. SPIR-V demands that order
/// (section 2.4), and versions of Khronos's translator write LLVM's own order instead. Functions that have it are left
/// as they are.
std::vector<std::uint32_t> withDominatorsFirst(std::span<const std::uint32_t> module);

} // namespace clotho::compiler::spirv
