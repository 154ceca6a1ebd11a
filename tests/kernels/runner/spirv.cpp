// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv.hpp"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace {

/// A file that is gone with the object.
class TemporaryFile {
 public:
  TemporaryFile() : path_((std::filesystem::temp_directory_path() / "clotho-kernel-tests-XXXXXX").string()) {
    const int file = mkostemp(path_.data(), O_CLOEXEC);
    if (file < 0) throw std::runtime_error("cannot make a temporary file");
    close(file);
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }
  std::string contents() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_;
};

/// Waits for the command; what it prints goes into a file. Returns its exit status, or more than that if it crashed.
int run(const std::vector<std::string>& command, const std::string& output) {
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_TRUNC, 0);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) throw std::runtime_error("cannot run " + command[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

bool agrees(const std::string& pattern, const std::string& text) { return pattern == "-" || pattern == text; }

} // namespace

std::string Producer::spirvOf(const std::filesystem::path& source, const std::string& options) const {
  const TemporaryFile spirv, said;
  std::vector<std::string> command = command_;
  command.insert(command.end(), {source.string(), options, spirv.path()});
  constexpr int kNotProduced = 77; // as test runners have it for what is skipped
  const int status = run(command, said.path());
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotProduced) throw NotProduced(said.contents());
  if (status != 0) throw std::runtime_error("no SPIR-V:\n" + said.contents());
  return spirv.contents();
}

KnownFaults::KnownFaults(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path.string());
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    std::istringstream fields(line);
    Fault fault;
    std::string reason;
    if (!std::getline(fields, fault.test, '\t') || !std::getline(fields, fault.kernel, '\t') ||
        !std::getline(fields, fault.options, '\t') || !std::getline(fields, reason) || reason.empty())
      throw std::runtime_error(path.string() + ": not four fields: " + line);
    faults_.push_back(std::move(fault));
  }
}

bool KnownFaults::has(const std::string& test, const std::string& kernel, const std::string& options) const {
  return std::any_of(faults_.begin(), faults_.end(), [&](const Fault& fault) {
    return test.ends_with("/" + fault.test) && agrees(fault.kernel, kernel) &&
           (fault.options == "-" || options.find(fault.options) != std::string::npos);
  });
}
