// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "build_times.hpp"

#include "child_process.hpp"
#include "contender.hpp"
#include "kernel_case.hpp"
#include "statistics.hpp"
#include "vendors.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <memory>
#include <optional>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace bench {

namespace {

constexpr int kPatience = 120; ///< seconds until a request counts as hung
constexpr int kRounds = 5;

// --- In the process of one platform ---

/// Milliseconds of processor time of all threads of the process.
double processorTime() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

/// Platforms compile when a program is built or when a kernel is first launched, so both are measured; what a launch
/// takes by itself is not.
class BuildWorker {
 public:
  double answer(const std::string& request) {
    std::istringstream words(request);
    std::string name, scale, options;
    words >> name >> scale;
    std::getline(words, options);
    const KernelCase* what = findKernelCase(name);
    if (!what) throw std::runtime_error("no such kernel: " + name);
    Problem problem = what->make(Scale{true});
    problem.options += options;
    contender_->prepare(*what, problem);
    const double begin = processorTime();
    contender_->rebuild(++number_);
    const double built = processorTime();
    contender_->run(1);
    const double ran = processorTime();
    contender_->drop();
    return (built - begin) - (ran - built);
  }

 private:
  std::unique_ptr<Contender> contender_ = openClContender();
  int number_ = 0;
};

// --- In the process that starts those ---

struct Column {
  std::string name, options;
  std::unique_ptr<Companion> process;

  Column(const Vendor& vendor, const TemporaryFolder& caches, std::string title, std::string more)
      : name(std::move(title)), options(std::move(more)) {
    auto environment = environmentOf(vendor, caches);
    // So that its compiler's time is the process's, and each build is one.
    environment.insert(environment.end(),
                       {{"CLOTHO_COMPILER_IN_PROCESS", "1"}, {"CLOTHO_CACHE", "0"}, {"POCL_KERNEL_CACHE", "0"}});
    process = std::make_unique<Companion>(std::vector<std::string>{"--serve", kBuildSeat}, environment);
  }

  std::optional<double> measure(const std::string& kernel, bool quick) {
    if (!process) return std::nullopt;
    const auto answer = process->ask(kernel + (quick ? " quick" : " full") + options, kPatience);
    if (!answer) process.reset();
    if (answer && !answer->starts_with("error")) return std::stod(*answer);
    std::fprintf(stderr, "%s on %s: %s\n", kernel.c_str(), name.c_str(), answer.value_or("died or hung").c_str());
    return std::nullopt;
  }
};

/// In turn, so that what else the machine does meets all columns; the best is what the software costs.
std::vector<std::optional<double>> measure(std::vector<Column>& columns, const std::string& kernel, bool quick) {
  std::vector<std::optional<double>> best(columns.size());
  for (int round = 0; round < (quick ? 1 : kRounds); ++round)
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (const auto time = columns[i].measure(kernel, quick)) best[i] = std::min(best[i].value_or(*time), *time);
  return best;
}

void printRatios(const Column& other, const std::vector<double>& ratios) {
  if (ratios.empty()) return;
  std::printf("times %s: median %.2f, geometric mean %.2f, at most %.2f over %zu kernels, %td above 1\n",
              other.name.c_str(), *median(ratios), *geometricMean(ratios),
              *std::max_element(ratios.begin(), ratios.end()), ratios.size(),
              std::count_if(ratios.begin(), ratios.end(), [](double ratio) { return ratio > 1; }));
}

} // namespace

void serveBuildRequests() {
  BuildWorker worker;
  for (std::string request; std::getline(std::cin, request);) {
    std::string answer;
    try {
      answer = std::to_string(worker.answer(request));
    } catch (const std::exception& error) {
      answer = std::string("error ") + error.what();
    }
    std::replace(answer.begin(), answer.end(), '\n', ' ');
    std::cout << answer << std::endl;
  }
}

bool compareBuildTimes(const std::vector<Vendor>& vendors, const std::string& pattern, bool quick) {
  const TemporaryFolder caches;
  std::vector<Column> columns;
  columns.emplace_back(vendors.front(), caches, "Clotho", "");
  columns.emplace_back(vendors.front(), caches, "W=1", " -clotho-width=1");
  for (std::size_t i = 1; i < vendors.size(); ++i)
    columns.emplace_back(vendors[i], caches, vendors[i].name, "");

  std::printf("| kernel |");
  for (const Column& column : columns)
    std::printf(" %s, ms |", column.name.c_str());
  std::printf("\n| --- |");
  for (std::size_t i = 0; i < columns.size(); ++i)
    std::printf(" --: |");
  std::printf("\n");

  const std::regex wanted(pattern);
  std::vector<std::vector<double>> ratios(columns.size());
  std::size_t built = 0, kernels = 0;
  for (const KernelCase& what : kernelCases()) {
    // Cases with a peak are one kernel for many types.
    if (what.unit != nullptr) continue;
    if (!std::regex_search(what.name, wanted) && !std::regex_search(what.family, wanted)) continue;
    const auto times = measure(columns, what.name, quick);
    ++kernels;
    if (times.front()) ++built;
    std::printf("| %s |", what.name);
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (!times[i]) {
        std::printf(" - |");
        continue;
      }
      std::printf(" %.1f |", *times[i]);
      if (times.front() && *times[i] > 0) ratios[i].push_back(*times.front() / *times[i]);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  std::printf("\n");
  for (std::size_t i = 1; i < columns.size(); ++i)
    printRatios(columns[i], ratios[i]);
  if (kernels == 0) std::fprintf(stderr, "no kernel has a name or family like %s\n", pattern.c_str());
  return kernels > 0 && built == kernels;
}

} // namespace bench
