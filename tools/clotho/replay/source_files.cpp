// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/source_files.hpp"

#include "replay/driver.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace clotho::replay {

namespace fs = std::filesystem;

SourceFiles::SourceFiles(const capture::Unit& unit) {
  if (unit.files.empty() || unit.language != capture::Language::Source) return;
  std::string path = (fs::temp_directory_path() / "clotho-replay-XXXXXX").string();
  if (!mkdtemp(path.data())) throw Failure("no folder for the program's headers");
  root_ = path;
  for (const capture::Named& file : unit.files) {
    // Paths in a damaged or foreign capture must not lead out of the folder.
    const fs::path place = fs::path(file.name).lexically_normal().relative_path();
    if (std::any_of(place.begin(), place.end(), [](const fs::path& part) { return part == ".."; })) continue;
    fs::create_directories((root_ / place).parent_path());
    std::ofstream(root_ / place, std::ios::binary) << file.text;
  }
}

SourceFiles::~SourceFiles() {
  std::error_code ignored;
  if (!root_.empty()) fs::remove_all(root_, ignored);
}

std::string SourceFiles::translate(const capture::Unit& unit) const {
  if (root_.empty()) return unit.options;
  std::istringstream words(unit.options);
  std::string result = "-I " + moved(unit, ".");
  for (std::string word; words >> word;) {
    if (word == "-I" && words >> word)
      result += " -I " + moved(unit, word);
    else if (word.starts_with("-I") && word.size() > 2)
      result += " -I " + moved(unit, word.substr(2));
    else
      result += " " + word;
  }
  return result;
}

std::string SourceFiles::moved(const capture::Unit& unit, std::string folder) const {
  std::erase(folder, '"');
  return (root_ / (fs::path(unit.folder) / folder).lexically_normal().relative_path()).string();
}

} // namespace clotho::replay
