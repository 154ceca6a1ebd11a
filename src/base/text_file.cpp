// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text_file.hpp"

#include "base/unique_fd.hpp"

#include <charconv>

namespace clotho {

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

} // namespace

std::string readTextFile(const std::string& path) {
  std::string result;
  const UniqueFd file = makeFd([&] { return open(path.c_str(), O_RDONLY | O_CLOEXEC); });
  if (!file) return result;
  char part[4096];
  for (;;) {
    ssize_t size = read(file.get(), part, sizeof part);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    result.append(part, static_cast<std::size_t>(size));
  }
  return result;
}

std::optional<std::uint64_t> parseNumber(std::string_view text) {
  text = trimmed(text);
  std::uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> readNumber(const std::string& path) { return parseNumber(readTextFile(path)); }

std::vector<std::string_view> split(std::string_view text, char separator, std::size_t most) {
  std::vector<std::string_view> pieces;
  while (pieces.size() + 1 < most) {
    std::size_t at = text.find(separator);
    if (at == std::string_view::npos) break;
    pieces.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  pieces.push_back(text);
  return pieces;
}

std::string_view valueOf(std::string_view text, std::string_view key) {
  for (std::string_view line : split(text, '\n')) {
    std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && trimmed(line.substr(0, colon)) == key)
      return trimmed(line.substr(colon + 1));
  }
  return {};
}

} // namespace clotho
