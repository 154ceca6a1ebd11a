// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Traps that are not a kernel's, each in a process of its own: handlers are installed once a process, so this program
// itself never installs them.
#include "device/cpu/faults.hpp"

#include "device/cpu/guarded_call.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

#include <csetjmp>
#include <csignal>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace clotho::cpu {
namespace {

/// The wait status of a child that runs `body`, which ends with _exit.
template <class Body> int inChild(Body&& body) {
  pid_t child = fork();
  if (child == 0) {
    alarm(30);
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

volatile int* const kNowhere = reinterpret_cast<volatile int*>(0x40);

#if defined(__has_feature)
// Sanitizers have handlers of their own, which report instead of dying by the signal.
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
// This one keeps the handlers of asynchronous signals waiting while foreign code runs.
constexpr bool kDefersSignals = __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false, kDefersSignals = false;
#endif

/// Writes where nothing is, in a way that no compiler sees through.
__attribute__((noinline, no_sanitize("all"))) void trap() { *kNowhere = 1; }

void setHandler(int signal, void (*handler)(int, siginfo_t*, void*), int flags) {
  struct sigaction action{};
  action.sa_sigaction = handler;
  action.sa_flags = flags | SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGUSR2);
  sigaction(signal, &action, nullptr);
}

TEST(OtherTraps, DefaultActionKillsAsWithoutUs) {
  if (kSanitized) GTEST_SKIP() << "sanitizers end the process in their own way";
  int status = inChild([] {
    signal(SIGSEGV, SIG_DFL);
    installFaultHandlers();
    trap();
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGSEGV);
}

#if defined(__x86_64__)
// The instruction is over when the handler runs, so it does not trap again.
TEST(OtherTraps, BreakpointKillsAsWithoutUs) {
  if (kSanitized) GTEST_SKIP() << "sanitizers end the process in their own way";
  const int status = inChild([] {
    signal(SIGTRAP, SIG_DFL);
    installFaultHandlers();
    __asm__ volatile("int3");
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTRAP);
}
#endif

TEST(OtherTraps, IgnoredIsDefaultForATrapAndNothingForASentSignal) {
  if (kSanitized) GTEST_SKIP() << "sanitizers end the process in their own way";
  int status = inChild([] {
    signal(SIGSEGV, SIG_IGN);
    installFaultHandlers();
    raise(SIGSEGV);
    signal(SIGALRM, SIG_DFL);
    trap();
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGSEGV);
  EXPECT_EQ(WEXITSTATUS(inChild([] {
              signal(SIGSEGV, SIG_IGN);
              installFaultHandlers();
              raise(SIGSEGV);
              _exit(7);
            })),
            7);
}

TEST(OtherTraps, ASentSignalKillsByDefault) {
  if (kSanitized) GTEST_SKIP() << "sanitizers end the process in their own way";
  int status = inChild([] {
    signal(SIGILL, SIG_DFL);
    installFaultHandlers();
    raise(SIGILL);
    _exit(3);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGILL);
}

TEST(OtherTraps, TheApplicationsHandlerGetsItsTraps) {
  int status = inChild([] {
    setHandler(
        SIGSEGV,
        [](int signal, siginfo_t* info, void* context) {
          sigset_t mask;
          pthread_sigmask(SIG_BLOCK, nullptr, &mask);
          bool right = signal == SIGSEGV && info->si_addr == const_cast<int*>(kNowhere) && context &&
                       sigismember(&mask, SIGSEGV) && sigismember(&mask, SIGUSR2) && !sigismember(&mask, SIGUSR1);
          _exit(right ? 42 : 43);
        },
        0);
    installFaultHandlers();
    trap();
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

sigjmp_buf applicationJump;
volatile int handled = 0;

TEST(OtherTraps, TheApplicationMayJumpOutOfItsHandler) {
  int status = inChild([] {
    setHandler(SIGSEGV, [](int, siginfo_t*, void*) { siglongjmp(applicationJump, 1); }, 0);
    installFaultHandlers();
    for (int i = 0; i < 5; ++i) {
      if (sigsetjmp(applicationJump, 1) == 0) trap();
      handled = handled + 1;
    }
    // Kernels' traps are still ours.
    Executor executor;
    std::uint64_t out[2] = {};
    TestArgs args{out, 1};
    LaunchParams params = testParams(args, 2);
    WorkerContext context{};
    if (!executor.enter() || !executor.hasStack()) _exit(1);
    Fault fault = guardedCall(executor, testKernel("write_unmapped").function(), &params, &context, 0, 2);
    _exit(fault && handled == 5 ? 42 : 43);
  });
  ASSERT_TRUE(WIFEXITED(status)) << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

TEST(OtherTraps, PlainHandlerWithoutSiginfo) {
  EXPECT_EQ(WEXITSTATUS(inChild([] {
              signal(SIGSEGV, [](int signal) { _exit(signal == SIGSEGV ? 42 : 43); });
              installFaultHandlers();
              trap();
            })),
            42);
}

char* page;

TEST(OtherTraps, AHandlerMayRepairAndReturn) {
  EXPECT_EQ(WEXITSTATUS(inChild([] {
              page = static_cast<char*>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
              setHandler(SIGSEGV, [](int, siginfo_t*, void*) { mprotect(page, 4096, PROT_READ | PROT_WRITE); }, 0);
              installFaultHandlers();
              *static_cast<volatile char*>(page) = 5;
              sigset_t mask;
              pthread_sigmask(SIG_BLOCK, nullptr, &mask);
              _exit(*page == 5 && !sigismember(&mask, SIGSEGV) && !sigismember(&mask, SIGUSR2) ? 42 : 43);
            })),
            42);
}

TEST(OtherTraps, AHandlerForOneSignalOnly) {
  if (kSanitized) GTEST_SKIP() << "sanitizers end the process in their own way";
  int status = inChild([] {
    page = static_cast<char*>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    setHandler(
        SIGSEGV, [](int, siginfo_t*, void*) { mprotect(page, 4096, PROT_READ | PROT_WRITE); },
        static_cast<int>(SA_RESETHAND));
    installFaultHandlers();
    *static_cast<volatile char*>(page) = 5; // handled
    trap();                                 // not any more
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGSEGV);
}

std::byte* ownStackTop;

TEST(OtherTraps, HandlersRunOnTheStackTheyAskedFor) {
  // While a host thread helps, its signal stack is ours; a handler without SA_ONSTACK expects the thread's own stack.
  for (int flags : {0, SA_ONSTACK}) {
    int status = inChild([flags] {
      setHandler(
          SIGSEGV,
          [](int, siginfo_t*, void*) {
            auto here = static_cast<std::byte*>(__builtin_frame_address(0));
            std::ptrdiff_t distance = ownStackTop - here;
            _exit(distance > 0 && distance < (1 << 20) ? 42 : 43);
          },
          flags);
      installFaultHandlers();
      Executor executor;
      if (!executor.enter()) _exit(1);
      ownStackTop = static_cast<std::byte*>(__builtin_frame_address(0));
      trap();
    });
    ASSERT_TRUE(WIFEXITED(status)) << WTERMSIG(status);
#if defined(__x86_64__)
    EXPECT_EQ(WEXITSTATUS(status), flags ? 43 : 42);
#endif
  }
}

TEST(OtherTraps, AHandlerInstalledLaterWins) {
  EXPECT_EQ(WEXITSTATUS(inChild([] {
              installFaultHandlers();
              signal(SIGSEGV, [](int) { _exit(42); });
              installFaultHandlers();
              trap();
            })),
            42);
}

TEST(OtherTraps, ATrapInASignalHandlerDuringAKernelIsNotTheKernels) {
  if (kDefersSignals) GTEST_SKIP() << "no signal handler runs during a kernel";
  int status = inChild([] {
    setHandler(SIGSEGV, [](int, siginfo_t*, void*) { _exit(42); }, SA_ONSTACK);
    setHandler(SIGALRM, [](int, siginfo_t*, void*) { trap(); }, 0);
    installFaultHandlers();
    Executor executor;
    if (!executor.enter() || !executor.hasStack()) _exit(1);
    std::uint64_t out[1] = {};
    TestArgs args{out, UINT64_MAX};
    LaunchParams params = testParams(args, 1);
    WorkerContext context{};
    ualarm(20000, 0);
    guardedCall(executor, testKernel("work").function(), &params, &context, 0, 1);
    _exit(43);
  });
  ASSERT_TRUE(WIFEXITED(status)) << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

} // namespace
} // namespace clotho::cpu
