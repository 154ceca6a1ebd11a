// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spelling_comparison.hpp"

#include "spelling.hpp"
#include "spelling_worker.hpp"
#include "statistics.hpp"
#include "vendors.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <regex>

namespace bench {

namespace {

constexpr int kPasses = 7;    ///< over all spellings of a family on all platforms in turn
constexpr int kPatience = 60; ///< seconds until a request counts as hung
constexpr double kCliff = 2.5;

using Environment = std::vector<std::pair<std::string, std::string>>;

struct Column {
  std::string name;
  bool ours;
  Environment environment;
};

std::vector<Column> columnsFor(const std::vector<Vendor>& vendors, const TemporaryFolder& caches) {
  std::vector<Column> columns;
  for (const Vendor& vendor : vendors) {
    const Environment environment = environmentOf(vendor, caches);
    const std::string name = vendor.ours                                              ? "Clotho"
                             : vendor.name.starts_with("Portable Computing Language") ? "PoCL"
                                                                                      : vendor.name;
    columns.push_back({name, vendor.ours, environment});
#if defined(__x86_64__)
    if (vendor.ours && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      columns.push_back({"Clotho, AVX2", true, environment});
      columns.back().environment.emplace_back("CLOTHO_CPU", "x86-64-v3");
    }
#endif
  }
  return columns;
}

struct Result {
  std::vector<double> passes; ///< ms of processor time
  std::string problem;        ///< empty: ran, and the result is right
};

struct SpellingRow {
  std::string path; ///< FAMILY/NAME
  bool otherWork;
  std::vector<Result> results; ///< one a column
};

/// A process for each column, which ends with the family.
class FamilyRun {
 public:
  FamilyRun(const std::vector<Column>& columns, std::vector<SpellingRow>& rows) : rows_(rows) {
    for (const Column& column : columns)
      processes_.push_back(
          std::make_unique<Companion>(std::vector<std::string>{"--serve", kSpellingSeat}, column.environment));
  }

  void prepare(bool quick) {
    for (SpellingRow& row : rows_)
      for (std::size_t i = 0; i < processes_.size(); ++i) {
        const std::string answer = ask(i, "prepare " + row.path + (quick ? " quick" : " full"));
        if (answer != "verified") row.results[i].problem = answer;
      }
  }

  /// Everybody in turn, so that other work on the machine hits all alike.
  void measure() {
    for (int pass = 0; pass < kPasses; ++pass)
      for (SpellingRow& row : rows_)
        for (std::size_t i = 0; i < processes_.size(); ++i) {
          Result& result = row.results[i];
          if (!result.problem.empty()) continue;
          const std::string answer = ask(i, "measure " + row.path);
          if (answer.starts_with("error") || answer.starts_with("died"))
            result.problem = answer;
          else
            result.passes.push_back(std::stod(answer));
        }
  }

 private:
  std::string ask(std::size_t column, const std::string& request) {
    return processes_[column]->ask(request, kPatience).value_or("died or hung");
  }

  std::vector<SpellingRow>& rows_;
  std::vector<std::unique_ptr<Companion>> processes_;
};

/// The fastest of those that count; nothing if none was measured.
const SpellingRow* fastestOf(const std::vector<SpellingRow>& rows, std::size_t column) {
  const SpellingRow* best = nullptr;
  for (const SpellingRow& row : rows) {
    const std::optional<double> time = median(row.results[column].passes);
    if (row.otherWork || !time) continue;
    if (!best || *time < *median(best->results[column].passes)) best = &row;
  }
  return best;
}

/// How many times as long as `other` `result` takes: the median of each pass's ratio, whose times are of one moment.
std::optional<double> ratioOf(const Result& result, const Result& other) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(result.passes.size(), other.passes.size()); ++i)
    ratios.push_back(result.passes[i] / other.passes[i]);
  return median(ratios);
}

/// All factors of a column that count.
struct Factors {
  std::vector<double> values;
  std::vector<std::string> paths;

  void print(const std::string& name) const {
    if (values.empty()) return;
    const auto largest = std::max_element(values.begin(), values.end());
    std::printf("%s: %zu factors, geometric mean %.2f, largest %.2f (%s), %td above %.1f\n", name.c_str(),
                values.size(), *geometricMean(values), *largest,
                paths[static_cast<std::size_t>(largest - values.begin())].c_str(),
                std::count_if(values.begin(), values.end(), [](double factor) { return factor > kCliff; }), kCliff);
  }
};

std::string cell(std::optional<double> value, int digits = 2) {
  if (!value) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, *value);
  return text;
}

std::string verdictOf(const std::vector<Column>& columns, const SpellingRow& row) {
  std::string problems;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (!row.results[i].problem.empty())
      problems += (problems.empty() ? "" : "; ") + columns[i].name + ": " + row.results[i].problem;
  return problems.empty() ? "verified" : problems;
}

void printHead(const std::vector<Column>& columns) {
  std::printf("| spelling |");
  for (const Column& column : columns)
    std::printf(" %s ms | factor |", column.name.c_str());
  for (const Column& column : columns)
    if (!column.ours) std::printf(" %s/Clotho |", column.name.c_str());
  std::printf(" results |\n| --- |");
  for (const Column& column : columns)
    std::printf(column.ours ? " --: | --: |" : " --: | --: | --: |");
  std::printf(" --- |\n");
}

void printRows(const std::vector<Column>& columns, const std::vector<SpellingRow>& rows,
               std::vector<Factors>& factors) {
  std::vector<const SpellingRow*> fastest(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i)
    fastest[i] = fastestOf(rows, i);
  for (const SpellingRow& row : rows) {
    std::printf("| %s |", row.path.c_str());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::optional<double> factor = fastest[i] ? ratioOf(row.results[i], fastest[i]->results[i]) : std::nullopt;
      std::printf(" %s |", cell(median(row.results[i].passes), 3).c_str());
      std::printf(row.otherWork ? " (%s) |" : " %s |", cell(factor).c_str());
      if (!factor || row.otherWork) continue;
      factors[i].values.push_back(*factor);
      factors[i].paths.push_back(row.path);
    }
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (!columns[i].ours) std::printf(" %s |", cell(ratioOf(row.results[i], row.results.front())).c_str());
    std::printf(" %s |\n", verdictOf(columns, row).c_str());
  }
  std::fflush(stdout);
}

std::vector<SpellingRow> rowsOf(const SpellingFamily& family, const std::regex& pattern, std::size_t columns) {
  std::vector<SpellingRow> rows;
  for (const Spelling& spelling : family.spellings) {
    const std::string path = family.name + "/" + spelling.name;
    if (std::regex_search(path, pattern)) rows.push_back({path, spelling.otherWork, std::vector<Result>(columns)});
  }
  return rows;
}

/// Tells what is wrong on ours; false if anything is.
bool judge(const std::vector<Column>& columns, const std::vector<SpellingRow>& rows) {
  bool good = true;
  for (const SpellingRow& row : rows)
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!columns[i].ours || row.results[i].problem.empty()) continue;
      good = false;
      std::fprintf(stderr, "%s: %s: %s\n", row.path.c_str(), columns[i].name.c_str(), row.results[i].problem.c_str());
    }
  return good;
}

} // namespace

bool compareSpellings(const std::vector<Vendor>& vendors, const SpellingOptions& options) {
  const TemporaryFolder caches;
  const std::vector<Column> columns = columnsFor(vendors, caches);
  const std::regex pattern(options.pattern);
  std::vector<Factors> factors(columns.size());
  bool good = true, any = false;
  printHead(columns);
  for (const SpellingFamily& family : spellingFamilies()) {
    std::vector<SpellingRow> rows = rowsOf(family, pattern, columns.size());
    if (rows.empty()) continue;
    any = true;
    FamilyRun run(columns, rows);
    run.prepare(options.quick);
    if (!options.quick) run.measure();
    printRows(columns, rows, factors);
    good &= judge(columns, rows);
  }
  if (!any) {
    std::fprintf(stderr, "no spelling is like %s\n", options.pattern.c_str());
    return false;
  }
  std::printf("\n");
  for (std::size_t i = 0; i < columns.size(); ++i)
    factors[i].print(columns[i].name);
  return good;
}

} // namespace bench
