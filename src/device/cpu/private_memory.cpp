// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/private_memory.hpp"

#include <algorithm>
#include <bit>

namespace clotho::cpu {

namespace {

/// Bytes that a sub-group with a stack of its own touches of that besides its variables.
constexpr std::uint64_t kTouchedStack = 8192;

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result;
  return __builtin_add_overflow(a, b, &result) ? UINT64_MAX : result;
}

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result;
  return __builtin_mul_overflow(a, b, &result) ? UINT64_MAX : result;
}

/// The variables of a sub-group.
std::uint64_t variableBytes(const GroupLimits& limits) { return product(limits.privateBytes, limits.subGroupSize); }

} // namespace

std::uint64_t subGroupsInRows(const std::array<std::uint64_t, 3>& local, std::uint32_t width) noexcept {
  return (local[0] + width - 1) / width * local[1] * local[2];
}

std::uint64_t subGroupsInTurn(const GroupLimits& limits, const std::array<std::uint64_t, 3>& local) noexcept {
  if (!limits.usesSubGroups) return subGroupsInRows(local, limits.subGroupSize);
  return (local[0] * local[1] * local[2] + limits.subGroupSize - 1) / limits.subGroupSize;
}

std::uint64_t contextBytes(const GroupLimits& limits, const CpuKernelFacts& facts,
                           const std::array<std::uint64_t, 3>& local) noexcept {
  return product(facts.frameBytesPerItem, subGroupsInRows(local, limits.subGroupSize));
}

std::uint64_t privateStackBytes(const GroupLimits& limits, const CpuKernelFacts& facts) noexcept {
  if (facts.subGroupStackBytes) return 0;
  // Variables that live across barriers are in the context arrays. Twice the others, since a kernel is compiled in
  // several variants, of which two may be inlined into one function.
  const std::uint64_t variables = variableBytes(limits);
  return product(variables - std::min(variables, facts.frameBytesPerItem), 2);
}

std::uint64_t privateBytesOfGroup(const GroupLimits& limits, const CpuKernelFacts& facts,
                                  const std::array<std::uint64_t, 3>& local) noexcept {
  if ((facts.frameBytesPerItem | limits.privateBytes | facts.subGroupStackBytes) == 0) return 0;
  std::uint64_t bytes = sum(contextBytes(limits, facts, local), privateStackBytes(limits, facts));
  if (facts.subGroupStackBytes)
    bytes = sum(bytes, product(sum(variableBytes(limits), kTouchedStack), subGroupsInTurn(limits, local)));
  return bytes;
}

std::size_t largestGroup(const GroupLimits& limits, const CpuKernelFacts& facts, std::uint64_t bytes,
                         std::size_t most) noexcept {
  const auto fits = [&](std::size_t items) {
    std::array<std::uint64_t, 3> local{items, 1, 1};
    exchangeDimensions(facts, local);
    return privateBytesOfGroup(limits, facts, local) <= bytes;
  };
  if (fits(most)) return most;
  std::size_t items = std::bit_floor(most);
  while (items > 0 && !fits(items))
    items /= 2;
  return items;
}

} // namespace clotho::cpu
