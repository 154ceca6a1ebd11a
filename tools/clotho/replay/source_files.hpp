// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/capture.hpp"

#include <filesystem>
#include <string>

namespace clotho::replay {

/// The files that a build has read, in a folder of their own that is gone with this object.
class SourceFiles {
 public:
  explicit SourceFiles(const capture::Unit& unit);
  ~SourceFiles();
  SourceFiles(const SourceFiles&) = delete;
  SourceFiles& operator=(const SourceFiles&) = delete;

  /// The unit's build options, with folders of headers in this one.
  std::string translate(const capture::Unit& unit) const;

 private:
  std::string moved(const capture::Unit& unit, std::string folder) const;

  std::filesystem::path root_;
};

} // namespace clotho::replay
