// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/faults.hpp"

namespace clotho::replay {

namespace {

/// Takes the first line from a text.
std::string_view takeLine(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

} // namespace

// A report is "PLACE: runtime error: WHAT", the line of the source, a caret below its column, and more lines.
std::optional<Fault> faultIn(std::string_view report) {
  constexpr std::string_view kMark = ": runtime error: ";
  const std::string_view first = takeLine(report);
  const std::size_t mark = first.find(kMark);
  if (mark == std::string_view::npos) return std::nullopt;
  const std::string_view what = first.substr(mark + kMark.size());
  Fault fault;
  fault.kind = what.ends_with("never written") ? "unwritten" : what.substr(0, what.find_first_of(" :"));
  const std::string_view line = takeLine(report), caret = takeLine(report);
  const std::size_t column = caret.find_first_not_of(" \t");
  if (column < line.size() && caret.substr(column) == "^")
    fault.statement = line.substr(column, line.find_first_of(";{", column) - column);
  return fault;
}

Faults faultsIn(const std::vector<std::string>& reports) {
  Faults faults;
  for (const std::string& report : reports)
    if (auto fault = faultIn(report)) faults.insert(std::move(*fault));
  return faults;
}

std::string textOf(const Faults& faults) {
  std::string text;
  for (const Fault& fault : faults)
    text += (text.empty() ? "" : ", ") + fault.kind + (fault.statement.empty() ? "" : " at '" + fault.statement + "'");
  return text;
}

std::set<std::string> kindsOf(const Faults& faults) {
  std::set<std::string> kinds;
  for (const Fault& fault : faults)
    kinds.insert(fault.kind);
  return kinds;
}

} // namespace clotho::replay
