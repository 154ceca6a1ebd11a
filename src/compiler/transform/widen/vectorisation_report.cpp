// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/widen/vectorisation_report.hpp"

#include <algorithm>
#include <map>

namespace clotho::compiler {
namespace {

const char* nameOf(AccessShape shape) {
  switch (shape) {
  case AccessShape::Uniform: return "uniform";
  case AccessShape::Consecutive: return "consecutive";
  case AccessShape::InRows: return "consecutive in each row";
  case AccessShape::Reversed: return "consecutive, backwards";
  case AccessShape::Strided: return "strided";
  case AccessShape::Gathered: return "gather/scatter";
  case AccessShape::Table: return "table in registers";
  case AccessShape::Private: return "private";
  case AccessShape::LaneByLane: return "one lane after the other";
  }
  return "";
}

std::string lines(std::vector<unsigned> numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
  std::string text;
  for (const unsigned number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

} // namespace

std::string VectorisationReport::text() const {
  std::string out =
      "kernel " + kernel + ": " + std::to_string(width) + (width == 1 ? " work-item" : " work-items") + " at once";
  if (width == 1) {
    out += ", because " + scalarBecause + "\n";
    if (!subGroupSize.empty()) out += "  sub-group size: 1, each work-item is one\n";
    return out + variantLines();
  }
  out += "\n";
  const auto row = [&](const std::string& what, const std::string& text) { out += "  " + what + ": " + text + "\n"; };
  if (laneDimension != 0) row("lanes follow dimension", std::to_string(laneDimension));
  if (!shape.empty()) row("work-groups counted as", shape);
  if (rows > 1) row("rows at once", std::to_string(rows));
  if (!direct.empty()) row("without local memory", direct);
  if (!subGroupSize.empty()) row("sub-group size", subGroupSize);
  if (!divergentBranches.empty()) row("divergent branches, lines", lines(divergentBranches));
  if (!divergentLoops.empty()) row("divergent loops, lines", lines(divergentLoops));
  if (!laneByLane.empty()) row("one lane after the other, lines", lines(laneByLane));
  // One line for equal entries of a source line.
  std::map<std::string, std::pair<unsigned, unsigned>> counts;
  std::vector<std::string> order;
  for (const Access& access : accesses) {
    std::string text = std::string(access.isStore ? "store" : "load") + ", line " + std::to_string(access.line) + ": " +
                       nameOf(access.shape) + (access.masked ? ", masked" : "");
    if (counts[text].first++ == 0) order.push_back(text);
  }
  for (const std::string& text : order) {
    const unsigned count = counts[text].first;
    out += "  " + text + (count > 1 ? " (" + std::to_string(count) + " times)" : "") + "\n";
  }
  for (const SubGroupCall& call : subGroupCalls)
    row("sub-group " + call.what + ", line " + std::to_string(call.line),
        std::string(call.how) + (call.masked ? ", live lanes only" : ""));
  if (barriers != 0)
    row("barriers", std::to_string(barriers) + ", frame of " + std::to_string(frameBytes) + " bytes a sub-group");
  return out + variantLines();
}

std::string VectorisationReport::variantLines() const {
  std::string out;
  for (const Variant& variant : variants)
    out += "  " + variant.name + " variant: " + variant.reason + "\n";
  return out;
}

} // namespace clotho::compiler
