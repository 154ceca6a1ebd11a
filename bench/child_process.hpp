// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace bench {

/// What a process of its own has printed, and whether it ended with status 0. What it says on standard error goes to
/// ours.
struct ChildOutput {
  bool good = false;
  std::string text;
};

/// Runs this program again with `arguments` and the variables of `environment` set.
ChildOutput runSelf(const std::vector<std::string>& arguments,
                    const std::vector<std::pair<std::string, std::string>>& environment);

/// Another process of this program that answers requests one by one, each a line. Its end is the end of its input.
class Companion {
 public:
  Companion(const std::vector<std::string>& arguments,
            const std::vector<std::pair<std::string, std::string>>& environment);
  ~Companion();
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;

  /// The answer; nothing if the process has died or says nothing for `seconds`. It is of no further use then.
  std::optional<std::string> ask(const std::string& request, int seconds);

 private:
  void end(bool kill);

  pid_t child_ = -1;
  int requests_ = -1, answers_ = -1;
  std::string received_;
};

/// A folder that is empty at first and is deleted in the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

} // namespace bench
