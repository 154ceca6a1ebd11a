// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runner.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace clotho::fuzz {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// This process's environment, with what the way needs instead of what was there.
std::vector<std::string> environment(const Way& way) {
  std::map<std::string, std::string> changed;
  if (way.icd.empty()) {
    changed["CLOTHO_WIDTH"] = std::to_string(way.width);
    changed["CLOTHO_CACHE"] = "0"; // each build is a test of the compiler
    if (!way.devices.empty()) changed["CLOTHO_DEVICES"] = way.devices;
  } else {
    changed["OCL_ICD_VENDORS"] = way.icd;
    changed["POCL_KERNEL_CACHE"] = "0";
  }
  std::vector<std::string> result;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    if (!changed.contains(text.substr(0, text.find('=')))) result.push_back(text);
  }
  for (const auto& [name, value] : changed)
    result.push_back(name + "=" + value);
  return result;
}

} // namespace

Child::Child(const Options& options, const Way& way, const Work& work) : way(way), work(work) {
  std::vector<std::string> arguments = {options.self, "--worker",
                                        std::to_string(work.first) + "-" + std::to_string(work.last), "--batch",
                                        std::to_string(work.batch)};
  if (!work.edits.empty()) arguments.insert(arguments.end(), {"--edits", toText(work.edits)});
  if (!work.mistake.empty()) arguments.insert(arguments.end(), {"--mistake", work.mistake});
  if (work.dump) arguments.emplace_back("--dump");
  std::vector<std::string> variables = environment(way);
  std::vector<char*> argv;
  std::vector<char*> envp;
  for (std::string& argument : arguments)
    argv.push_back(argument.data());
  for (std::string& variable : variables)
    envp.push_back(variable.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);

  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  const int status = posix_spawn(&pid_, options.self.c_str(), &actions, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  pipe_ = ends[0];
  if (status != 0) throw std::runtime_error("cannot start " + options.self);
  lastWord_ = now();
}

Child::~Child() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(pipe_);
}

bool Child::read(Outcomes& outcomes) {
  char buffer[65536];
  const ssize_t size = ::read(pipe_, buffer, sizeof buffer);
  if (size <= 0) return false;
  lastWord_ = now();
  rest_.append(buffer, std::size_t(size));
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1)
    line(rest_.substr(begin, end - begin), outcomes);
  rest_.erase(0, begin);
  return true;
}

void Child::line(const std::string& text, Outcomes& outcomes) {
  // A name, one or two numbers, the rest.
  const std::size_t space = text.find(' ');
  if (space == std::string::npos) return;
  const std::string what = text.substr(0, space);
  char* after = nullptr;
  const std::uint64_t a = std::strtoull(text.c_str() + space, &after, 10);
  if (what == "fail") {
    std::string& failure = outcomes[a].failure;
    if (failure.empty()) failure = *after ? after + 1 : "fails";
    return;
  }
  const std::uint64_t b = std::strtoull(after, &after, 10);
  if (what == "begin") {
    batchFirst = a;
    batchLast = b;
  } else if (what == "end") {
    batchFirst = 1;
    batchLast = 0;
  } else if (what == "run" || what == "words") {
    std::vector<std::string>& lines = what == "run" ? outcomes[a].runs : outcomes[a].words;
    if (what == "run") lines.resize(std::max<std::size_t>(lines.size(), b));
    lines.emplace_back(after);
  }
}

double Child::silence() const { return now() - lastWord_; }

void Child::kill() {
  timedOut_ = true;
  ::kill(pid_, SIGKILL);
}

std::string Child::wait() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  if (timedOut_) return "does not end";
  if (WIFSIGNALED(status)) return std::string("crashes: ") + strsignal(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return "ends with status " + std::to_string(WEXITSTATUS(status));
  return batchFirst <= batchLast ? "ends early" : "";
}

} // namespace clotho::fuzz
