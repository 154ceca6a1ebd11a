// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/guarded_call.hpp"

#include <atomic>
#include <bit>

namespace clotho::cpu {

namespace {

// Read in signal handlers, so it must need no call that may allocate: initial-exec.
constinit thread_local GuardFrame* active __attribute__((tls_model("initial-exec"))) = nullptr;

} // namespace

GuardFrame* activeGuard() noexcept { return active; }

#if defined(CLOTHO_PORTABLE_GUARD)

namespace {

/// A call as makecontext can make it, whose arguments are ints.
struct PortableCall {
  WorkGroupFunction* function;
  const LaunchParams* params;
  WorkerContext* context;
  std::uint64_t first, end;
};

void runPortable(unsigned high, unsigned low) {
  const auto* call = std::bit_cast<const PortableCall*>(std::uintptr_t{high} << 32 | low);
  call->function(call->params, call->context, call->first, call->end);
}

} // namespace

Fault guardedCall(const Executor& executor, WorkGroupFunction* function, const LaunchParams* params,
                  WorkerContext* context, std::uint64_t first, std::uint64_t end) noexcept {
  GuardFrame frame;
  frame.stack = executor.kernelStack();
  frame.fibres = &executor.fibres;
  PortableCall call{function, params, context, first, end};
  ucontext_t caller, callee;
  if (frame.stack) {
    getcontext(&callee);
    callee.uc_stack.ss_sp = frame.stack->bottom();
    callee.uc_stack.ss_size = frame.stack->size();
    callee.uc_link = &caller;
    auto address = reinterpret_cast<std::uintptr_t>(&call);
    makecontext(&callee, reinterpret_cast<void (*)()>(runPortable), 2, static_cast<unsigned>(address >> 32),
                static_cast<unsigned>(address));
  }
  if (sigsetjmp(frame.resume, 1) == 0) {
    active = &frame;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (frame.stack)
      swapcontext(&caller, &callee);
    else
      function(params, context, first, end);
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
  active = nullptr;
  return frame.fault;
}

void abandonGuardedCall(GuardFrame& frame, ucontext_t&) noexcept { siglongjmp(frame.resume, 1); }

void leaveGuardedCall(const Fault& fault) noexcept {
  active->fault = fault;
  siglongjmp(active->resume, 1);
}

#else

extern "C" {
/// Calls `function` on the stack that ends at `stackTop`, or on this one if that is null; frame->savedFrame is where it
/// comes back to.
void clothoGuardedCall(GuardFrame* frame, void* stackTop, WorkGroupFunction* function, const LaunchParams* params,
                       WorkerContext* context, std::uint64_t first, std::uint64_t end);
/// Ends an abandoned call, on whatever stack: returns from clothoGuardedCall.
[[noreturn]] void clothoGuardedResume(GuardFrame* frame);
}

Fault guardedCall(const Executor& executor, WorkGroupFunction* function, const LaunchParams* params,
                  WorkerContext* context, std::uint64_t first, std::uint64_t end) noexcept {
  GuardFrame frame;
  frame.stack = executor.kernelStack();
  frame.fibres = &executor.fibres;
  active = &frame;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  clothoGuardedCall(&frame, frame.stack ? frame.stack->top() : nullptr, function, params, context, first, end);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  active = nullptr;
  return frame.fault;
}

void abandonGuardedCall(GuardFrame& frame, ucontext_t& interrupted) noexcept {
  greg_t* registers = interrupted.uc_mcontext.gregs;
  registers[REG_RIP] = static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(&clothoGuardedResume));
  registers[REG_RDI] = static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(&frame));
  registers[REG_RSP] = static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(frame.savedFrame));
  // Single steps, which assembly can ask for, would go on in code that is no kernel's.
  constexpr greg_t kTrapFlag = 1 << 8;
  registers[REG_EFL] &= ~kTrapFlag;
}

void leaveGuardedCall(const Fault& fault) noexcept {
  active->fault = fault;
  clothoGuardedResume(active);
}

#endif

} // namespace clotho::cpu
