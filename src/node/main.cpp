// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clotho-node: devices of this machine for programs of this user (docs/architecture/device-cluster.md).
//   clotho-node [--devices LIST] run PROGRAM ARGUMENTS
//       starts a program that has them, and ends with it
//   clotho-node [--devices LIST] serve NAME
//       for programs that know the name and the token, which is in the environment; until standard input ends
// LIST is as in CLOTHO_DEVICES; cpu if there is none.
#include "base/handles.hpp"
#include "base/options.hpp"
#include "cluster/handshake.hpp"
#include "node/child_program.hpp"
#include "node/server.hpp"
#include "runtime/devices.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <poll.h>
#include <string>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace clotho {
/// No application has a handle of this process's objects.
const cl_icd_dispatch* const kDispatch = nullptr;
} // namespace clotho

// NOLINTBEGIN(concurrency-mt-unsafe): there is no other thread that changes the environment
namespace clotho::node {
namespace {

constexpr int kUsageError = 2, kCannotRun = 127;

/// This process's own choice of devices. What the program's are to be stays in the program's environment.
void setOwnOptions(const char* devices) {
  setenv("CLOTHO_DEVICES", devices, /*overwrite=*/1);
  for (const char* variable : {"CLOTHO_CLUSTER", "CLOTHO_CLUSTER_TOKEN", "CLOTHO_CPU_DEVICES"})
    unsetenv(variable);
  static_cast<void>(options());
}

/// A descriptor that can be read when one of these signals comes, which then does nothing else.
/// Signals that the process was started to ignore do nothing.
UniqueFd takeSignals(const InheritedSignals& inherited) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGHUP, SIGCHLD})
    if (signal == SIGCHLD || !inherited.ignores(signal)) sigaddset(&signals, signal);
  std::signal(SIGCHLD, SIG_DFL); // where it is ignored, the system forgets a program that ends
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A terminal tells the program, too, which decides what it means.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGQUIT, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  return makeFd([&] { return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK); });
}

int lastSignal(const UniqueFd& signals) {
  signalfd_siginfo info{};
  return read(signals.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info) ? static_cast<int>(info.ssi_signo)
                                                                                      : 0;
}

/// Answers programs until the program is over (`program`), or standard input (0). The exit status.
int serve(const UniqueFd& listener, const UniqueFd& signals, Server& server, pid_t program) {
  pollfd fds[] = {
      {listener.get(), POLLIN, 0}, {signals.get(), POLLIN, 0}, {program == 0 ? STDIN_FILENO : -1, POLLIN, 0}};
  constexpr int kPauseMs = 20;
  bool isPausing = false;
  for (;;) {
    fds[0].fd = isPausing || server.isBusy() ? -1 : listener.get();
    if (retryInterrupted([&] { return poll(fds, std::size(fds), fds[0].fd < 0 ? kPauseMs : -1); }) < 0)
      return EXIT_FAILURE;
    isPausing = false;
    if (fds[0].fd >= 0 && fds[0].revents != 0) {
      UniqueFd connection(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
      isPausing = !connection; // without descriptors or memory; the connection waits at the socket
      if (connection) server.accept(aboveLowNumbers(std::move(connection)));
    }
    if (fds[1].revents != 0) {
      const int signal = lastSignal(signals);
      if (signal == SIGCHLD) {
        const std::optional<int> status = program != 0 ? exitOf(program) : std::nullopt;
        if (status) return *status;
      } else if (signal != 0) {
        if (program == 0) return EXIT_SUCCESS;
        kill(program, signal);
      }
    }
    char byte;
    if (fds[2].revents != 0 && read(STDIN_FILENO, &byte, 1) <= 0) return EXIT_SUCCESS;
  }
}

int runProgram(char** arguments, const char* devices) {
  std::vector<std::string> environment = environmentForPrograms();
  const InheritedSignals inherited;
  setOwnOptions(devices);
  const UniqueFd signals = takeSignals(inherited);
  const std::optional<cluster::Token> token = cluster::Token::make(), name = cluster::Token::make();
  if (!token || !name || !signals) return EXIT_FAILURE;
  const std::string node = name->text().substr(0, 32);
  const UniqueFd listener = cluster::listenAs(node);
  if (!listener) {
    std::fprintf(stderr, "clotho-node: cannot be reached: %s\n", std::strerror(errno));
    return EXIT_FAILURE;
  }
  static auto* const server = new Server(*token, makeDevices(makeHostDevices())); // its threads use it to the end
  const pid_t program = startProgram(arguments, std::move(environment), node, *token, inherited);
  if (program == 0) {
    std::fprintf(stderr, "clotho-node: %s: %s\n", arguments[0], std::strerror(errno));
    return kCannotRun;
  }
  return serve(listener, signals, *server, program);
}

int serveAs(const char* name, const char* devices) {
  const char* secret = std::getenv("CLOTHO_CLUSTER_TOKEN");
  const std::optional<cluster::Token> token = cluster::Token::parse(secret ? secret : "");
  setOwnOptions(devices);
  const UniqueFd signals = takeSignals(InheritedSignals()), listener = cluster::listenAs(name);
  if (!token || !listener || !signals) {
    std::fprintf(stderr, "clotho-node: no token of 64 hexadecimal digits, or the name is in use\n");
    return EXIT_FAILURE;
  }
  static auto* const server = new Server(*token, makeDevices(makeHostDevices()));
  std::puts("ready");
  std::fflush(stdout);
  return serve(listener, signals, *server, 0);
}

} // namespace
} // namespace clotho::node
// NOLINTEND(concurrency-mt-unsafe)

int main(int argc, char** argv) {
  int status = clotho::node::kUsageError;
  const bool choosesDevices = argc >= 3 && std::strcmp(argv[1], "--devices") == 0;
  const char* devices = choosesDevices ? argv[2] : "cpu";
  const int first = choosesDevices ? 3 : 1, count = argc - first;
  if (count >= 2 && std::strcmp(argv[first], "run") == 0)
    status = clotho::node::runProgram(argv + first + 1, devices);
  else if (count == 2 && std::strcmp(argv[first], "serve") == 0)
    status = clotho::node::serveAs(argv[first + 1], devices);
  else
    std::fprintf(stderr, "usage: clotho-node [--devices LIST] run PROGRAM ARGUMENTS\n"
                         "       clotho-node [--devices LIST] serve NAME\n");
  // Threads may run what destructors would take from them.
  std::fflush(nullptr);
  _exit(status);
}
