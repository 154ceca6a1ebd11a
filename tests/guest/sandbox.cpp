// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A host in a sandbox whose filter asks a handler of SIGSYS about some system calls: such calls of the driver's threads
// and of the compiler's start get the handler's answer. A thread that blocked the signal would end the process.
#include "guest.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#if !defined(__x86_64__)
int main() { return 77; } // the handler below knows one architecture's registers
#else

namespace {

// Calls with this as fifth argument are the handler's own.
constexpr long kMark = 0x5a17b0c5;
std::atomic<int> asked[2];

/// Makes the call in the thread's place, as a broker would.
void onAsked(int, siginfo_t* info, void* raw) {
  const int savedErrno = errno;
  greg_t* registers = static_cast<ucontext_t*>(raw)->uc_mcontext.gregs;
  ++asked[info->si_syscall == SYS_dup3];
  const long result = syscall(info->si_syscall, registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                              info->si_syscall == SYS_dup3 ? 0 : registers[REG_R10], kMark);
  registers[REG_RAX] = result < 0 ? -errno : result;
  errno = savedErrno;
}

/// Asks about prctl(PR_SET_NAME), with which each of the driver's threads begins, and dup3, by which the compiler gets
/// its socket.
void enterSandbox() {
  constexpr auto kArgument = [](int index) {
    return std::uint32_t(offsetof(seccomp_data, args) + 8 * unsigned(index));
  };
  const sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kArgument(4)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kMark, 6, 0),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_dup3, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kArgument(0)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_NAME, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{std::size(filter), const_cast<sock_filter*>(filter)};
  struct sigaction action{};
  action.sa_sigaction = onAsked;
  action.sa_flags = SA_SIGINFO;
  REQUIRE(sigaction(SIGSYS, &action, nullptr) == 0);
  REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  REQUIRE(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0);
}

} // namespace

int main() {
  enterSandbox();
  const guest::Session session;
  for (int i = 0; i < 3; ++i)
    guest::computeSomething(session, i);
  // A thread that runs callbacks.
  cl_int status = CL_SUCCESS;
  static std::atomic<int> called;
  cl_event gate = clCreateUserEvent(session.context, &status);
  REQUIRE(status == CL_SUCCESS);
  REQUIRE(clSetEventCallback(gate, CL_COMPLETE, [](cl_event, cl_int, void*) { called = 1; }, nullptr) == CL_SUCCESS);
  REQUIRE(clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
  for (int i = 0; i < 20000 && called == 0; ++i)
    usleep(1000);
  REQUIRE(called == 1);
  clReleaseEvent(gate);
  std::printf("asked %d times for names, %d times for descriptors\n", asked[0].load(), asked[1].load());
  REQUIRE(asked[0] >= 2 && asked[1] >= 1);
  return 0;
}

#endif
