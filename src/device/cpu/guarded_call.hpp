// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/cpu_kernel.h"
#include "device/cpu/executor.hpp"

#include <csignal>
#include <cstdint>
#include <ucontext.h>

// Architectures without an assembly file use sigsetjmp and makecontext; tests build that variant everywhere.
#if !defined(__x86_64__) && !defined(CLOTHO_PORTABLE_GUARD)
#define CLOTHO_PORTABLE_GUARD 1
#endif
#if defined(CLOTHO_PORTABLE_GUARD)
#include <csetjmp>
#endif

namespace clotho::cpu {

/// A trap in kernel code, or what else has ended it.
struct Fault {
  enum class Access : std::uint8_t { Unknown, Read, Write, Execute };

  int signal = 0; ///< 0: none
  int code = 0;   ///< si_code
  std::uintptr_t address = 0;
  std::uintptr_t instruction = 0;
  Access access = Access::Unknown;
  bool stackOverflow = false;
  bool lacksMemory = false; ///< no trap, but a service of the device's had no memory for what the kernel asked of it

  explicit operator bool() const { return signal != 0 || lacksMemory; }
};

/// A call of kernel code in progress on this thread: where a trap goes on.
struct GuardFrame {
#if defined(CLOTHO_PORTABLE_GUARD)
  sigjmp_buf resume;
#else
  void* savedFrame = nullptr; // offset 0: guarded_call_x86_64.S
#endif
  const GuardedStack* stack = nullptr; ///< null: the thread's own, which the call cannot use up
  const Fibres* fibres = nullptr;
  Fault fault;
};

/// Runs `function` on the stack that Executor::prepareCall() has chosen. A trap in registered kernel code
/// (code_ranges.hpp) ends the call and is returned. Needs installFaultHandlers().
Fault guardedCall(const Executor& executor, WorkGroupFunction* function, const LaunchParams* params,
                  WorkerContext* context, std::uint64_t first, std::uint64_t end) noexcept;

/// The guarded call that this thread is in; null outside. Async-signal-safe.
GuardFrame* activeGuard() noexcept;

/// Ends the guarded call that this thread is in, for services that kernels call.
[[noreturn]] void leaveGuardedCall(const Fault& fault) noexcept;

/// Makes the interrupted thread leave its guarded call, when the signal handler returns or now.
void abandonGuardedCall(GuardFrame& frame, ucontext_t& interrupted) noexcept;

} // namespace clotho::cpu
