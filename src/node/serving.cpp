// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/serving.hpp"

#include <csignal>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace clotho::node {

namespace {

int lastSignal(const UniqueFd& signals) {
  signalfd_siginfo info{};
  return read(signals.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info) ? static_cast<int>(info.ssi_signo)
                                                                                      : 0;
}

/// The exit status, if a signal ends the node.
std::optional<int> handleSignal(int signal, pid_t program) {
  if (signal == SIGCHLD) return program != 0 ? exitOf(program) : std::nullopt;
  if (signal == 0) return std::nullopt;
  if (program == 0) return EXIT_SUCCESS;
  kill(program, signal);
  return std::nullopt;
}

} // namespace

UniqueFd takeSignals(const InheritedSignals& inherited, bool isService) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGHUP, SIGCHLD, SIGINT})
    if (signal == SIGCHLD || (!inherited.ignores(signal) && (isService || signal != SIGINT)))
      sigaddset(&signals, signal);
  std::signal(SIGCHLD, SIG_DFL); // where it is ignored, the system forgets a program that ends
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A terminal tells the program, too, which decides what it means.
  if (!isService) std::signal(SIGINT, SIG_IGN);
  std::signal(SIGQUIT, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  return makeFd([&] { return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK); });
}

int serve(const UniqueFd& listener, const UniqueFd& signals, Server& server, const Ending& ending) {
  pollfd fds[] = {
      {listener.get(), POLLIN, 0}, {signals.get(), POLLIN, 0}, {ending.input, POLLIN, 0}, {ending.event, POLLIN, 0}};
  constexpr int kPauseMs = 20;
  bool isPausing = false;
  for (;;) {
    const bool isWaiting = isPausing || server.isBusy();
    fds[0].fd = isWaiting ? -1 : listener.get();
    if (retryInterrupted([&] { return poll(fds, std::size(fds), isWaiting ? kPauseMs : -1); }) < 0) return EXIT_FAILURE;
    isPausing = false;
    if (fds[0].fd >= 0 && fds[0].revents != 0) {
      UniqueFd connection(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
      isPausing = !connection; // without descriptors or memory; the connection waits at the socket
      if (connection) server.accept(aboveLowNumbers(std::move(connection)));
    }
    if (fds[1].revents != 0)
      if (const std::optional<int> status = handleSignal(lastSignal(signals), ending.program)) return *status;
    char byte;
    if (fds[2].revents != 0 && read(ending.input, &byte, 1) <= 0) return EXIT_SUCCESS;
    if (fds[3].revents != 0) return EXIT_SUCCESS;
  }
}

} // namespace clotho::node
