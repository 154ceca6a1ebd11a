// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay_comparison.hpp"

#include "child_process.hpp"
#include "kernel_case.hpp"
#include "spelling_worker.hpp"
#include "statistics.hpp"
#include "vendors.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <regex>
#include <sys/wait.h> // NOLINT(misc-include-cleaner): of WIFEXITED
#include <vector>

namespace bench {

namespace {

namespace fs = std::filesystem;

constexpr int kPasses = 3;     ///< over program and replay in turn
constexpr int kPatience = 120; ///< seconds until a request counts as hung
constexpr double kReach = 0.05;

struct ReplayRow {
  std::string name;
  std::uintmax_t bytes = 0; ///< of the files
  std::array<std::vector<double>, 2>
      times;           ///< ms of processor time of an iteration: in the program, and of all its launches replayed
  std::string problem; ///< empty: none

  /// The replay's time by the program's: the median of each pass's ratio, whose times are of one moment.
  std::optional<double> ratio() const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < times[1].size(); ++i)
      ratios.push_back(times[1][i] / times[0][i]);
    return median(ratios);
  }
};

struct Said {
  int status = -1;
  std::string text;
};

Said runTool(const std::string& command) {
  Said said;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return said;
  std::array<char, 4096> part;
  while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe))
    said.text.append(part.data(), size);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) said.status = WEXITSTATUS(status);
  return said;
}

/// Milliseconds of processor time that `clotho replay --repeat` says.
std::optional<double> timeIn(const std::string& text) {
  std::smatch match;
  if (!std::regex_search(text, match, std::regex("([0-9.]+) ms of processor time"))) return std::nullopt;
  return std::stod(match[1]);
}

class ReplayRun {
 public:
  ReplayRun(const Vendor& clotho, const ReplayOptions& options, const TemporaryFolder& caches, ReplayRow& row)
      : clotho_(clotho), options_(options), caches_(caches), row_(row) {}

  void measure() {
    const std::vector<fs::path> files = capture();
    if (!row_.problem.empty()) return;
    for (const fs::path& file : files) {
      row_.bytes += fs::file_size(file);
      const Said said = replay(file, "");
      if (said.status != 0) row_.problem = said.text;
    }
    if (!options_.quick && row_.problem.empty()) takeTimes(files);
  }

 private:
  std::string prepare(const char* scale) const { return "prepare " + row_.name + " " + scale; }

  std::optional<std::string> ask(Companion& process, const std::string& request) {
    const std::string answer = process.ask(request, kPatience).value_or("died or hung");
    if (answer.find("WRONG") == std::string::npos && !answer.starts_with("error") && !answer.starts_with("died"))
      return answer;
    row_.problem = request + ": " + answer;
    return std::nullopt;
  }

  /// The files of one iteration's launches.
  std::vector<fs::path> capture() {
    const Problem problem = findKernelCase(row_.name)->make(Scale{options_.quick});
    auto environment = environmentOf(clotho_, caches_);
    environment.emplace_back("CLOTHO_CAPTURE", folder_.path() + ":launch=1-" + std::to_string(problem.launches.size()));
    Companion process({"--serve", "opencl"}, environment);
    ask(process, prepare(options_.quick ? "quick" : "once"));
    std::map<std::string, int> counts;
    std::vector<fs::path> files;
    for (const Launch& launch : problem.launches)
      files.push_back(folder_.path() + "/" + launch.kernel + "-" + std::to_string(++counts[launch.kernel]) +
                      ".capture");
    for (const fs::path& file : files)
      if (row_.problem.empty() && !fs::exists(file)) row_.problem = file.string() + " was not written";
    return files;
  }

  Said replay(const fs::path& file, const std::string& more) const {
    return runTool("CLOTHO_CACHE_DIR='" + caches_.path() + "' '" + options_.tool + "' replay '" + file.string() + "' " +
                   more);
  }

  /// Program and replays in turn, so that what else runs on the machine changes both alike.
  void takeTimes(const std::vector<fs::path>& files) {
    const std::string path = std::string(kKernelFamily) + "/" + row_.name;
    Companion process({"--serve", kSpellingSeat}, environmentOf(clotho_, caches_));
    if (!ask(process, "prepare " + path + " full ") || !ask(process, "settle " + path)) return;
    // Many launches need not be settled as long as one.
    const std::string settle = std::to_string(1.0 / static_cast<double>(files.size()));
    for (int pass = 0; pass < kPasses; ++pass) {
      double replayed = 0;
      for (const fs::path& file : files)
        replayed += timeIn(replay(file, "--repeat 7 --settle " + settle).text).value_or(NAN);
      // The program has waited meanwhile. Like the replay, it runs for a while before times are taken, so that as much
      // of its data is in caches that others use, too.
      if (!ask(process, "settle " + path)) return;
      const auto here = ask(process, "measure " + path);
      if (!here) return;
      row_.times[0].push_back(std::stod(*here));
      row_.times[1].push_back(replayed);
    }
  }

  const Vendor& clotho_;
  const ReplayOptions& options_;
  const TemporaryFolder& caches_;
  const TemporaryFolder folder_;
  ReplayRow& row_;
};

void print(const ReplayRow& row) {
  std::printf("| %s | %.2f |", row.name.c_str(), static_cast<double>(row.bytes) / (1 << 20));
  if (const auto ratio = row.ratio())
    std::printf(" %.4f | %.4f | %.2f |", *median(row.times[0]), *median(row.times[1]), *ratio);
  else
    std::printf(" - | - | - |");
  std::printf(" %s |\n", row.problem.empty() ? "same bits" : row.problem.c_str());
  std::fflush(stdout);
}

} // namespace

bool compareReplays(const Vendor& clotho, const ReplayOptions& options) {
  const std::regex expression(options.pattern);
  std::vector<ReplayRow> rows;
  for (const KernelCase& what : kernelCases())
    if (std::regex_search(what.name, expression) || std::regex_search(what.family, expression))
      rows.push_back({what.name, {}, {}, {}});
  if (rows.empty()) {
    std::fprintf(stderr, "no kernel is like %s\n", options.pattern.c_str());
    return false;
  }
  std::printf("| kernel | MiB | ms | ms replayed | replayed/program | results |\n"
              "| --- | --: | --: | --: | --: | --- |\n");
  const TemporaryFolder caches;
  std::size_t same = 0, near = 0, timed = 0;
  for (ReplayRow& row : rows) {
    ReplayRun(clotho, options, caches, row).measure();
    print(row);
    same += row.problem.empty() ? 1 : 0;
    if (const auto ratio = row.ratio()) {
      ++timed;
      near += std::fabs(*ratio - 1) <= kReach ? 1 : 0;
    }
  }
  std::printf("\n%zu of %zu kernels give the same bits; %zu of %zu take the same time within %.0f %%\n", same,
              rows.size(), near, timed, kReach * 100);
  return same == rows.size();
}

} // namespace bench
