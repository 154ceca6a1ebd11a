// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report_page.hpp"

#include <algorithm>
#include <charconv>

using clotho::compiler::AccessShape;
using clotho::compiler::VectorisationReport;

namespace {

using Fate = LineReport::Fate;

/// Name of a shape of access, how good it is, and what would be better.
struct ShapeText {
  const char* name;
  Fate fate;
  const char* advice;
};
ShapeText textOf(AccessShape shape) {
  switch (shape) {
  case AccessShape::Uniform: return {"uniform: one for all work-items", Fate::Vector, ""};
  case AccessShape::Consecutive: return {"consecutive: one vector", Fate::Vector, ""};
  case AccessShape::InRows: return {"consecutive in each row", Fate::Vector, ""};
  case AccessShape::Reversed: return {"consecutive, backwards: a vector and a permutation", Fate::Vector, ""};
  case AccessShape::Table: return {"a table in registers", Fate::Vector, ""};
  case AccessShape::Private: return {"private: each work-item has its own array", Fate::Vector, ""};
  case AccessShape::Strided:
    return {"strided: neighbouring work-items use elements that are apart", Fate::Strided,
            "Let neighbouring work-items use neighbouring elements: exchange the dimensions of the array, or keep an "
            "array for each member of the structure."};
  case AccessShape::Gathered:
    return {"gather/scatter: each work-item has an address of its own", Fate::Gather,
            "Make the index grow by one with get_global_id(0), or read the data in order into local memory first."};
  case AccessShape::LaneByLane:
    return {"one work-item after the other", Fate::LaneByLane, "Use a type and an address that vectors can access."};
  }
  return {"", Fate::None, ""};
}

constexpr const char* kMaskedAdvice = "It runs under a branch that work-items take differently. If it is safe for all "
                                      "of them, move it before the branch.";

void addEntries(const VectorisationReport& report, LineReports& lines) {
  const auto add = [&](unsigned line, Fate fate, std::string what, const char* advice) {
    lines[line].entries.push_back({fate, report.kernel, std::move(what), advice});
  };
  for (const VectorisationReport::Access& access : report.accesses) {
    const ShapeText text = textOf(access.shape);
    const bool isMaskedOnly = access.masked && text.fate == Fate::Vector;
    add(access.line, isMaskedOnly ? Fate::Masked : text.fate,
        std::string(access.isStore ? "store, " : "load, ") + text.name + (access.masked ? ", under a mask" : ""),
        isMaskedOnly ? kMaskedAdvice : text.advice);
  }
  for (const unsigned line : report.divergentBranches)
    add(line, Fate::Masked, "branch that work-items take differently: both sides run under masks",
        "Use select() where both sides are cheap, or sort the work so that neighbours take the same side.");
  for (const unsigned line : report.divergentLoops)
    add(line, Fate::Masked, "loop that work-items leave at different times: it runs until the last has left",
        "Give neighbouring work-items loops of the same length.");
  for (const unsigned line : report.laneByLane)
    add(line, Fate::LaneByLane, "call or atomic that runs for one work-item after the other",
        "Use a builtin function that has a vector form; combine atomics in the work-group first.");
  for (const VectorisationReport::SubGroupCall& call : report.subGroupCalls)
    add(call.line, Fate::Vector, "sub-group " + call.what + ": " + call.how, "");
}

/// Instructions of the assembly, by the line that a .loc directive before them names.
void addInstructions(std::string_view assembly, LineReports& lines) {
  constexpr std::string_view kLocation = "\t.loc\t";
  unsigned line = 0;
  while (!assembly.empty()) {
    const std::size_t end = std::min(assembly.find('\n'), assembly.size());
    std::string_view text = assembly.substr(0, end);
    assembly.remove_prefix(std::min(end + 1, assembly.size()));
    if (text.starts_with(kLocation)) {
      text.remove_prefix(kLocation.size());
      text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
      line = 0;
      std::from_chars(text.data(), text.data() + text.size(), line);
    } else if (text.starts_with("\t") && text.size() > 1 && text[1] != '.' && text[1] != '#' && line != 0) {
      text.remove_prefix(1);
      lines[line].instructions.emplace_back(text.substr(0, text.find("\t#")));
    }
  }
}

} // namespace

Fate LineReport::worst() const {
  Fate worst = Fate::None;
  for (const Entry& entry : entries)
    worst = std::max(worst, entry.fate);
  return worst;
}

LineReports lineReports(const std::vector<VectorisationReport>& reports, std::string_view assembly) {
  LineReports lines;
  for (const VectorisationReport& report : reports)
    addEntries(report, lines);
  addInstructions(assembly, lines);
  return lines;
}

std::string reportRemarks(const std::string& name, const std::vector<VectorisationReport>& reports,
                          const LineReports& lines) {
  const auto quoted = [](const std::string& text) {
    std::string result = "'";
    for (const char c : text)
      result += c == '\'' ? std::string("''") : std::string(1, c);
    return result + "'";
  };
  std::string out;
  const auto add = [&](bool isMissed, const char* kind, unsigned line, const std::string& kernel,
                       const std::string& text) {
    out += std::string("--- !") + (isMissed ? "Missed" : "Passed") +
           "\nPass:            clotho-vectorise\nName:            " + kind +
           "\nDebugLoc:        { File: " + quoted(name) + ", Line: " + std::to_string(std::max(line, 1U)) +
           ", Column: 1 }\nFunction:        " + quoted(kernel) + "\nArgs:\n  - String:          " + quoted(text) +
           "\n...\n";
  };
  for (const VectorisationReport& report : reports)
    if (report.width == 1)
      add(true, "Scalar", 1, report.kernel, "one work-item at once, because " + report.scalarBecause);
    else
      add(false, "Vectorised", 1, report.kernel, std::to_string(report.width) + " work-items at once");
  constexpr const char* kKinds[] = {"None", "Vector", "Masked", "Strided", "Gather", "LaneByLane", "Scalar"};
  for (const auto& [line, found] : lines)
    for (const LineReport::Entry& entry : found.entries)
      add(entry.isMissed(), kKinds[static_cast<int>(entry.fate)], line, entry.kernel,
          entry.what + (entry.advice.empty() ? "" : ". " + entry.advice));
  return out;
}
