// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <csignal>

/// Traps of kernel code. SIGSEGV, SIGBUS, SIGILL and SIGFPE get a handler of ours at the first launch; what is not a
/// trap of kernel code on a thread inside guardedCall() goes to the handler that was there before, as the kernel would
/// have called it. A handler that the application installs later wins: ours is never installed over it.
namespace clotho::cpu {

inline constexpr int kTraps[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};

/// Idempotent, any thread.
void installFaultHandlers() noexcept;

} // namespace clotho::cpu
