// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <sys/types.h>

namespace clotho {

/// Whether an orphan among this process's descendants becomes its child: it is the first process of its container, or
/// has asked to be the one (PR_SET_CHILD_SUBREAPER).
bool orphansComeBack() noexcept;

/// What a subreaper does with its life: it is a copy of the application made by fork, the compiler process's parent in
/// the application's place, and ends with it. Until then it holds nothing that it has copied: descriptors, folder,
/// session and, except for its stack, memory. Calls nothing that needs memory or locks.
[[noreturn]] void keep(pid_t server, const void* stack, std::size_t stackSize) noexcept;

} // namespace clotho
