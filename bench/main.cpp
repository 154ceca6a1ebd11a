// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures what starting and driving an OpenCL platform costs, each row of the table in processes of its own, and how
// fast kernels are beside the same work in C++: on Clotho and on every other platform installed, with every result
// verified.
#include "ablation.hpp"
#include "build_times.hpp"
#include "cases.hpp"
#include "check_cost.hpp"
#include "child_process.hpp"
#include "kernel_comparison.hpp"
#include "kernel_worker.hpp"
#include "math_throughput.hpp"
#include "replay_comparison.hpp"
#include "report.hpp"
#include "session.hpp"
#include "spelling_comparison.hpp"
#include "spelling_worker.hpp"
#include "statistics.hpp"
#include "vendors.hpp"
#include "width_comparison.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

using namespace bench;

namespace {

struct Arguments {
  std::string clotho;
  std::string vendors = "/etc/OpenCL/vendors";
  std::vector<std::string> only;
  int rounds = 1;
  bool latency = false; ///< only what starting and driving costs
  bool onlyKernels = false;
  bool onlyCompile = false; ///< by nvcc
  std::string math;         ///< only math builtins whose name matches
  std::string build;        ///< only how long kernels whose name or family matches take to build
  KernelOptions kernels;
  SpellingOptions spellings;
  WidthOptions widths;
  ReplayOptions replays;
  CheckOptions checks;
  AblationOptions ablation;
  Effort effort;
  std::string measure; ///< what a measured process is to do
  std::string serve;   ///< whose kernels such a process runs
};

// --- In a measured process ---

std::string info(cl_platform_id platform, cl_platform_info what) {
  char text[256] = "";
  clGetPlatformInfo(platform, what, sizeof text, text, nullptr);
  return text;
}

void measure(const Arguments& arguments) {
  if (arguments.measure == "name") {
    Session session;
    std::puts(info(session.platform, CL_PLATFORM_NAME).c_str());
    return;
  }
  if (arguments.measure == "fill") return fillCache();
  const Case* what = findCase(arguments.measure);
  if (!what) throw std::runtime_error("no such case: " + arguments.measure);
  for (double sample : what->measure(arguments.effort))
    std::printf("%.9g\n", sample);
}

// --- In the process that starts those ---

ChildOutput runOn(const Vendor& vendor, const TemporaryFolder& cache, const std::string& what, const Effort& effort) {
  std::vector<std::string> words = {"--measure", what};
  if (effort.quick) words.emplace_back("--quick");
  return runSelf(words, environmentOf(vendor, cache));
}

/// The median over all samples of all processes; nothing if one of them failed.
std::optional<double> measureOn(const Vendor& vendor, const Case& what, const Effort& effort) {
  std::vector<double> samples;
  std::optional<TemporaryFolder> cache;
  for (int i = effort.pick(what.processes, 2); i > 0; --i) {
    if (!cache || what.cache == Case::Cache::Fresh) {
      cache.emplace();
      if (what.cache == Case::Cache::Filled && !runOn(vendor, *cache, "fill", effort).good) return std::nullopt;
    }
    ChildOutput output = runOn(vendor, *cache, what.name, effort);
    if (!output.good) return std::nullopt;
    std::istringstream lines(output.text);
    for (double sample; lines >> sample;)
      samples.push_back(sample);
  }
  return median(std::move(samples));
}

std::vector<Row> wantedRows(const Arguments& arguments, std::size_t vendors) {
  std::vector<Row> rows;
  for (const Case& what : allCases())
    if (arguments.only.empty() ||
        std::find(arguments.only.begin(), arguments.only.end(), what.name) != arguments.only.end())
      rows.push_back({&what, std::vector<std::optional<double>>(vendors)});
  return rows;
}

bool compareLatencies(const std::vector<Vendor>& vendors, const Arguments& arguments) {
  std::vector<Row> rows = wantedRows(arguments, vendors.size());
  for (int round = 0; round < arguments.rounds; ++round)
    for (Row& row : rows)
      for (std::size_t i = 0; i < vendors.size(); ++i) {
        std::optional<double> now = measureOn(vendors[i], *row.what, arguments.effort);
        std::optional<double>& best = row.medians[i];
        if (now && (!best || (row.what->higherIsBetter ? *now > *best : *now < *best))) best = now;
      }
  printTable(vendors, rows);
  // A goal that is missed is a figure; a case that fails is an error.
  bool good = std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.medians.front().has_value(); });
  return good && !rows.empty();
}

int compare(const Arguments& arguments) {
  std::printf("%s\n\n", machine().c_str());
  std::fflush(stdout);
  std::vector<Vendor> vendors = findVendors(arguments.clotho, arguments.vendors);
  bool good = true;
  if (!arguments.onlyKernels) good &= compareLatencies(vendors, arguments);
  if (!arguments.latency && arguments.only.empty()) {
    std::printf("\n");
    std::fflush(stdout);
    good &= compareKernels(vendors, arguments.kernels);
  }
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

/// Options that choose one table each.
struct Tables {
  CLI::Option *kernels, *latency, *math, *build, *spellings, *widths, *replays, *checks, *ablation;
};

Tables addTables(CLI::App& app, Arguments& arguments) {
  const auto add = [&](const char* name, std::string& pattern, const char* what) {
    return app.add_option(name, pattern, what)->expected(0, 1);
  };
  const Tables tables = {
      .kernels = add("--kernels", arguments.kernels.pattern, "only kernels; those whose name or family match a regex"),
      .latency = app.add_flag("--latency", arguments.latency, "only what starting and driving costs"),
      .math = add("--math", arguments.math, "only math builtins; those whose name matches a regex"),
      .build = add("--build", arguments.build, "only how long kernels take to build; those whose name or family match"),
      .spellings = add("--spellings", arguments.spellings.pattern,
                       "only computations in several usual spellings; those whose FAMILY/NAME matches a regex"),
      .widths = add("--against-scalar", arguments.widths.pattern,
                    "only what running several work-items at once gains; of those whose kernels/NAME or FAMILY/NAME "
                    "matches a regex"),
      .replays = add("--replays", arguments.replays.pattern,
                     "only whether captured launches give the same bits in the same time when they are replayed"),
      .checks =
          add("--checked", arguments.checks.pattern,
              "only what checks of kernels cost (docs/checking.md); of those whose name or family matches a regex"),
      .ablation = add("--ablation", arguments.ablation.passes,
                      "only what each optional pass of the compiler gains; of those whose whole name matches a regex")};
  CLI::Option* const all[] = {tables.kernels, tables.latency, tables.math,   tables.build,   tables.spellings,
                              tables.widths,  tables.replays, tables.checks, tables.ablation};
  for (CLI::Option* one : all)
    for (CLI::Option* other : all)
      if (one != other) one->excludes(other);
  return tables;
}

Tables addOptions(CLI::App& app, Arguments& arguments) {
  app.add_option("--clotho", arguments.clotho, "Clotho's ICD file")->check(CLI::ExistingFile);
  app.add_option("--vendors", arguments.vendors, "folder with the ICD files of the others; \"none\" for no other")
      ->capture_default_str();
  app.add_option("--only", arguments.only, "cases to measure, with commas between; default all")->delimiter(',');
  app.add_option("--rounds", arguments.rounds, "measure everything so many times and show the best median of each")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--quick", arguments.effort.quick, "few repetitions: whether it works, not how fast");
  const Tables tables = addTables(app, arguments);
  app.add_option("--programs", arguments.ablation.programs,
                 "kernels/NAME and FAMILY/NAME to try passes on: those that match a regex")
      ->needs(tables.ablation);
  app.add_flag("--together", arguments.ablation.together, "leave out all these passes at once")->needs(tables.ablation);
  app.add_option("--commands", arguments.ablation.commands,
                 "other programs to try passes on: a file with a name, a tab and a command in each line")
      ->check(CLI::ExistingFile)
      ->needs(tables.ablation);
  app.add_option("--spirv", arguments.kernels.spirvTool,
                 "the command `clotho`: kernels are measured from the SPIR-V that it makes of them, too")
      ->check(CLI::ExistingFile);
  app.add_option("--tool", arguments.replays.tool, "the command `clotho`")
      ->check(CLI::ExistingFile)
      ->needs(tables.replays);
  app.add_flag("--without-cpp", arguments.kernels.isAlone,
               "C++ verifies the kernels' results and is not measured: for devices that are not the host's processors")
      ->needs(tables.kernels);
  app.add_option("--passes", arguments.kernels.passes, "measure all kernels so many times, in new processes each time")
      ->check(CLI::PositiveNumber)
      ->needs(tables.kernels)
      ->capture_default_str();
  CLI::Option* const nvcc = app.add_option("--nvcc", arguments.kernels.nvcc,
                                           "CUDA's compiler: kernels are measured as CUDA C++ on the first GPU, too")
                                ->check(CLI::ExistingFile)
                                ->needs(tables.kernels);
  CLI::Option* const cubins =
      app.add_option("--cubins", arguments.kernels.cubins,
                     "folder that keeps what nvcc makes; without --nvcc, only what is there is measured")
          ->needs(tables.kernels);
  CLI::Option* const architecture = app.add_option("--cuda-architecture", arguments.kernels.cudaArchitecture,
                                                   "what nvcc is to compile for, as sm_90; default: the first GPU")
                                        ->needs(cubins);
  app.add_flag("--only-compile", arguments.onlyCompile, "have kernels compiled by nvcc into --cubins, and nothing else")
      ->needs(nvcc)
      ->needs(architecture);
  app.add_option("--json", arguments.kernels.json, "file for the kernels' figures");
  app.add_option("--serve", arguments.serve, "for the program's own use")->group("");
  app.add_option("--measure", arguments.measure, "for the program's own use")->group("");
  return tables;
}

/// Patterns that were not given match everything.
void complete(Arguments& arguments) {
  for (std::string* pattern :
       {&arguments.kernels.pattern, &arguments.spellings.pattern, &arguments.widths.pattern, &arguments.replays.pattern,
        &arguments.checks.pattern, &arguments.ablation.passes, &arguments.math, &arguments.build})
    if (pattern->empty()) *pattern = ".*";
  arguments.kernels.quick = arguments.spellings.quick = arguments.widths.quick = arguments.replays.quick =
      arguments.ablation.quick = arguments.effort.quick;
}

void serve(const std::string& what) {
  if (what == kSpellingSeat)
    serveSpellingRequests();
  else if (what == kBuildSeat)
    serveBuildRequests();
  else
    serveKernelRequests(what);
}

/// Prints the table that was chosen, or all of them that `make bench` shows.
int printTables(const Tables& tables, const Arguments& arguments) {
  const auto statusOf = [](bool good) { return good ? EXIT_SUCCESS : EXIT_FAILURE; };
  if (arguments.onlyCompile) return statusOf(compileKernels(arguments.kernels));
  if (arguments.clotho.empty()) throw std::runtime_error("--clotho is missing");
  if (tables.math->count() > 0) {
    setenv("OCL_ICD_VENDORS", arguments.clotho.c_str(), 1);
    measureMathThroughput(arguments.math, arguments.effort.quick);
    return EXIT_SUCCESS;
  }
  const auto titled = [](const char* what) { std::printf("%s; %s\n\n", machine().c_str(), what); };
  if (tables.build->count() > 0) {
    titled("processor time of build and first launch");
    return statusOf(
        compareBuildTimes(findVendors(arguments.clotho, arguments.vendors), arguments.build, arguments.effort.quick));
  }
  if (tables.spellings->count() > 0) {
    titled("processor time");
    return statusOf(compareSpellings(findVendors(arguments.clotho, arguments.vendors), arguments.spellings));
  }
  if (tables.widths->count() > 0) {
    titled("processor time");
    return statusOf(compareWidths(findVendors(arguments.clotho, "none").front(), arguments.widths));
  }
  if (tables.replays->count() > 0) {
    if (arguments.replays.tool.empty()) throw std::runtime_error("--tool is missing");
    titled("processor time");
    return statusOf(compareReplays(findVendors(arguments.clotho, "none").front(), arguments.replays));
  }
  if (tables.checks->count() > 0) {
    titled("processor time");
    return statusOf(measureChecks(findVendors(arguments.clotho, "none").front(), arguments.checks));
  }
  if (tables.ablation->count() > 0) {
    titled("processor time");
    return statusOf(measureAblation(findVendors(arguments.clotho, "none").front(), arguments.ablation));
  }
  return compare(arguments);
}

} // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Measures what OpenCL platforms cost to start and drive and how fast kernels are, Clotho beside all "
               "others installed");
  const Tables tables = addOptions(app, arguments);
  CLI11_PARSE(app, argc, argv);
  arguments.onlyKernels = tables.kernels->count() > 0;
  complete(arguments);
  try {
    if (!arguments.serve.empty())
      serve(arguments.serve);
    else if (!arguments.measure.empty())
      measure(arguments);
    else
      return printTables(tables, arguments);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "clotho-bench: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
