// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <sys/types.h>

namespace clotho {

/// Whether orphaned descendants are reparented to this process: it is the first process of its container, or a
/// subreaper (PR_SET_CHILD_SUBREAPER).
bool orphansComeBack() noexcept;

/// Main function of a subreaper: a forked copy of the application that is the compiler process's parent in its place,
/// and ends with it. It releases everything that it has copied: descriptors, folder, session and, except for its stack,
/// memory. Calls nothing that needs memory or locks.
[[noreturn]] void keep(pid_t server, const void* stack, std::size_t stackSize) noexcept;

} // namespace clotho
