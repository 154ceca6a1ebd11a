// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "child_process.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <stdexcept>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

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

} // namespace

ChildOutput runSelf(const std::vector<std::string>& arguments,
                    const std::vector<std::pair<std::string, std::string>>& environment) {
  std::vector<std::string> words = {"clotho-bench"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = environmentWith(environment);
  std::vector<char*> argv = pointersTo(words), envp = pointersTo(variables);

  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t child;
  int error = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error) {
    close(ends[0]);
    throw std::system_error(error, std::generic_category(), "posix_spawn");
  }
  ChildOutput output;
  output.text = readAll(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  output.good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return output;
}

TemporaryFolder::TemporaryFolder() : path_(std::filesystem::temp_directory_path() / "clotho-bench-XXXXXX") {
  if (!mkdtemp(path_.data())) throw std::system_error(errno, std::generic_category(), path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

} // namespace bench
