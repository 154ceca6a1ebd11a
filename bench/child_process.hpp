// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
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
