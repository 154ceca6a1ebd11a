// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/cpu_facts.hpp"
#include "compiler/compiler.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

/// Memory that a thread keeps for the work-items of its work-group. A kernel with barriers runs them in turn from
/// one barrier to the next, so all of them keep their variables at once, and the size of a work-group is then bounded
/// by the memory that there is (DeviceProperties::privateMemorySize). Sums that do not fit are UINT64_MAX.
namespace clotho::cpu {

/// Sub-groups that the work-items of a work-group are divided into; rows do not share one.
std::uint64_t subGroupsInRows(const std::array<std::uint64_t, 3>& local, std::uint32_t width) noexcept;
/// Sub-groups of a kernel that runs them in turn: where programs can see them, they follow the linear local id.
std::uint64_t subGroupsInTurn(const GroupLimits& limits, const std::array<std::uint64_t, 3>& local) noexcept;

/// Bytes of a work-group's context arrays: of what lives across barriers.
std::uint64_t contextBytes(const GroupLimits& limits, const CpuKernelFacts& facts,
                           const std::array<std::uint64_t, 3>& local) noexcept;
/// Bytes of private variables on the thread's stack, without what calls and spilled registers need besides.
std::uint64_t privateStackBytes(const GroupLimits& limits, const CpuKernelFacts& facts) noexcept;
/// All that a thread keeps for a work-group of this size.
std::uint64_t privateBytesOfGroup(const GroupLimits& limits, const CpuKernelFacts& facts,
                                  const std::array<std::uint64_t, 3>& local) noexcept;

/// The most work-items that a work-group along the program's dimension 0 may have which takes no more than so many
/// bytes: `most`, or a power of two below it; 0 if not even one work-item fits.
std::size_t largestGroup(const GroupLimits& limits, const CpuKernelFacts& facts, std::uint64_t bytes,
                         std::size_t most) noexcept;

} // namespace clotho::cpu
