// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_comparison.hpp"

#include "contender.hpp"
#include "cuda_compiler.hpp"
#include "cuda_driver.hpp"
#include "kernel_table.hpp"
#include "kernel_worker.hpp"
#include "statistics.hpp"
#include "vendors.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <regex>
#include <sstream>
#include <thread>

namespace bench {

namespace {

// Memory's speed changes within seconds and within minutes on shared machines, and with the pages that a process gets:
// so several rounds in each of several passes over all kernels, each pass with processes of its own.
constexpr int kRounds = 3;
constexpr int kPatience = 60; ///< seconds until a request counts as hung
/// Shares of a compiler's speed that Clotho is to reach.
constexpr double kGoalOfCpp = 0.9, kGoalOfCuda = 0.97;

/// A contender's process, started again when it has died.
class Seat {
 public:
  Seat(std::string who, std::vector<std::pair<std::string, std::string>> environment, Column column)
      : column(std::move(column)), who_(std::move(who)), environment_(std::move(environment)) {}

  /// The words after the one that tells success; nothing otherwise, and `problem` has the reason.
  std::optional<std::string> ask(const std::string& request, std::string& problem) {
    if (!process_) process_ = std::make_unique<Companion>(std::vector<std::string>{"--serve", who_}, environment_);
    std::optional<std::string> answer = process_->ask(request, kPatience);
    if (!answer) {
      process_.reset();
      problem = "died or hung at: " + request;
      return std::nullopt;
    }
    if (answer->starts_with("error ")) {
      process_.reset(); // a fault on a GPU stays with the process
      problem = *answer;
      return std::nullopt;
    }
    return answer;
  }

  void drop() {
    std::string ignored;
    if (process_) ask("drop", ignored);
  }

  Column column;

 private:
  std::string who_;
  std::vector<std::pair<std::string, std::string>> environment_;
  std::unique_ptr<Companion> process_;
};

std::vector<std::unique_ptr<Seat>> seatsFor(const std::vector<Vendor>& vendors, const KernelOptions& options,
                                            const TemporaryFolder& caches) {
  std::vector<std::unique_ptr<Seat>> seats;
  // OpenMP's threads spin when they wait, clang++'s for 200 ms. They would disturb the contender that is measured next,
  // and on a busy machine the very thread that they wait for. 1 ms, and about 0.05 ms of g++'s, are enough between
  // loops.
  const std::vector<std::pair<std::string, std::string>> quietly = {{"KMP_BLOCKTIME", "1"},
                                                                    {"GOMP_SPINCOUNT", "20000"}};
  // Each OpenMP thread on a processor of its own, or else a thread that wakes up shares one with the one that woke it.
  std::vector<std::pair<std::string, std::string>> pinned = quietly;
  pinned.emplace_back("OMP_PROC_BIND", "true");
  for (const std::string& compiler : options.isAlone ? std::vector<std::string>() : hostCompilers())
    seats.push_back(std::make_unique<Seat>(compiler, pinned, Column{compiler, Column::Kind::Cpp, kGoalOfCpp}));
  for (const Vendor& vendor : vendors) {
    std::vector<std::pair<std::string, std::string>> environment = environmentOf(vendor, caches);
    environment.emplace_back("CLOTHO_CACHE", "0");
    environment.insert(environment.end(), quietly.begin(), quietly.end());
    std::string name = vendor.ours                                              ? "Clotho"
                       : vendor.name.starts_with("Portable Computing Language") ? "PoCL"
                                                                                : vendor.name;
    seats.push_back(std::make_unique<Seat>(
        "opencl", environment, Column{name, vendor.ours ? Column::Kind::Clotho : Column::Kind::OtherPlatform}));
    if (vendor.ours && !options.spirvTool.empty())
      seats.push_back(std::make_unique<Seat>(kSpirvSeat + options.spirvTool, environment,
                                             Column{"from SPIR-V", Column::Kind::OtherPlatform}));
  }
  if (options.withCuda())
    seats.push_back(std::make_unique<Seat>(kCudaSeat + options.cubins, quietly,
                                           Column{"nvcc", Column::Kind::OtherPlatform, kGoalOfCuda}));
  return seats;
}

/// `how`: quick, full, again (as full, for a kernel whose time to build is known already), or alone (KernelOptions).
void prepare(Seat& seat, const KernelCase& what, const std::string& how, KernelResult& result) {
  std::optional<std::string> answer = seat.ask(std::string("prepare ") + what.name + " " + how, result.problem);
  if (!answer) return;
  std::istringstream words(*answer);
  std::string ready, build, verdict;
  words >> ready >> build >> verdict;
  if (build != "-" && !result.build) result.build = std::stod(build);
  if (verdict != "verified") result.problem = answer->substr(answer->find(verdict));
}

/// Everybody in turn, in every round, so that other work on the machine hits all alike.
void measure(std::vector<std::unique_ptr<Seat>>& seats, KernelRow& row) {
  for (int round = 0; round < kRounds; ++round)
    for (std::size_t i = 0; i < seats.size(); ++i) {
      KernelResult& result = row.results[i];
      if (!result.problem.empty()) continue;
      std::this_thread::sleep_for(std::chrono::milliseconds(8)); // the last one's threads go to sleep
      if (auto answer = seats[i]->ask("measure", result.problem)) result.rounds.push_back(std::stod(*answer));
    }
}

/// Who has failed at a kernel is not asked for it again, so that rounds of the same number are of the same moment.
void pass(std::vector<std::unique_ptr<Seat>>& seats, const KernelOptions& options, bool first,
          std::vector<KernelRow>& rows) {
  for (KernelRow& row : rows) {
    for (std::size_t i = 0; i < seats.size(); ++i)
      if (row.results[i].problem.empty())
        prepare(*seats[i], *row.what,
                options.quick     ? "quick"
                : options.isAlone ? "alone"
                                  : (first ? "full" : "again"),
                row.results[i]);
    if (!options.quick) measure(seats, row);
    for (const auto& seat : seats)
      seat->drop();
  }
}

std::vector<const KernelCase*> wantedKernels(const std::string& wanted) {
  const std::regex pattern(wanted);
  std::vector<const KernelCase*> kernels;
  for (const KernelCase& what : kernelCases())
    if (std::regex_search(what.name, pattern) || std::regex_search(what.family, pattern)) kernels.push_back(&what);
  if (kernels.empty()) std::fprintf(stderr, "no kernel has a name or family like %s\n", wanted.c_str());
  return kernels;
}

/// Has all kernels compiled before any is measured. Without a GPU or a compiler the column stays empty.
void compileByNvcc(const std::vector<const KernelCase*>& kernels, const KernelOptions& options, std::size_t column,
                   std::vector<KernelRow>& rows) {
  std::vector<std::string> problems;
  try {
    const std::string& wanted = options.cudaArchitecture;
    problems = compileForCuda(kernels, {options.nvcc, wanted.empty() ? cudaArchitecture() : wanted, options.cubins});
  } catch (const std::exception& error) {
    problems.assign(kernels.size(), error.what());
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i].results[column].problem = problems[i];
}

} // namespace

bool compileKernels(const KernelOptions& options) {
  std::vector<const KernelCase*> kernels = wantedKernels(options.pattern);
  std::erase_if(kernels, [](const KernelCase* what) { return !isForCuda(*what); });
  const std::vector<std::string> problems =
      compileForCuda(kernels, {options.nvcc, options.cudaArchitecture, options.cubins});
  for (std::size_t i = 0; i < kernels.size(); ++i)
    if (!problems[i].empty()) std::fprintf(stderr, "%s: %s\n", kernels[i]->name, problems[i].c_str());
  const auto good = std::count(problems.begin(), problems.end(), "");
  std::printf("%td of %zu kernels compiled\n", good, kernels.size());
  return !kernels.empty() && static_cast<std::size_t>(good) == kernels.size();
}

bool compareKernels(const std::vector<Vendor>& vendors, const KernelOptions& given) {
  TemporaryFolder caches;
  KernelOptions options = given;
  if (options.withCuda() && options.cubins.empty()) options.cubins = caches.path() + "/cubins";
  std::vector<Column> columns;
  for (const auto& seat : seatsFor(vendors, options, caches))
    columns.push_back(seat->column);

  const std::vector<const KernelCase*> kernels = wantedKernels(options.pattern);
  if (kernels.empty()) return false;
  std::vector<KernelRow> rows;
  for (const KernelCase* what : kernels)
    rows.emplace_back(KernelRow{what, std::vector<KernelResult>(columns.size())});
  if (options.withCuda()) compileByNvcc(kernels, options, columns.size() - 1, rows);
  for (int number = 0; number < (options.quick ? 1 : options.passes); ++number) {
    std::vector<std::unique_ptr<Seat>> seats = seatsFor(vendors, options, caches);
    pass(seats, options, number == 0, rows);
  }

  bool good = true;
  for (KernelRow& row : rows)
    for (std::size_t i = 0; i < columns.size(); ++i) {
      KernelResult& result = row.results[i];
      result.time = median(result.rounds);
      if (columns[i].kind == Column::Kind::OtherPlatform || result.problem.empty()) continue;
      good = false;
      std::fprintf(stderr, "%s: %s: %s\n", row.what->name, columns[i].name.c_str(), result.problem.c_str());
    }
  printKernelTable(columns, rows);
  std::printf("\n");
  printPeakTable(columns, rows);
  if (!options.json.empty()) writeKernelJson(options.json, columns, rows);
  return good;
}

} // namespace bench
