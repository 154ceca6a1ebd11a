// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/faults.hpp"

#include "device/cpu/code_ranges.hpp"
#include "device/cpu/guarded_call.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <iterator>
#include <sched.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace clotho::cpu {

namespace {

/// The handler that was installed before ours. Written before the handler can run, then only by SA_RESETHAND.
struct Previous {
  std::atomic<bool> reset{false};
  struct sigaction action;
};
constinit std::array<Previous, std::size(kTraps)> previous{};
constinit std::atomic<bool> installed{false};
/// The process whose thread is installing the handlers; 0: none. A forked child ignores the parent's number.
constinit std::atomic<pid_t> installing{0};

Previous& previousOf(int signal) noexcept {
  for (std::size_t i = 0; i < std::size(kTraps); ++i)
    if (kTraps[i] == signal) return previous[i];
  return previous[0];
}

/// The address of the instruction that has trapped.
std::uintptr_t instructionPointer(int signal, const ucontext_t& context) noexcept {
#if defined(__x86_64__)
  // Breakpoints and single steps trap when the instruction is done: this is its last byte.
  const std::uintptr_t behind = signal == SIGTRAP ? 1 : 0;
  return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]) - behind;
#elif defined(__aarch64__)
  return context.uc_mcontext.pc;
#else
#error "which register is the program counter?"
#endif
}

std::uintptr_t stackPointer(const ucontext_t& context) noexcept {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
#else
  return context.uc_mcontext.sp;
#endif
}

Fault::Access accessOf([[maybe_unused]] const ucontext_t& context) noexcept {
#if defined(__x86_64__)
  constexpr greg_t kPageFault = 14;
  if (context.uc_mcontext.gregs[REG_TRAPNO] != kPageFault) return Fault::Access::Unknown;
  greg_t error = context.uc_mcontext.gregs[REG_ERR];
  if (error & 16) return Fault::Access::Execute;
  return error & 2 ? Fault::Access::Write : Fault::Access::Read;
#else
  return Fault::Access::Unknown;
#endif
}

Fault describe(const siginfo_t& info, const ucontext_t& context, const GuardFrame& guard) noexcept {
  Fault fault;
  fault.signal = info.si_signo;
  fault.code = info.si_code;
  fault.instruction = instructionPointer(info.si_signo, context);
  if (info.si_signo == SIGSEGV || info.si_signo == SIGBUS) {
    fault.address = reinterpret_cast<std::uintptr_t>(info.si_addr);
    fault.access = accessOf(context);
    for (const std::uintptr_t place : {fault.address, stackPointer(context)})
      fault.stackOverflow =
          fault.stackOverflow || (guard.stack && guard.stack->guardHas(place)) || guard.fibres->guardHas(place);
  }
  return fault;
}

/// Lets the default action happen, so that the core dump and the exit status are what they would have been. The
/// instruction traps again once the handler returns. A signal that a process sent is sent again, and so is that of a
/// breakpoint, since the thread goes on behind it.
void takeDefault(int signal, const siginfo_t& info) noexcept {
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  sigemptyset(&standard.sa_mask);
  sigaction(signal, &standard, nullptr);
  if (info.si_code <= 0 || signal == SIGTRAP) syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
}

using Handler = void (*)(int, siginfo_t*, void*);

#if defined(__x86_64__)
/// Calls `handler` below `stack`, the interrupted thread's own: for handlers installed without SA_ONSTACK.
void callOnStack(Handler handler, int signal, siginfo_t* info, void* context, std::uintptr_t stack) noexcept {
  constexpr std::uintptr_t kRedZone = 128;
  std::uintptr_t top = (stack - kRedZone) & ~std::uintptr_t{63};
  __asm__ volatile("movq %%rsp, %%rbx\n\t"
                   "movq %[top], %%rsp\n\t"
                   "callq *%[handler]\n\t"
                   "movq %%rbx, %%rsp"
                   : "+D"(signal), "+S"(info), "+d"(context), [handler] "+a"(handler), [top] "+c"(top)
                   :
                   : "rbx", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                     "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
}
#endif

bool runsOn(const stack_t& stack) noexcept {
  auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return !(stack.ss_flags & SS_DISABLE) && here - reinterpret_cast<std::uintptr_t>(stack.ss_sp) < stack.ss_size;
}

void forward(int signal, siginfo_t* info, ucontext_t* context) noexcept {
  Previous& before = previousOf(signal);
  struct sigaction action = before.action;
  bool wasSent = info->si_code <= 0;
  bool isReset = before.reset.load(std::memory_order_relaxed);
  if (!isReset && (action.sa_flags & static_cast<int>(SA_RESETHAND)) && action.sa_handler != SIG_IGN)
    isReset = before.reset.exchange(true, std::memory_order_relaxed);
  if (isReset || action.sa_handler == SIG_DFL) return takeDefault(signal, *info);
  // The kernel does not let a thread ignore its own trap.
  if (action.sa_handler == SIG_IGN) return wasSent ? void() : takeDefault(signal, *info);

  sigset_t mask = context->uc_sigmask;
  sigorset(&mask, &mask, &action.sa_mask);
  if (!(action.sa_flags & SA_NODEFER)) sigaddset(&mask, signal);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  // Handlers without SA_SIGINFO find the same three arguments in registers when the kernel calls them.
  Handler handler = action.sa_sigaction;
#if defined(__x86_64__)
  if (!(action.sa_flags & SA_ONSTACK) && runsOn(context->uc_stack))
    return callOnStack(handler, signal, info, context, stackPointer(*context));
#endif
  handler(signal, info, context);
}

void onTrap(int signal, siginfo_t* info, void* rawContext) {
  int savedErrno = errno;
  auto* context = static_cast<ucontext_t*>(rawContext);
  GuardFrame* guard = activeGuard();
  // si_code <= 0: a process sent the signal, so the program counter means nothing.
  if (guard && info->si_code > 0 && isKernelCode(instructionPointer(signal, *context))) {
    guard->fault = describe(*info, *context, *guard);
    abandonGuardedCall(*guard, *context);
  } else {
    forward(signal, info, context);
  }
  errno = savedErrno;
}

bool isOurs(const struct sigaction& action) noexcept {
  return (action.sa_flags & SA_SIGINFO) && action.sa_sigaction == onTrap;
}

void replaceHandlers() noexcept {
  for (std::size_t i = 0; i < std::size(kTraps); ++i) {
    // Read first: from the moment of installation the handler may need it.
    struct sigaction before;
    if (sigaction(kTraps[i], nullptr, &before) != 0 || isOurs(before)) continue;
    previous[i].action = before;
    struct sigaction ours{};
    ours.sa_sigaction = onTrap;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    if (sigaction(kTraps[i], &ours, &before) == 0 && !isOurs(before)) previous[i].action = before;
  }
}

} // namespace

void installFaultHandlers() noexcept {
  if (installed.load(std::memory_order_acquire)) [[likely]]
    return;
  // No launch may begin before the handlers are there, so all wait for the first.
  const pid_t self = getpid();
  pid_t holder = 0;
  while (!installing.compare_exchange_weak(holder, self, std::memory_order_acquire)) {
    if (holder == self) {
      sched_yield();
      holder = 0;
    }
  }
  if (!installed.load(std::memory_order_relaxed)) replaceHandlers();
  installed.store(true, std::memory_order_release);
  installing.store(0, std::memory_order_release);
}

} // namespace clotho::cpu
