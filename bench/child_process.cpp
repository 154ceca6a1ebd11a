// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "child_process.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace bench {

namespace {

std::vector<char*> pointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environmentWith(const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry; ++entry) {
    std::string_view text = *entry;
    bool replaced = false;
    for (const auto& [name, value] : variables)
      replaced |= text.starts_with(name + "=");
    if (!replaced) result.emplace_back(text);
  }
  for (const auto& [name, value] : variables)
    result.push_back(name + "=" + value);
  return result;
}

std::string readAll(int file) {
  std::string text;
  char buffer[4096];
  for (;;) {
    ssize_t got = read(file, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

struct Pipe {
  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  }
  ~Pipe() {
    for (int end : ends)
      if (end >= 0) close(end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int take(int which) { return std::exchange(ends[which], -1); }

  int ends[2] = {-1, -1}; ///< to read from, to write to
};

/// Starts this program with `input` (-1: ours) and `output` as its standard streams.
pid_t startSelf(const std::vector<std::string>& arguments,
                const std::vector<std::pair<std::string, std::string>>& environment, int input, int output) {
  std::vector<std::string> words = {"clotho-bench"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = environmentWith(environment);
  std::vector<char*> argv = pointersTo(words), envp = pointersTo(variables);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (input >= 0) posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  pid_t child;
  int error = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error) throw std::system_error(error, std::generic_category(), "posix_spawn");
  return child;
}

int waitFor(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

} // namespace

ChildOutput runSelf(const std::vector<std::string>& arguments,
                    const std::vector<std::pair<std::string, std::string>>& environment) {
  Pipe pipe;
  pid_t child = startSelf(arguments, environment, -1, pipe.ends[1]);
  close(pipe.take(1));
  ChildOutput output;
  output.text = readAll(pipe.ends[0]);
  int status = waitFor(child);
  output.good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return output;
}

Companion::Companion(const std::vector<std::string>& arguments,
                     const std::vector<std::pair<std::string, std::string>>& environment) {
  signal(SIGPIPE, SIG_IGN); // a child that has died shows itself by its missing answer
  Pipe requests, answers;
  child_ = startSelf(arguments, environment, requests.ends[0], answers.ends[1]);
  requests_ = requests.take(1);
  answers_ = answers.take(0);
}

Companion::~Companion() { end(false); }

void Companion::end(bool kill) {
  if (child_ < 0) return;
  if (kill) ::kill(child_, SIGKILL);
  close(requests_);
  close(answers_);
  waitFor(child_);
  child_ = -1;
}

std::optional<std::string> Companion::ask(const std::string& request, int seconds) {
  if (child_ < 0) return std::nullopt;
  std::string line = request + "\n";
  bool good = write(requests_, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  while (good && received_.find('\n') == std::string::npos) {
    pollfd ready{answers_, POLLIN, 0};
    int count = poll(&ready, 1, seconds * 1000);
    if (count < 0 && errno == EINTR) continue;
    char buffer[4096];
    ssize_t got = count > 0 ? read(answers_, buffer, sizeof buffer) : 0;
    good = got > 0;
    if (good) received_.append(buffer, static_cast<std::size_t>(got));
  }
  if (!good) {
    end(true);
    return std::nullopt;
  }
  std::size_t length = received_.find('\n');
  std::string answer = received_.substr(0, length);
  received_.erase(0, length + 1);
  return answer;
}

TemporaryFolder::TemporaryFolder() : path_(std::filesystem::temp_directory_path() / "clotho-bench-XXXXXX") {
  if (!mkdtemp(path_.data())) throw std::system_error(errno, std::generic_category(), path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

} // namespace bench
