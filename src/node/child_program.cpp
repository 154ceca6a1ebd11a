// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/child_program.hpp"

#include <cerrno>
#include <csignal>
#include <spawn.h>
#include <string_view>
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

pid_t startProgram(char** arguments, std::vector<std::string> environment, const std::string& node,
                   const cluster::Token& token) {
  environment.push_back("CLOTHO_CLUSTER=local:" + node);
  environment.push_back("CLOTHO_CLUSTER_TOKEN=" + token.text());
  std::vector<char*> entries;
  entries.reserve(environment.size() + 1);
  for (std::string& entry : environment)
    entries.push_back(entry.data());
  entries.push_back(nullptr);

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t program = 0;
  const int error = posix_spawnp(&program, arguments[0], nullptr, &attributes, arguments, entries.data());
  posix_spawnattr_destroy(&attributes);
  errno = error;
  return error == 0 ? program : 0;
}

std::optional<int> exitOf(pid_t program) noexcept {
  constexpr int kBySignal = 128;
  int status = 0;
  if (waitpid(program, &status, WNOHANG) != program) return std::nullopt;
  return WIFSIGNALED(status) ? kBySignal + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace clotho::node
