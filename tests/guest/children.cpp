// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler is not a child that the application's wait can see, and no SIGCHLD comes from it; not even if orphans
// come back to the application, as they do to the first process of a container. usage: children [adopts]
#include "guest.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

volatile sig_atomic_t childSignals = 0;
void count(int) { childSignals = childSignals + 1; }

void requireNoChild() {
  errno = 0;
  REQUIRE(waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD);
  errno = 0;
  siginfo_t info;
  REQUIRE(waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WCONTINUED | WNOHANG) == -1 && errno == ECHILD);
}

} // namespace

int main(int argc, char** argv) {
  alarm(120);
  if (argc == 2 && std::strcmp(argv[1], "adopts") == 0) REQUIRE(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
  struct sigaction action{};
  action.sa_handler = count;
  action.sa_flags = SA_RESTART;
  sigaction(SIGCHLD, &action, nullptr);
  requireNoChild();

  // The application's own child is the only one that a waiting thread gets, while the compiler is started and builds.
  int gate[2];
  REQUIRE(pipe(gate) == 0);
  const pid_t first = fork();
  if (first == 0) {
    close(gate[1]);
    char byte;
    _exit(read(gate[0], &byte, 1) == 0 ? 17 : 1);
  }
  close(gate[0]);
  std::atomic<bool> waited{false};
  std::thread waiter([&] {
    int status = 0;
    REQUIRE(waitpid(-1, &status, 0) == first && WIFEXITED(status) && WEXITSTATUS(status) == 17);
    waited = true;
    REQUIRE(wait(&status) == -1 && errno == ECHILD);
  });
  {
    guest::Session session;
    for (int i = 0; i < 3; ++i)
      guest::computeSomething(session, i);
    REQUIRE(!waited && childSignals == 0);
    close(gate[1]);
    waiter.join();
    REQUIRE(waited && childSignals == 1);
    requireNoChild();

    guest::computeSomething(session, 4);
    requireNoChild();
    REQUIRE(childSignals == 1);

    // A process that ignores SIGCHLD can build too.
    signal(SIGCHLD, SIG_IGN);
    guest::computeSomething(session, 5);
    requireNoChild();
  }
  // And when the compiler ends.
  sigaction(SIGCHLD, &action, nullptr);
  usleep(50000);
  requireNoChild();
  REQUIRE(childSignals == 1);
  return 0;
}
