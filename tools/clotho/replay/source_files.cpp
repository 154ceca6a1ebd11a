// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/source_files.hpp"

#include "compiler/build_options.hpp"

#include <algorithm>
#include <fstream>

namespace clotho::replay {

namespace fs = std::filesystem;

std::vector<std::string> wordsOf(const std::string& options) {
  auto words = compiler::splitOptions(options);
  if (!words) throw Failure("the build options end inside a quotation: " + options);
  return std::move(*words);
}

std::string joinedOptions(const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& word : words) {
    if (!result.empty()) result += ' ';
    if (!word.empty() && word.find_first_of(" \t\r\n\v\f\"'\\") == std::string::npos) {
      result += word;
      continue;
    }
    result += '"';
    for (const char c : word) {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
    result += '"';
  }
  return result;
}

SourceFiles::SourceFiles(const capture::Unit& unit) {
  if (unit.files.empty() || unit.language != capture::Language::Source) return;
  const fs::path& root = root_.emplace().path();
  for (const capture::Named& file : unit.files) {
    // Paths in a damaged or foreign capture must not lead out of the folder.
    const fs::path path = fs::path(file.name).lexically_normal().relative_path();
    if (std::any_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; })) continue;
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path, std::ios::binary) << file.text;
  }
}

std::string SourceFiles::translate(const capture::Unit& unit) const {
  if (!root_) return unit.options;
  const std::vector<std::string> words = wordsOf(unit.options);
  std::vector<std::string> result = {"-I", moved(unit, ".")};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "-I" && i + 1 < words.size())
      result.insert(result.end(), {"-I", moved(unit, words[++i])});
    else if (words[i].starts_with("-I") && words[i].size() > 2)
      result.insert(result.end(), {"-I", moved(unit, words[i].substr(2))});
    else
      result.push_back(words[i]);
  }
  return joinedOptions(result);
}

std::string SourceFiles::moved(const capture::Unit& unit, const std::string& folder) const {
  return (root_->path() / (fs::path(unit.folder) / folder).lexically_normal().relative_path()).string();
}

} // namespace clotho::replay
