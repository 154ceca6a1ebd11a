// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/client/build_client.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace clotho::test {

#if defined(__has_feature)
inline constexpr bool kThreadSanitized = __has_feature(thread_sanitizer);
inline constexpr bool kSanitized = kThreadSanitized || __has_feature(address_sanitizer);
#else
inline constexpr bool kThreadSanitized = false, kSanitized = false;
#endif

/// A folder for one test, removed with what is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const char* base = getenv("TMPDIR"); // NOLINT(concurrency-mt-unsafe)
    std::string name = std::string(base ? base : "/tmp") + "/clotho-test-XXXXXX";
    if (mkdtemp(name.data())) path_ = name;
  }
  ~TemporaryFolder() {
    chmod(path_.c_str(), 0700);
    for (const std::string& name : names())
      remove((path_ + "/" + name).c_str());
    rmdir(path_.c_str());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  /// The files in it whose names end so.
  std::vector<std::string> names(const std::string& suffix = "") const {
    std::vector<std::string> result;
    DIR* directory = opendir(path_.c_str());
    if (!directory) return result;
    while (dirent* entry = readdir(directory)) { // NOLINT(concurrency-mt-unsafe)
      std::string name = entry->d_name;
      if (name != "." && name != ".." && name.ends_with(suffix)) result.push_back(name);
    }
    closedir(directory);
    return result;
  }

 private:
  std::string path_;
};

inline std::string readFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

inline void writeFile(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

inline bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

template <class Condition> bool waitUntil(Condition&& holds, std::chrono::seconds limit = std::chrono::seconds(20)) {
  auto end = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

/// Whether the process runs; a zombie, which its parent has not waited for yet, does not.
inline bool runs(pid_t pid) {
  std::string stat = readFile("/proc/" + std::to_string(pid) + "/stat");
  std::size_t name = stat.rfind(") ");
  return name != std::string::npos && stat[name + 2] != 'Z' && stat[name + 2] != 'X';
}

inline pid_t parentOf(pid_t pid) {
  std::string stat = readFile("/proc/" + std::to_string(pid) + "/stat");
  std::size_t name = stat.rfind(") ");
  return name == std::string::npos ? -1 : std::stoi(stat.substr(name + 4));
}

inline std::vector<pid_t> childrenOf(pid_t parent) {
  std::vector<pid_t> result;
  DIR* directory = opendir("/proc");
  while (dirent* entry = readdir(directory)) { // NOLINT(concurrency-mt-unsafe)
    pid_t pid = std::atoi(entry->d_name);
    if (pid > 0 && parentOf(pid) == parent && runs(pid)) result.push_back(pid);
  }
  closedir(directory);
  return result;
}

/// Runs `body` in a child of the test, for what would change the test's own process. The body returns an empty string
/// or what is wrong; so does this.
inline std::string inChild(const std::function<std::string()>& body) {
  int pipes[2];
  if (pipe(pipes) != 0) return "no pipe";
  pid_t pid = fork();
  if (pid == 0) {
    close(pipes[0]);
    int answer = fcntl(pipes[1], F_DUPFD_CLOEXEC, 200);
    close(pipes[1]);
    std::string wrong = body();
    if (write(answer, wrong.data(), wrong.size()) < 0) _exit(2);
    _exit(wrong.empty() ? 0 : 1);
  }
  close(pipes[1]);
  std::string wrong;
  char buffer[4096];
  for (ssize_t got; (got = read(pipes[0], buffer, sizeof buffer)) > 0;)
    wrong.append(buffer, static_cast<std::size_t>(got));
  close(pipes[0]);
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) return "the child was not waited for: " + wrong;
  if (WIFSIGNALED(status)) return "the child died of signal " + std::to_string(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0 && wrong.empty()) return "the child ended with " + std::to_string(WEXITSTATUS(status));
  return wrong;
}

inline ClientConfig fakeConfig(const std::string& cacheFolder = "") {
  ClientConfig config;
  config.compiler = CLOTHO_FAKE_COMPILER;
  config.cacheFolder = cacheFolder;
  return config;
}

inline BuildRequest source(std::string text) {
  BuildRequest request;
  request.source = std::move(text);
  request.workingDirectory = "/";
  return request;
}

/// What a build got wrong, or nothing: for bodies of `inChild`.
inline std::string expectSuccess(BuildClient& client, const std::string& text) {
  auto result = client.build(source(text));
  if (result->status != BuildStatus::Success) return "no success: " + result->log;
  if (!result->object.starts_with(text)) return "another program's object";
  return {};
}

} // namespace clotho::test
