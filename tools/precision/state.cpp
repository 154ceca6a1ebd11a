// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "precision/state.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <utility>

namespace precision {

namespace {

void readNumber(const char* text, char*& end, std::uint64_t& number) { number = std::strtoull(text, &end, 10); }
void readNumber(const char* text, char*& end, int& number) { number = static_cast<int>(std::strtol(text, &end, 10)); }
void readNumber(const char* text, char*& end, double& number) { number = std::strtod(text, &end); }

/// Reads the text that save() wrote, after the key.
std::optional<Result> read(const char* text) {
  Result r;
  bool good = true;
  const auto next = [&](auto& number) {
    char* end = nullptr;
    readNumber(text, end, number);
    good = good && end != text;
    text = end;
  };
  next(r.next), next(r.size), next(r.wrong), next(r.worst), next(r.ulp);
  next(r.values.x), next(r.values.y), next(r.values.z), next(r.values.k), next(r.got), next(r.wanted);
  return good ? std::optional(r) : std::nullopt;
}

} // namespace

State::State(std::string path, unsigned components) : path_(std::move(path)), components_(components) {
  if (path_.empty()) return;
  std::ifstream file(path_);
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos) throw std::runtime_error(path_ + " is no state of a sweep");
    const std::optional<Result> result = read(line.c_str() + tab);
    if (!result) throw std::runtime_error(path_ + " has a broken line: " + line);
    results_[line.substr(0, tab)] = *result;
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
