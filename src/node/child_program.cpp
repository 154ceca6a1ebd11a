// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/child_program.hpp"

#include "base/unique_fd.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <string_view>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace clotho::node {

std::vector<std::string> environmentForPrograms() {
  std::vector<std::string> result;
  for (char** entry = environ; entry && *entry; ++entry)
    if (!std::string_view(*entry).starts_with("CLOTHO_CLUSTER")) result.emplace_back(*entry);
  return result;
}

InheritedSignals::InheritedSignals() noexcept {
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked_);
  sigemptyset(&ignored_);
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action{};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) sigaddset(&ignored_, signal);
  }
}

void InheritedSignals::restore() const noexcept {
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action{};
    action.sa_handler = ignores(signal) ? SIG_IGN : SIG_DFL;
    sigaction(signal, &action, nullptr);
  }
  pthread_sigmask(SIG_SETMASK, &blocked_, nullptr);
}

InheritedDescriptors::InheritedDescriptors(int except) {
  DIR* folder = opendir("/proc/self/fd");
  if (!folder) return;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is this function's own
  while (const dirent* entry = readdir(folder)) {
    unsigned number = 0;
    const std::string_view name = entry->d_name;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool isNumber = error == std::errc() && end == name.data() + name.size();
    if (isNumber && static_cast<int>(number) != dirfd(folder) && static_cast<int>(number) != except)
      open_.push_back(number);
  }
  closedir(folder);
  std::ranges::sort(open_);
}

void InheritedDescriptors::closeOthersAtExec() const noexcept {
  unsigned first = STDERR_FILENO + 1;
  const auto close = [&](unsigned last) {
    if (first <= last) syscall(SYS_close_range, first, last, CLOSE_RANGE_CLOEXEC);
  };
  for (const unsigned fd : open_) {
    if (fd < first) continue;
    close(fd - 1);
    first = fd + 1;
  }
  close(~0u);
}

pid_t startProgram(char** arguments, std::vector<std::string> environment, const std::string& node,
                   const cluster::Token& token, const Inherited& inherited) {
  environment.push_back("CLOTHO_CLUSTER=local:" + node);
  environment.push_back("CLOTHO_CLUSTER_TOKEN=" + token.text());
  std::vector<char*> entries;
  entries.reserve(environment.size() + 1);
  for (std::string& entry : environment)
    entries.push_back(entry.data());
  entries.push_back(nullptr);

  // The program's end of the pipe closes when it starts, or tells why it does not.
  FdPair failure = makeFdPair([](int* fds) { return pipe2(fds, O_CLOEXEC); });
  if (!failure.first) return 0;
  const pid_t program = fork();
  if (program == 0) {
    inherited.signals.restore();
    inherited.descriptors.closeOthersAtExec();
    execvpe(arguments[0], arguments, entries.data());
    const int error = errno;
    static_cast<void>(write(failure.second.get(), &error, sizeof error));
    _exit(EXIT_FAILURE);
  }
  if (program < 0) return 0;
  failure.second.reset();
  int error = 0;
  if (retryInterrupted([&] { return read(failure.first.get(), &error, sizeof error); }) <= 0) return program;
  retryInterrupted([&] { return waitpid(program, nullptr, 0); });
  errno = error;
  return 0;
}

std::optional<int> exitOf(pid_t program) noexcept {
  constexpr int kBySignal = 128;
  int status = 0;
  const pid_t ended = waitpid(program, &status, WNOHANG);
  if (ended < 0 && errno == ECHILD) return EXIT_FAILURE;
  if (ended != program) return std::nullopt;
  return WIFSIGNALED(status) ? kBySignal + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace clotho::node
