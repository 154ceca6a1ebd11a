// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report_page.hpp"

#include <set>

using clotho::compiler::VectorisationReport;

namespace {

using Fate = LineReport::Fate;

constexpr const char* kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Vectorisation of %NAME%</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5em; color: #1b1f24; background: #fff; }
h1 { font-size: 1.4em; } h2 { font-size: 1.1em; margin-bottom: .3em; }
.legend span { padding: .15em .6em; margin-right: .4em; border-radius: .3em; display: inline-block; }
table { border-collapse: collapse; width: 100%; }
td { vertical-align: top; padding: .1em .6em; border-bottom: 1px solid #eceff2; }
td.number { text-align: right; color: #6b7480; user-select: none; }
td.source { font-family: ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; width: 45%; }
.vector { background: #d9f2dd; } .masked { background: #eef4c4; } .strided { background: #fdeac0; }
.gather { background: #fbd5b5; } .lane { background: #f6b9b4; } .scalar { background: #dcdfe4; }
.what { font-size: .9em; } .advice { font-size: .9em; color: #48515c; padding-left: 1em; }
pre { overflow-x: auto; }
details pre { font-size: .85em; margin: .2em 0; overflow-x: auto; }
summary { cursor: pointer; color: #48515c; font-size: .9em; }
@media (max-width: 700px) { td { display: block; border: 0; width: auto !important; } td.number { display: none; }
  tr { display: block; border-bottom: 1px solid #eceff2; } }
@media (prefers-color-scheme: dark) { body { background: #15181c; color: #e3e6ea; } td { border-color: #2b3138; }
  .vector { background: #1d4427; } .masked { background: #444a16; } .strided { background: #57431a; }
  .gather { background: #663a1b; } .lane { background: #6b2623; } .scalar { background: #3a4049; }
  .advice, summary { color: #aab3bd; } }
</style></head><body>
<h1>Vectorisation of %NAME%</h1>
<p>The colour of a line is that of the worst of its loads, stores, branches and calls. Instructions are those of all variants
of the kernels; a line without any has been folded into others.</p>
<p class="legend"><span class="vector">vector</span><span class="masked">under a mask</span><span class="strided">strided</span>
<span class="gather">gather or scatter</span><span class="lane">one work-item after the other</span>
<span class="scalar">scalar</span></p>
)";

const char* classOf(Fate fate) {
  switch (fate) {
  case Fate::None: return "";
  case Fate::Vector: return "vector";
  case Fate::Masked: return "masked";
  case Fate::Strided: return "strided";
  case Fate::Gather: return "gather";
  case Fate::LaneByLane: return "lane";
  case Fate::Scalar: return "scalar";
  }
  return "";
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text)
    switch (c) {
    case '<': result += "&lt;"; break;
    case '>': result += "&gt;"; break;
    case '&': result += "&amp;"; break;
    case '"': result += "&quot;"; break;
    default: result += c;
    }
  return result;
}

std::string withName(const std::string& name) {
  std::string head = kHead;
  for (std::size_t at; (at = head.find("%NAME%")) != std::string::npos;)
    head.replace(at, 6, escaped(name));
  return head;
}

std::string cells(const LineReport& line) {
  std::string out;
  std::set<std::string> said;
  for (const LineReport::Entry& entry : line.entries) {
    if (!said.insert(entry.kernel + entry.what).second) continue;
    out += "<div class=\"what\"><b>" + escaped(entry.kernel) + "</b>: " + escaped(entry.what) + "</div>";
    if (!entry.advice.empty() && said.insert(entry.advice).second)
      out += "<div class=\"advice\">" + escaped(entry.advice) + "</div>";
  }
  if (line.instructions.empty()) return out;
  out += "<details><summary>" + std::to_string(line.instructions.size()) + " instructions</summary><pre>";
  for (const std::string& instruction : line.instructions)
    out += escaped(instruction) + "\n";
  return out + "</pre></details>";
}

/// Facts that hold for a whole kernel.
std::string kernelText(const VectorisationReport& report) {
  return "<h2>Kernel " + escaped(report.kernel) + "</h2><pre>" + escaped(report.text()) + "</pre>\n";
}

} // namespace

std::string reportPage(const std::string& name, std::string_view source,
                       const std::vector<VectorisationReport>& reports, const LineReports& lines) {
  std::string out = withName(name) + "<table>\n";
  for (unsigned number = 1; !source.empty(); ++number) {
    const std::size_t end = std::min(source.find('\n'), source.size());
    const auto found = lines.find(number);
    const LineReport none, &line = found == lines.end() ? none : found->second;
    out += "<tr><td class=\"number\">" + std::to_string(number) + "</td><td class=\"source " + classOf(line.worst()) +
           "\">" + escaped(source.substr(0, end)) + "</td><td>" + cells(line) + "</td></tr>\n";
    source.remove_prefix(std::min(end + 1, source.size()));
  }
  out += "</table>\n";
  for (const VectorisationReport& report : reports)
    out += kernelText(report);
  return out + "</body></html>\n";
}
