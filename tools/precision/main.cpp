// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sweeps the math builtins of the first OpenCL device over their arguments and compares with references.
#include "precision/report.hpp"
#include "precision/state.hpp"
#include "precision/sweep.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <stdexcept>
#include <thread>

using namespace precision;

namespace {

struct Options {
  std::vector<std::string> sets = {"float", "relaxed", "double"};
  std::string only = ".*";
  std::string state, report;
  std::uint64_t floatSamples = std::uint64_t(1) << 28, doubleSamples = std::uint64_t(1) << 26, stride = 1;
  unsigned components = 1;
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  bool quick = false, verbose = false;
};

bool isInSet(const Function& function, const std::string& set, unsigned components) {
  // What is no expression of vectors.
  if (components > 1 && function.expression.find("(T)") != std::string_view::npos) return false;
  return set == "float" || function.forDouble != nullptr;
}

/// Whether the results are within the limits.
bool sweepFunction(const Device& device, const Function& function, const std::string& set, const Options& options,
                   State& state) {
  const bool isDouble = set == "double";
  const Effort effort{isDouble ? options.doubleSamples : options.floatSamples, options.stride, options.threads,
                      options.components};
  Result& result = state.of(set, function.name);
  const std::uint64_t size = isDouble ? ArgumentList<double>(function, effort.samples, effort.stride).size()
                                      : ArgumentList<float>(function, effort.samples, effort.stride).size();
  if (result.size != size) result = Result();
  const auto save = [&] { state.save(); };
  if (!result.isDone()) {
    if (isDouble)
      sweep<double>(device, function, false, effort, result, save);
    else
      sweep<float>(device, function, set == "relaxed", effort, result, save);
  }
  if (result.wrong != 0 || options.verbose)
    std::printf("%-8s %-18s %10s ulp, %llu of %llu beyond the limit, worst at %s: %a, not %a\n", set.c_str(),
                std::string(function.name).c_str(), errorText(function, result).c_str(),
                static_cast<unsigned long long>(result.wrong), static_cast<unsigned long long>(result.size),
                argumentText(function, result).c_str(), result.got, result.wanted);
  std::fflush(stdout);
  return result.wrong == 0;
}

bool sweepAll(const Options& options) {
  const Device device;
  State state(options.state, options.components);
  const std::regex only(options.only);
  bool good = true;
  for (const std::string& set : options.sets)
    for (const Function& function : functions())
      if (isInSet(function, set, options.components) && std::regex_match(std::string(function.name), only))
        good &= sweepFunction(device, function, set, options, state);
  state.save();
  const std::string vectors =
      options.components > 1 ? ", called with vectors of " + std::to_string(options.components) : "";
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
