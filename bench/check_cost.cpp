// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check_cost.hpp"

#include "child_process.hpp"
#include "kernel_case.hpp"
#include "spelling_worker.hpp"
#include "statistics.hpp"
#include "vendors.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <regex>
#include <vector>

namespace bench {

namespace {

constexpr int kPasses = 3;     ///< over all sets of checks in turn
constexpr int kPatience = 120; ///< seconds until a request counts as hung

/// A set of checks, and how many times as long kernels may take with it.
struct Checks {
  const char* name;
  double goal; ///< of the median over the kernels; 0: none
};
constexpr std::array<Checks, 4> kChecks = {{{"none", 0}, {"memory,barrier", 4}, {"race", 12}, {"all", 0}}};

struct CheckRow {
  const KernelCase* what;
  std::array<std::vector<double>, kChecks.size()> times; ///< ms of processor time, of each pass
  std::string problem;                                   ///< empty: none

  /// The time with these checks by that without: the median of each pass's ratio, whose times are of one moment.
  std::optional<double> ratio(std::size_t checks) const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < times[checks].size(); ++i)
      ratios.push_back(times[checks][i] / times[0][i]);
    return median(ratios);
  }
};

/// A process for each set of checks, which runs one kernel: its buffers may be large.
class CheckRun {
 public:
  CheckRun(const Vendor& clotho, const TemporaryFolder& caches, CheckRow& row) : row_(row) {
    auto environment = environmentOf(clotho, caches);
    environment.emplace_back("CLOTHO_CHECK_FAIL", "1");
    for (auto& process : processes_)
      process = std::make_unique<Companion>(std::vector<std::string>{"--serve", kSpellingSeat}, environment);
  }

  void measure(bool quick) {
    for (std::size_t i = 0; i < kChecks.size(); ++i) {
      const std::string scale = quick ? "quick" : "full";
      if (!ask(i, "prepare " + path() + " " + scale + " -clotho-check=" + kChecks[i].name)) return;
      // Checked kernels have one code, which is there from the first launch on.
      if (!ask(i, (quick || i != 0 ? "run " : "settle ") + path())) return;
    }
    for (int pass = 0; pass < kPasses && !quick; ++pass) {
      std::array<std::optional<std::string>, kChecks.size()> answers;
      for (std::size_t i = 0; i < kChecks.size(); ++i)
        if (answers[i] = ask(i, "measure " + path()); !answers[i]) return;
      for (std::size_t i = 0; i < kChecks.size(); ++i)
        row_.times[i].push_back(std::stod(*answers[i]));
    }
  }

 private:
  std::string path() const { return std::string(kKernelFamily) + "/" + row_.what->name; }

  std::optional<std::string> ask(std::size_t checks, const std::string& request) {
    const std::string answer = processes_[checks]->ask(request, kPatience).value_or("died or hung");
    if (!answer.starts_with("error") && !answer.starts_with("died")) return answer;
    row_.problem = std::string(kChecks[checks].name) + ": " + request + ": " + answer;
    return std::nullopt;
  }

  CheckRow& row_;
  std::array<std::unique_ptr<Companion>, kChecks.size()> processes_;
};

void print(const CheckRow& row) {
  std::printf("| %s |", row.what->name);
  const auto time = median(row.times[0]);
  std::printf(time ? " %.3f |" : " - |", time.value_or(0));
  for (std::size_t i = 1; i < kChecks.size(); ++i) {
    const auto ratio = row.ratio(i);
    std::printf(ratio ? " %.2f |" : " - |", ratio.value_or(0));
  }
  std::printf(" %s |\n", row.problem.empty() ? "no report" : row.problem.c_str());
  std::fflush(stdout);
}

void printMedians(const std::vector<CheckRow>& rows) {
  for (std::size_t i = 1; i < kChecks.size(); ++i) {
    std::vector<double> ratios;
    for (const CheckRow& row : rows)
      if (const auto ratio = row.ratio(i)) ratios.push_back(*ratio);
    if (ratios.empty()) return;
    std::printf("\n%s: %zu kernels, median %.2f, largest %.2f", kChecks[i].name, ratios.size(), *median(ratios),
                *std::max_element(ratios.begin(), ratios.end()));
    if (kChecks[i].goal != 0) std::printf("; goal %.0f", kChecks[i].goal);
  }
  std::printf("\n");
}

} // namespace

bool measureChecks(const Vendor& clotho, const CheckOptions& options) {
  const std::regex expression(options.pattern);
  std::vector<CheckRow> rows;
  for (const KernelCase& what : kernelCases())
    if (what.work == 0 && (std::regex_search(what.name, expression) || std::regex_search(what.family, expression)))
      rows.push_back({&what, {}, {}});
  if (rows.empty()) {
    std::fprintf(stderr, "no kernel is like %s\n", options.pattern.c_str());
    return false;
  }
  std::printf("| kernel | ms |");
  for (std::size_t i = 1; i < kChecks.size(); ++i)
    std::printf(" %s |", kChecks[i].name);
  std::printf(" reports |\n| --- | --: | --: | --: | --: | --- |\n");
  const TemporaryFolder caches;
  for (CheckRow& row : rows) {
    CheckRun(clotho, caches, row).measure(options.quick);
    print(row);
  }
  printMedians(rows);
  return std::all_of(rows.begin(), rows.end(), [](const CheckRow& row) { return row.problem.empty(); });
}

} // namespace bench
