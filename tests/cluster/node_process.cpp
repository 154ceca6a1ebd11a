// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node_process.hpp"

#include <csignal>
#include <cstdlib>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace clotho::test {

NodeProcess::NodeProcess(const std::string& token) : name_("test-" + std::to_string(getpid())) {
  const std::string secret(64, '5');
  const auto makePipe = [] { return makeFdPair([](int* fds) { return pipe2(fds, O_CLOEXEC); }); };
  FdPair input = makePipe(), output = makePipe();
  process_ = fork();
  if (process_ == 0) {
    setenv("CLOTHO_CLUSTER_TOKEN", secret.c_str(), 1);
    dup2(input.first.get(), STDIN_FILENO);
    dup2(output.second.get(), STDOUT_FILENO);
    execl(CLOTHO_NODE, CLOTHO_NODE, "serve", name_.c_str(), nullptr);
    _exit(127);
  }
  output.second.reset();
  lifetime_ = std::move(input.second);
  char word[8] = {};
  isReady_ = read(output.first.get(), word, sizeof word) > 0 && std::string_view(word).starts_with("ready");
  setenv("CLOTHO_CLUSTER", ("local:" + name_).c_str(), 1);
  setenv("CLOTHO_CLUSTER_TOKEN", token.empty() ? secret.c_str() : token.c_str(), 1);
}

NodeProcess::~NodeProcess() {
  lifetime_.reset();
  if (isReaped_ || process_ <= 0) return;
  kill(process_, SIGCONT);
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

void NodeProcess::signal(int number) const { kill(process_, number); }

bool NodeProcess::isAlive() {
  if (!isReaped_) isReaped_ = waitpid(process_, nullptr, WNOHANG) == process_;
  return !isReaped_;
}

} // namespace clotho::test
