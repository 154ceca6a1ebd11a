// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/capture.hpp"
#include "replay/temporary_folder.hpp"

#include <optional>
#include <string>
#include <vector>

namespace clotho::replay {

/// The files that a build has read, in a folder of their own that is gone with this object.
class SourceFiles {
 public:
  explicit SourceFiles(const capture::Unit& unit);

  /// The unit's build options, with folders of headers in this one.
  std::string translate(const capture::Unit& unit) const;

 private:
  std::string moved(const capture::Unit& unit, const std::string& folder) const;

  std::optional<TemporaryFolder> root_; // if there are files
};

/// Words of build options as a driver tells them apart, and the way back: those with spaces are quoted.
std::vector<std::string> wordsOf(const std::string& options);
std::string joinedOptions(const std::vector<std::string>& words);

} // namespace clotho::replay
