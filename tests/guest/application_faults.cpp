// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An application that lives with its own faults goes on to do so, before and after the driver's first launch: with a
// handler that repairs, one that jumps away, one of the old kind, one that is installed late and passes on what it does
// not know, and with none at all.
#include "guest.hpp"

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <utility>

namespace {

char* page = nullptr;
void* volatile faultAddress = nullptr;
volatile sig_atomic_t onAlternateStack = 0, counted = 0, lastCode = 0, lastSignal = 0;
stack_t alternate;
sigjmp_buf escape;

void writeTo(char* address) { *const_cast<volatile char*>(address) = 7; }

/// As a garbage collector does it: opens the page and goes on.
void repair(int, siginfo_t* info, void*) {
  faultAddress = info->si_addr;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  onAlternateStack = here - reinterpret_cast<std::uintptr_t>(alternate.ss_sp) < alternate.ss_size;
  mprotect(page, 4096, PROT_READ | PROT_WRITE);
}
void jumpAway(int) { siglongjmp(escape, 1); }
void countSignal(int signal, siginfo_t* info, [[maybe_unused]] void* context) {
  counted = counted + 1;
  lastSignal = signal;
  lastCode = info->si_code;
#if defined(__x86_64__)
  if (info->si_code > 0) static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP] += 2; // over the instruction
#endif
}

void install(int signal, struct sigaction action) {
  sigemptyset(&action.sa_mask);
  REQUIRE(sigaction(signal, &action, nullptr) == 0);
}
void installWithInfo(int signal, void (*handler)(int, siginfo_t*, void*), int flags) {
  struct sigaction action{};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | flags;
  install(signal, action);
}

void requireRepair(bool alternateStack) {
  mprotect(page, 4096, PROT_NONE);
  faultAddress = nullptr;
  writeTo(page + 100);
  REQUIRE(faultAddress == page + 100);
  REQUIRE(bool(onAlternateStack) == alternateStack);
}

void testRepair() {
  alternate.ss_size = 1 << 16;
  alternate.ss_sp = std::malloc(alternate.ss_size);
  REQUIRE(sigaltstack(&alternate, nullptr) == 0);
  installWithInfo(SIGSEGV, repair, SA_ONSTACK);
  requireRepair(true); // before anything of the driver is here
  const guest::Session session;
  requireRepair(true);
  for (int i = 0; i < 3; ++i) {
    guest::computeSomething(session);
    requireRepair(true);
  }
  // Without SA_ONSTACK the handler runs where the fault was.
  installWithInfo(SIGSEGV, repair, 0);
  guest::computeSomething(session);
  requireRepair(false);
}

/// A fault in the application's code on a thread that is the driver's: an event callback.
void testInCallback() {
  installWithInfo(SIGSEGV, repair, 0);
  const guest::Session session;
  guest::computeSomething(session);
  mprotect(page, 4096, PROT_NONE);
  faultAddress = nullptr;
  cl_int status = CL_SUCCESS;
  cl_event event = clCreateUserEvent(session.context, &status);
  static std::atomic<bool> done{false};
  REQUIRE(clSetEventCallback(
              event, CL_COMPLETE,
              [](cl_event, cl_int, void*) {
                writeTo(page + 200);
                done = true;
              },
              nullptr) == CL_SUCCESS);
  REQUIRE(clSetUserEventStatus(event, CL_COMPLETE) == CL_SUCCESS);
  for (int i = 0; i < 10000 && !done; ++i)
    usleep(1000);
  REQUIRE(done && faultAddress == page + 200);
  clReleaseEvent(event);
}

/// Whatever signals a kernel could raise: those that the application raises or is sent reach its own handlers, as do
/// real traps.
void testOtherSignals() {
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP})
    installWithInfo(signal, countSignal, SA_RESTART);
  const guest::Session session;
  for (int launches = 0; launches < 3; ++launches) {
    for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP}) {
      counted = 0;
      REQUIRE(raise(signal) == 0);
      REQUIRE(counted == 1 && lastSignal == signal && lastCode == SI_TKILL);
      REQUIRE(kill(getpid(), signal) == 0);
      for (int i = 0; i < 1000 && counted < 2; ++i)
        usleep(1000);
      REQUIRE(counted == 2 && lastSignal == signal && lastCode == SI_USER);
    }
#if defined(__x86_64__)
    counted = 0;
    __asm__ volatile("ud2");
    REQUIRE(counted == 1 && lastSignal == SIGILL);
#endif
    guest::computeSomething(session);
  }
}

void testJump() {
  struct sigaction action{};
  action.sa_handler = jumpAway;
  install(SIGSEGV, action);
  const guest::Session session;
  for (int i = 0; i < 3; ++i) {
    guest::computeSomething(session);
    mprotect(page, 4096, PROT_NONE);
    if (sigsetjmp(escape, 1) == 0) {
      writeTo(page);
      REQUIRE(!"reached");
    }
  }
  // SA_RESETHAND: once, then the default.
  action.sa_flags = int(SA_RESETHAND);
  install(SIGSEGV, action);
  guest::computeSomething(session);
  if (sigsetjmp(escape, 1) == 0) writeTo(page);
  struct sigaction now;
  sigaction(SIGSEGV, nullptr, &now);
  REQUIRE(now.sa_handler != jumpAway);
}

struct sigaction next;

/// Installed after the driver's, as a crash reporter or a virtual machine does it. What it does not know it passes on.
void passOn(int signal, siginfo_t* info, void* context) {
  if (info->si_addr >= page && info->si_addr < page + 4096) return repair(signal, info, context);
  counted = counted + 1;
  if (next.sa_flags & SA_SIGINFO) return next.sa_sigaction(signal, info, context);
  std::_Exit(4);
}

void testPassOn() {
  const guest::Session session;
  guest::computeSomething(session);
  struct sigaction action{};
  action.sa_sigaction = passOn;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  REQUIRE(sigaction(SIGSEGV, &action, &next) == 0);
  counted = 0;
  requireRepair(false);
  REQUIRE(counted == 0);
  // A kernel's fault arrives at the driver through the application's handler.
  cl_program program = guest::build(session.context, session.device, "kernel void f(ulong a) { *(global int*)a = 1; }");
  cl_kernel kernel = guest::kernel(program, "f");
  const cl_ulong nowhere = 16;
  REQUIRE(clSetKernelArg(kernel, 0, sizeof nowhere, &nowhere) == CL_SUCCESS);
  const std::size_t one = 1;
  cl_event event = nullptr;
  REQUIRE(clEnqueueNDRangeKernel(session.queue, kernel, 1, nullptr, &one, nullptr, 0, nullptr, &event) == CL_SUCCESS);
  REQUIRE(clWaitForEvents(1, &event) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  REQUIRE(counted == 1);
  requireRepair(false);
  clReleaseEvent(event);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
}

/// The process dies by the signal, as it would without a driver.
void testDeath(void (*disposition)(int), bool launchFirst) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    // With a sanitizer its own handler would report instead.
    signal(SIGSEGV, disposition);
    const guest::Session session;
    if (launchFirst) guest::computeSomething(session);
    mprotect(page, 4096, PROT_NONE);
    writeTo(page);
    std::_Exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

void testDeaths() {
  for (const bool launchFirst : {false, true}) {
    testDeath(SIG_DFL, launchFirst);
    testDeath(SIG_IGN, launchFirst); // the system ignores no trap
  }
}

} // namespace

int main(int argc, char** argv) {
  alarm(120);
  page = static_cast<char*>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(page != MAP_FAILED);
  // Each in a process of its own, since the driver takes over once: at the first launch.
  const std::pair<const char*, void (*)()> tests[] = {{"repair", testRepair},  {"callback", testInCallback},
                                                      {"jump", testJump},      {"sent", testOtherSignals},
                                                      {"pass_on", testPassOn}, {"death", testDeaths}};
  for (const auto& [name, test] : tests)
    if (argc == 2 && std::strcmp(argv[1], name) == 0) {
      test();
      return 0;
    }
  return 2;
}
