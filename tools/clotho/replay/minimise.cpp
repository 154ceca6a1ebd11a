// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/minimise.hpp"

namespace clotho::replay {

namespace {

using Holds = std::function<bool(const std::string&)>;

/// The end of the comment, string or character that begins at `at`; `at` if none does.
std::size_t behindLiteral(std::string_view text, std::size_t at) {
  const auto behind = [&](std::string_view end, std::size_t from) {
    const std::size_t found = text.find(end, from);
    return found == std::string_view::npos ? text.size() : found + end.size();
  };
  if (text.substr(at, 2) == "//") return behind("\n", at);
  if (text.substr(at, 2) == "/*") return behind("*/", at + 2);
  if (text[at] != '"' && text[at] != '\'') return at;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != text[at] && text[end] != '\n')
    end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

bool isBlank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

/// The place of the outermost braces of a statement.
struct Braces {
  std::size_t open = std::string::npos, close = std::string::npos;
  bool areThere() const { return close != std::string::npos; }
};
Braces bracesIn(std::string_view text) {
  Braces braces;
  for (std::size_t i = 0, depth = 0; i < text.size();) {
    if (const std::size_t end = behindLiteral(text, i); end != i) {
      i = end;
      continue;
    }
    if (text[i] == '{' && depth++ == 0) braces.open = i;
    if (text[i] == '}' && depth > 0 && --depth == 0) {
      braces.close = i;
      return braces;
    }
    ++i;
  }
  return braces;
}

std::string joined(const std::vector<std::string>& pieces, std::size_t begin = 0, std::size_t end = SIZE_MAX) {
  std::string text;
  for (std::size_t i = begin; i < std::min(end, pieces.size()); ++i)
    text += pieces[i];
  return text;
}

/// Minimises the part of a source that stands between two others.
std::string minimisePart(const std::string& before, const std::string& part, const std::string& behind,
                         const Holds& holds) {
  std::vector<std::string> pieces = minimise<std::string>(
      statementsIn(part), [&](const std::vector<std::string>& rest) { return holds(before + joined(rest) + behind); });
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Braces braces = bracesIn(pieces[i]);
    if (!braces.areThere()) continue;
    const std::string head = before + joined(pieces, 0, i), tail = joined(pieces, i + 1) + behind;
    const std::string body = pieces[i].substr(braces.open + 1, braces.close - braces.open - 1);
    if (holds(head + body + tail)) {
      pieces[i] = minimisePart(head, body, tail, holds);
      continue;
    }
    const std::string opening = pieces[i].substr(0, braces.open + 1), closing = pieces[i].substr(braces.close);
    pieces[i] = opening + minimisePart(head + opening, body, closing + tail, holds) + closing;
  }
  return joined(pieces);
}

std::vector<std::string> linesIn(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    lines.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return lines;
}

} // namespace

std::vector<std::string> statementsIn(std::string_view text) {
  std::vector<std::string> pieces;
  std::size_t begin = 0, depth = 0;
  const auto cut = [&](std::size_t end) {
    // Blanks that follow on the line belong to the piece.
    const std::size_t line = std::min(text.find('\n', end), text.size());
    if (isBlank(text.substr(end, line - end))) end = std::min(line + 1, text.size());
    pieces.emplace_back(text.substr(begin, end - begin));
    begin = end;
    return end;
  };
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t end = behindLiteral(text, i); end != i) {
      i = end;
      continue;
    }
    const char c = text[i++];
    if (c == '#' && depth == 0 && isBlank(text.substr(begin, i - 1 - begin))) {
      std::size_t end = text.find('\n', i);
      while (end != std::string_view::npos && text[end - 1] == '\\')
        end = text.find('\n', end + 1);
      i = cut(std::min(end, text.size()));
    }
    if (c == '{' || c == '(' || c == '[') ++depth;
    if ((c == '}' || c == ')' || c == ']') && depth > 0) --depth;
    if (depth == 0 && (c == ';' || c == '}')) i = cut(i);
  }
  if (begin < text.size()) pieces.emplace_back(text.substr(begin));
  return pieces;
}

std::string minimiseSource(const std::string& source, const Holds& holds) {
  std::string smallest = minimisePart({}, source, {}, holds);
  const auto lines = minimise<std::string>(linesIn(smallest),
                                           [&](const std::vector<std::string>& rest) { return holds(joined(rest)); });
  return joined(lines);
}

} // namespace clotho::replay
