// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "replay/driver.hpp"

#include <cstdlib>
#include <filesystem>

namespace clotho::replay {

/// A new folder that is gone with this object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string path = (std::filesystem::temp_directory_path() / "clotho-replay-XXXXXX").string();
    if (!mkdtemp(path.data())) throw Failure("no folder for temporary files");
    path_ = path;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

} // namespace clotho::replay
