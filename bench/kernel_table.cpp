// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_table.hpp"

#include "report.hpp"
#include "statistics.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace bench {

namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

std::string cell(std::optional<double> value, int digits) {
  if (!value) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, *value);
  return text;
}

/// The faster C++ compiler's column, or kNone.
std::size_t bestCpp(const std::vector<Column>& columns, const KernelRow& row) {
  std::size_t best = kNone;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].kind == Column::Kind::Cpp && row.results[i].time &&
        (best == kNone || *row.results[i].time < *row.results[best].time))
      best = i;
  return best;
}

std::optional<double> rate(const KernelRow& row, std::size_t column) {
  std::optional<double> time = row.results[column].time;
  return time ? std::optional(1000 * row.what->work / *time) : std::nullopt;
}

std::size_t clothoOf(const std::vector<Column>& columns) {
  auto found = std::find_if(columns.begin(), columns.end(),
                            [](const Column& column) { return column.kind == Column::Kind::Clotho; });
  return static_cast<std::size_t>(found - columns.begin());
}

std::string verdict(const std::vector<Column>& columns, const KernelRow& row) {
  std::string problems;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (!row.results[i].problem.empty())
      problems += (problems.empty() ? "" : "; ") + columns[i].name + ": " + row.results[i].problem;
  return problems.empty() ? "verified" : problems;
}

/// How many times as fast as `theirs` `ours` is. Of each round's times, which are of the same moment, the median: where
/// a machine is now fast and now slow, two medians may be of different moments.
std::optional<double> ratioOf(const KernelResult& theirs, const KernelResult& ours) {
  std::vector<double> rounds;
  for (std::size_t i = 0; i < std::min(theirs.rounds.size(), ours.rounds.size()); ++i)
    rounds.push_back(theirs.rounds[i] / ours.rounds[i]);
  return median(rounds);
}

struct Ratio {
  std::string name;
  double goal;
  std::vector<double> values{};
  std::vector<const char*> kernels{};

  std::optional<double> add(const KernelRow& row, const KernelResult& theirs, const KernelResult& ours) {
    std::optional<double> ratio = ratioOf(theirs, ours);
    if (!ratio) return std::nullopt;
    values.push_back(*ratio);
    kernels.push_back(row.what->name);
    return ratio;
  }
  void print() const {
    if (values.empty()) return;
    auto least = std::min_element(values.begin(), values.end());
    auto below = std::count_if(values.begin(), values.end(), [&](double value) { return value < goal; });
    std::printf("%s: geometric mean %.2f over %zu kernels, least %.2f (%s), %td below %g\n", name.c_str(),
                *geometricMean(values), values.size(), *least,
                kernels[static_cast<std::size_t>(least - values.begin())], below, goal);
  }
};

std::vector<std::size_t> othersOf(const std::vector<Column>& columns) {
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].kind == Column::Kind::OtherPlatform) others.push_back(i);
  return others;
}

std::vector<Ratio> peersOf(const std::vector<Column>& columns, const std::vector<std::size_t>& others) {
  std::vector<Ratio> peers;
  for (const std::size_t i : others)
    peers.push_back({columns[i].name + "/Clotho", columns[i].goal});
  return peers;
}

} // namespace

void printKernelTable(const std::vector<Column>& columns, const std::vector<KernelRow>& all) {
  std::vector<KernelRow> rows;
  std::copy_if(all.begin(), all.end(), std::back_inserter(rows),
               [](const KernelRow& row) { return row.what->work == 0; });
  if (rows.empty()) return;
  std::size_t clotho = clothoOf(columns);
  const std::vector<std::size_t> others = othersOf(columns);
  std::printf("| kernel | family | C++ ms | by | Clotho ms |");
  for (std::size_t i : others)
    std::printf(" %s ms |", columns[i].name.c_str());
  std::printf(" C++/Clotho |");
  for (std::size_t i : others)
    std::printf(" %s/Clotho |", columns[i].name.c_str());
  std::printf(" build, Clotho ms |");
  for (std::size_t i : others)
    std::printf(" build, %s ms |", columns[i].name.c_str());
  std::printf(" results |\n|");
  for (std::size_t i = 0; i < 8 + 3 * others.size(); ++i)
    std::printf(" --- |");
  std::printf("\n");

  Ratio cpp{"C++/Clotho", columns.front().goal};
  std::vector<Ratio> peers = peersOf(columns, others);
  std::vector<double> builds;
  for (const KernelRow& row : rows) {
    const KernelResult& ours = row.results[clotho];
    std::size_t best = bestCpp(columns, row);
    std::optional<double> theirs = best == kNone ? std::nullopt : row.results[best].time;
    std::printf("| %s | %s | %s | %s | %s |", row.what->name, row.what->family, cell(theirs, 3).c_str(),
                best == kNone ? "-" : columns[best].name.c_str(), cell(ours.time, 3).c_str());
    for (std::size_t i : others)
      std::printf(" %s |", cell(row.results[i].time, 3).c_str());
    std::printf(" %s |", cell(best == kNone ? std::nullopt : cpp.add(row, row.results[best], ours), 2).c_str());
    for (std::size_t k = 0; k < others.size(); ++k)
      std::printf(" %s |", cell(peers[k].add(row, row.results[others[k]], ours), 2).c_str());
    std::printf(" %s |", cell(ours.build, 1).c_str());
    if (ours.build) builds.push_back(*ours.build);
    for (std::size_t i : others)
      std::printf(" %s |", cell(row.results[i].build, 1).c_str());
    std::printf(" %s |\n", verdict(columns, row).c_str());
  }
  std::printf("\n");
  cpp.print();
  for (const Ratio& peer : peers)
    peer.print();
  if (!builds.empty()) std::printf("time to build on Clotho: median %.1f ms\n", *median(builds));
}

void printPeakTable(const std::vector<Column>& columns, const std::vector<KernelRow>& all) {
  std::vector<KernelRow> rows;
  std::copy_if(all.begin(), all.end(), std::back_inserter(rows),
               [](const KernelRow& row) { return row.what->work > 0; });
  if (rows.empty()) return;
  std::printf("| work | unit | C++ |");
  for (const Column& column : columns)
    if (column.kind != Column::Kind::Cpp) std::printf(" %s | of C++ |", column.name.c_str());
  std::printf(" results |\n| --- | --- | --- |");
  for (const Column& column : columns)
    if (column.kind != Column::Kind::Cpp) std::printf(" --- | --- |");
  std::printf(" --- |\n");
  const std::vector<std::size_t> others = othersOf(columns);
  std::vector<Ratio> peers = peersOf(columns, others);
  for (const KernelRow& row : rows) {
    for (std::size_t k = 0; k < others.size(); ++k)
      peers[k].add(row, row.results[others[k]], row.results[clothoOf(columns)]);
    const std::size_t best = bestCpp(columns, row);
    std::printf("| %s | %s | %s |", row.what->name, row.what->unit,
                cell(best == kNone ? std::nullopt : rate(row, best), 1).c_str());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].kind == Column::Kind::Cpp) continue;
      std::optional<double> share = best == kNone ? std::nullopt : ratioOf(row.results[best], row.results[i]);
      if (share) share = 100 * *share;
      std::printf(" %s | %s %% |", cell(rate(row, i), 1).c_str(), cell(share, 0).c_str());
    }
    std::printf(" %s |\n", verdict(columns, row).c_str());
  }
  std::printf("\n");
  for (const Ratio& peer : peers)
    peer.print();
}

void writeKernelJson(const std::string& file, const std::vector<Column>& columns, const std::vector<KernelRow>& rows) {
  nlohmann::ordered_json document;
  document["machine"] = machine();
  for (const KernelRow& row : rows) {
    nlohmann::ordered_json kernel = {{"name", row.what->name}, {"family", row.what->family}};
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const KernelResult& result = row.results[i];
      nlohmann::ordered_json& entry = kernel["results"][columns[i].name];
      if (result.time) entry["ms"] = *result.time;
      if (!result.rounds.empty()) entry["rounds_ms"] = result.rounds;
      if (result.build) entry["build_ms"] = *result.build;
      entry["verified"] = result.problem.empty();
      if (!result.problem.empty()) entry["problem"] = result.problem;
    }
    document["kernels"].push_back(std::move(kernel));
  }
  std::ofstream(file) << document.dump(2) << "\n";
}

} // namespace bench
