// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <csignal>

/// Traps of kernel code. The signals of traps get a handler of ours at the first launch; what is not a trap of kernel
/// code on a thread inside guardedCall() goes to the handler that was there before, as the kernel would have called it.
/// A handler that the application installs later wins: ours is never installed over it. A debugger sees a trap before
/// any handler does; gdb keeps SIGTRAP to itself, so that a kernel goes on behind its breakpoint.
namespace clotho::cpu {

inline constexpr int kTraps[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};

/// Idempotent, any thread.
void installFaultHandlers() noexcept;

} // namespace clotho::cpu
