// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cpu/task.hpp"

#include <cstddef>

namespace clotho {
struct Copy;
struct Fill;
} // namespace clotho

/// Copies and fills.
namespace clotho::cpu {

/// Copies so large that the caches could not hold them bypass them; callers fence with `finishStores`.
void copyBytes(std::byte* target, const std::byte* source, std::size_t size, bool bypassCaches) noexcept;
/// Makes stores that bypassed the caches visible before anything that follows.
void finishStores() noexcept;

/// `size` bytes of a repeated 128-byte block, whose first byte comes first.
void fillBytes(std::byte* target, const std::byte* block, std::size_t size, bool bypassCaches) noexcept;

/// How a copy or a fill is cut into units for `workers` threads; sets the task's numbers.
void planCopy(const Copy& copy, std::uint32_t workers, Task& task) noexcept;
void planFill(const Fill& fill, std::uint32_t workers, Task& task) noexcept;

/// Units [first, end) of it.
void runCopy(const Copy& copy, const Task& task, std::uint64_t first, std::uint64_t end) noexcept;
void runFill(const Fill& fill, const Task& task, std::uint64_t first, std::uint64_t end) noexcept;

} // namespace clotho::cpu
