// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "precision/state.hpp"

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace precision {

State::State(std::string path, unsigned components) : path_(std::move(path)), components_(components) {
  if (path_.empty()) return;
  std::ifstream file(path_);
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos) throw std::runtime_error(path_ + " is no state of a sweep");
    Result r;
    const int fields = std::sscanf(
        line.c_str() + tab, "\t%" SCNu64 " %" SCNu64 " %" SCNu64 " %la %la %la %la %la %d %la %la", &r.next, &r.size,
        &r.wrong, &r.worst, &r.ulp, &r.values.x, &r.values.y, &r.values.z, &r.values.k, &r.got, &r.wanted);
    if (fields != 11) throw std::runtime_error(path_ + " has a broken line: " + line);
    results_[line.substr(0, tab)] = r;
  }
}

std::string State::keyOf(const std::string& set, std::string_view function) const {
  const std::string vectors = components_ > 1 ? " in vectors of " + std::to_string(components_) : "";
  return set + vectors + "|" + std::string(function);
}

Result& State::of(const std::string& set, std::string_view function) { return results_[keyOf(set, function)]; }

const Result* State::find(const std::string& set, std::string_view function) const {
  const auto found = results_.find(keyOf(set, function));
  return found == results_.end() ? nullptr : &found->second;
}

void State::save() const {
  if (path_.empty()) return;
  const std::string next = path_ + ".new";
  std::FILE* file = std::fopen(next.c_str(), "w");
  if (file == nullptr) throw std::runtime_error("cannot write " + next);
  for (const auto& [key, r] : results_)
    std::fprintf(file, "%s\t%" PRIu64 " %" PRIu64 " %" PRIu64 " %a %a %a %a %a %d %a %a\n", key.c_str(), r.next, r.size,
                 r.wrong, r.worst, r.ulp, r.values.x, r.values.y, r.values.z, r.values.k, r.got, r.wanted);
  const bool written = std::ferror(file) == 0;
  if (std::fclose(file) != 0 || !written || std::rename(next.c_str(), path_.c_str()) != 0)
    throw std::runtime_error("cannot write " + path_);
}

} // namespace precision
