// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sweeps the math builtins of the first OpenCL device over their arguments and compares with references.
#include "precision/quad.hpp"
#include "precision/report.hpp"
#include "precision/state.hpp"
#include "precision/sweep.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <thread>

using namespace precision;

namespace {

struct Options {
  std::vector<std::string> sets = {"float", "relaxed", "double"};
  std::string only = ".*";
  std::string state, report;
  std::uint64_t floatSamples = kFloatSamples, doubleSamples = kDoubleSamples, stride = 1;
  unsigned components = 1;
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  bool quick = false, verbose = false, unfiltered = false;
};

bool isInSet(const Function& function, const std::string& set, unsigned components) {
  // Expressions with conversions, (T), are none of vectors.
  if (components > 1 && function.expression.find("(T)") != std::string_view::npos) return false;
  return set == "float" || function.forDouble != nullptr;
}

/// A function in one set.
struct Entry {
  std::string set;
  const Function* function = nullptr;
};

template <class T>
void sweepEntries(const Device& device, const std::vector<Entry>& entries, const Options& options, State& state) {
  const Effort effort{sizeof(T) == 8 ? options.doubleSamples : options.floatSamples, options.stride, options.threads,
                      options.components, !options.unfiltered};
  const std::uint64_t size = ArgumentList<T>(*entries[0].function, effort.samples, effort.stride).size();
  std::vector<Task> tasks;
  for (const Entry& entry : entries) {
    Result& result = state.of(entry.set, entry.function->name);
    if (result.size != size) result = Result();
    if (!result.isDone()) tasks.push_back({entry.function, entry.set == "relaxed", &result});
  }
  if (!tasks.empty()) sweep<T>(device, tasks, effort, [&] { state.save(); });
}

/// Whether the result is within the limits.
bool tell(const Entry& entry, const Result& result, bool verbose) {
  const Function& function = *entry.function;
  if (result.wrong != 0 || verbose)
    std::printf("%-8s %-18s %10s ulp, %llu of %llu beyond the limit, worst at %s: %a, not %a\n", entry.set.c_str(),
                std::string(function.name).c_str(), errorText(function, result).c_str(),
                static_cast<unsigned long long>(result.wrong), static_cast<unsigned long long>(result.size),
                argumentText(function, result).c_str(), result.got, result.wanted);
  std::fflush(stdout);
  return result.wrong == 0;
}

/// In the order of sets and functions, but that what can share arguments and references comes together.
std::vector<std::vector<Entry>> groupsOf(const Options& options) {
  std::vector<std::vector<Entry>> groups;
  const std::regex only(options.only);
  for (const std::string& set : options.sets)
    for (const Function& function : functions()) {
      if (!isInSet(function, set, options.components) || !std::regex_match(std::string(function.name), only)) continue;
      const auto group = std::find_if(groups.begin(), groups.end(), [&](const std::vector<Entry>& other) {
        return (other[0].set == "double") == (set == "double") && areAlike(*other[0].function, function);
      });
      if (group != groups.end())
        group->push_back({set, &function});
      else
        groups.push_back({{set, &function}});
    }
  return groups;
}

bool sweepAll(const Options& options) {
  const Device device;
  State state(options.state, options.components);
  bool good = true;
  for (const std::vector<Entry>& group : groupsOf(options)) {
    if (group[0].set == "double")
      sweepEntries<double>(device, group, options, state);
    else
      sweepEntries<float>(device, group, options, state);
    for (const Entry& entry : group)
      good &= tell(entry, state.of(entry.set, entry.function->name), options.verbose);
  }
  state.save();
  const std::string vectors =
      options.components > 1 ? ", called with vectors of " + std::to_string(options.components) : "";
  // Files may be of a time when doubles were compared with fewer bits.
  for (const Function& function : functions())
    if (function.forDouble != nullptr && state.find("double", function.name) != nullptr)
      confirm(function, state.of("double", function.name));
  if (!options.report.empty()) writeReport(state, options.report, device.name() + vectors);
  return good;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Sweeps the math builtins of the first OpenCL device and compares them with references of more bits");
  app.add_option("--sets", options.sets, "float, double, relaxed (float with -cl-fast-relaxed-math)")
      ->delimiter(',')
      ->check(CLI::IsMember({"float", "double", "relaxed"}))
      ->capture_default_str();
  app.add_option("--only", options.only, "functions whose whole name matches a regex; half_ and native_ are in float");
  app.add_option("--samples", options.floatSamples, "argument pairs for functions of several floats")
      ->capture_default_str();
  app.add_option("--double-samples", options.doubleSamples, "arguments for functions of doubles")
      ->capture_default_str();
  app.add_option("--stride", options.stride, "take every so manieth of the arguments that are not special")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--vector", options.components, "call the functions with vectors, where they give one")
      ->check(CLI::IsMember({1, 2, 3, 4, 8, 16}));
  app.add_option("--threads", options.threads)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--state", options.state, "file from which an interrupted sweep goes on");
  app.add_option("--report", options.report, "file for the tables of worst errors");
  app.add_flag("--unfiltered", options.unfiltered, "compare every float with the reference, as the filter's test does");
  app.add_flag("--quick", options.quick, "some thousand arguments for each function");
  app.add_flag("--verbose", options.verbose, "a line for each function, not only for those that are wrong");
  CLI11_PARSE(app, argc, argv);
  if (options.quick) {
    options.stride = 262147; // prime, so that the low bits differ
    options.floatSamples = options.doubleSamples = options.stride << 13;
  }
  try {
    return sweepAll(options) ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "clotho-precision: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
