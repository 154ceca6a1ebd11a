// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signal handlers are as they were after loading, device queries and builds, and those that the application installs
// later stay. usage: signal_handlers libclotho.so
#include "guest.hpp"

#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

namespace {

std::vector<struct sigaction> allHandlers() {
  std::vector<struct sigaction> handlers(65);
  for (int signal = 1; signal <= 64; ++signal) {
    std::memset(&handlers[std::size_t(signal)], 0, sizeof(struct sigaction));
    sigaction(signal, nullptr, &handlers[std::size_t(signal)]);
  }
  return handlers;
}

bool same(const struct sigaction& a, const struct sigaction& b) {
  return a.sa_handler == b.sa_handler && a.sa_flags == b.sa_flags && std::memcmp(&a.sa_mask, &b.sa_mask, 8) == 0;
}

void requireSame(const std::vector<struct sigaction>& before, const char* when) {
  const auto now = allHandlers();
  for (std::size_t signal = 1; signal <= 64; ++signal)
    if (!same(before[signal], now[signal])) {
      std::fprintf(stderr, "handler of signal %zu has changed after %s\n", signal, when);
      std::exit(1);
    }
}

/// Every query that a device may know, through ranges of numbers: unknown ones are errors.
void queryEverything(cl_device_id device) {
  unsigned answered = 0;
  for (const cl_device_info range : {0x1000, 0x1100, 0x4000, 0x4030, 0x4200})
    for (cl_device_info info = range; info < range + 0x80; ++info) {
      std::size_t size = 0;
      if (clGetDeviceInfo(device, info, 0, nullptr, &size) != CL_SUCCESS) continue;
      std::vector<char> value(size);
      REQUIRE(clGetDeviceInfo(device, info, size, value.data(), nullptr) == CL_SUCCESS);
      ++answered;
    }
  REQUIRE(answered > 60);
}

volatile sig_atomic_t usr1 = 0;
void own(int) { usr1 = usr1 + 1; }
void ownFault(int, siginfo_t*, void*) { std::_Exit(3); }

} // namespace

int main(int argc, char** argv) {
  REQUIRE(argc == 2);
  const auto atStart = allHandlers();
  stack_t stackBefore;
  sigaltstack(nullptr, &stackBefore);
  sigset_t maskBefore;
  pthread_sigmask(SIG_SETMASK, nullptr, &maskBefore);

  // Loading, queries and builds leave everything alone.
  REQUIRE(dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) != nullptr);
  requireSame(atStart, "loading");
  queryEverything(guest::firstDevice());
  requireSame(atStart, "device queries");
  guest::Session session;
  cl_program program = guest::build(session.context, session.device, guest::freshSource().c_str());
  REQUIRE(clReleaseProgram(program) == CL_SUCCESS);
  requireSame(atStart, "a build");

  // What the application installs before the first launch is there after it, for every signal that no kernel can raise.
  struct sigaction mine{};
  mine.sa_handler = own;
  mine.sa_flags = SA_RESTART;
  for (const int signal : {SIGUSR1, SIGUSR2, SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGCHLD, SIGPIPE, SIGPROF})
    REQUIRE(sigaction(signal, &mine, nullptr) == 0);
  const auto installed = allHandlers();
  guest::computeSomething(session);
  auto now = allHandlers();
  for (const std::size_t fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP})
    now[fault] = installed[fault];
  for (std::size_t signal = 1; signal <= 64; ++signal)
    REQUIRE(same(installed[signal], now[signal]));

  // Handlers installed after a launch win, those of faults included, and stay through more launches.
  struct sigaction fault{};
  fault.sa_sigaction = ownFault;
  fault.sa_flags = SA_SIGINFO;
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP})
    REQUIRE(sigaction(signal, &fault, nullptr) == 0);
  const auto later = allHandlers();
  for (int i = 0; i < 3; ++i)
    guest::computeSomething(session, i);
  {
    const guest::Session another;
    guest::computeSomething(another);
  }
  requireSame(later, "later launches");

  // Signals sent to the process are delivered to the application's threads, not swallowed.
  REQUIRE(kill(getpid(), SIGUSR1) == 0);
  for (int i = 0; i < 1000 && usr1 == 0; ++i)
    usleep(1000);
  REQUIRE(usr1 == 1);

  stack_t stackAfter;
  sigaltstack(nullptr, &stackAfter);
  REQUIRE(stackAfter.ss_sp == stackBefore.ss_sp && stackAfter.ss_flags == stackBefore.ss_flags);
  sigset_t maskAfter;
  pthread_sigmask(SIG_SETMASK, nullptr, &maskAfter);
  REQUIRE(std::memcmp(&maskBefore, &maskAfter, 8) == 0);
  return 0;
}
