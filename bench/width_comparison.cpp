// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "width_comparison.hpp"

#include "spelling.hpp"
#include "spelling_worker.hpp"
#include "statistics.hpp"
#include "vendors.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <regex>
#include <vector>

namespace bench {

namespace {

constexpr int kPasses = 5;    ///< over both widths in turn
constexpr int kPatience = 60; ///< seconds until a request counts as hung
constexpr double kLeast = 0.9;

/// What comes with the chosen width, and with one work-item at once.
constexpr std::array<const char*, 2> kOptions = {" -clotho-report", " -clotho-width=1"};

struct WidthRow {
  std::string path;
  std::string widths;                       ///< chosen, of each of the program's kernels
  std::array<std::vector<double>, 2> times; ///< ms of processor time: with the chosen width, and one at once
  std::string problem;                      ///< empty: none

  /// How many times as fast as with one at once it is: the median of each pass's ratio, whose times are of one moment.
  std::optional<double> ratio() const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < times[1].size(); ++i)
      ratios.push_back(times[1][i] / times[0][i]);
    return median(ratios);
  }
};

std::vector<WidthRow> rowsFor(const std::string& pattern) {
  const std::regex expression(pattern);
  std::vector<WidthRow> rows;
  const auto add = [&](const std::string& path) {
    if (std::regex_search(path, expression)) rows.push_back({path, {}, {}, {}});
  };
  for (const KernelCase& what : kernelCases())
    add(std::string(kKernelFamily) + "/" + what.name);
  for (const SpellingFamily& family : spellingFamilies())
    for (const Spelling& spelling : family.spellings)
      add(family.name + "/" + spelling.name);
  return rows;
}

/// A process for each width, of one row: a kernel's buffers may be large.
class WidthRun {
 public:
  WidthRun(const Vendor& clotho, const TemporaryFolder& caches, WidthRow& row)
      : row_(row), processes_{Companion({"--serve", kSpellingSeat}, environmentOf(clotho, caches)),
                              Companion({"--serve", kSpellingSeat}, environmentOf(clotho, caches))} {}

  void measure(bool quick) {
    for (std::size_t i = 0; i < processes_.size(); ++i)
      if (!ask(i, "prepare " + row_.path + (quick ? " quick" : " full") + kOptions[i])) return;
    if (const auto widths = ask(0, "widths " + row_.path)) row_.widths = *widths;
    for (int pass = 0; pass < kPasses && !quick; ++pass) {
      std::array<std::optional<std::string>, 2> answers;
      for (std::size_t i = 0; i < processes_.size(); ++i)
        if (answers[i] = ask(i, "measure " + row_.path); !answers[i]) return;
      for (std::size_t i = 0; i < processes_.size(); ++i)
        row_.times[i].push_back(std::stod(*answers[i]));
    }
  }

 private:
  std::optional<std::string> ask(std::size_t width, const std::string& request) {
    const std::string answer = processes_[width].ask(request, kPatience).value_or("died or hung");
    if (!answer.starts_with("error") && !answer.starts_with("died") && !answer.starts_with("WRONG")) return answer;
    row_.problem = request + ": " + answer;
    return std::nullopt;
  }

  WidthRow& row_;
  std::array<Companion, 2> processes_;
};

void print(const WidthRow& row) {
  std::printf("| %s | %s |", row.path.c_str(), row.widths.c_str());
  if (const auto ratio = row.ratio())
    std::printf(" %.3f | %.3f | %.2f |", *median(row.times[0]), *median(row.times[1]), *ratio);
  else
    std::printf(" - | - | - |");
  std::printf(" %s |\n", row.problem.empty() ? "good" : row.problem.c_str());
  std::fflush(stdout);
}

/// The smallest ratios, and how many are below what they should be.
void printSmallest(const std::vector<WidthRow>& rows) {
  constexpr std::size_t kShown = 5;
  std::vector<std::pair<double, std::string>> ratios;
  for (const WidthRow& row : rows)
    if (const auto ratio = row.ratio()) ratios.emplace_back(*ratio, row.path);
  if (ratios.empty()) return;
  std::sort(ratios.begin(), ratios.end());
  const auto below = std::count_if(ratios.begin(), ratios.end(), [](const auto& of) { return of.first < kLeast; });
  std::printf("\n%zu programs, %td below %.1f; the smallest:", ratios.size(), below, kLeast);
  for (std::size_t i = 0; i < std::min(kShown, ratios.size()); ++i)
    std::printf("%s %.2f (%s)", i == 0 ? "" : ",", ratios[i].first, ratios[i].second.c_str());
  std::printf("\n");
}

} // namespace

bool compareWidths(const Vendor& clotho, const WidthOptions& options) {
  std::vector<WidthRow> rows = rowsFor(options.pattern);
  if (rows.empty()) {
    std::fprintf(stderr, "no kernel is like %s\n", options.pattern.c_str());
    return false;
  }
  std::printf("| kernel | chosen W | ms | ms at W=1 | W=1/chosen | results |\n| --- | --- | --: | --: | --: | --- |\n");
  const TemporaryFolder caches;
  for (WidthRow& row : rows) {
    WidthRun(clotho, caches, row).measure(options.quick);
    print(row);
  }
  printSmallest(rows);
  return std::all_of(rows.begin(), rows.end(), [](const WidthRow& row) { return row.problem.empty(); });
}

} // namespace bench
