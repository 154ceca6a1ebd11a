// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "build_times.hpp"

#include "kernel_case.hpp"
#include "session.hpp"
#include "statistics.hpp"

#include <algorithm>
#include <cstdio>
#include <regex>
#include <stdexcept>

namespace bench {

namespace {

constexpr double kGoal = 1.5;

/// A comment makes each source one that the process has not built before; the cache on disk is off.
class Builder {
 public:
  double build(const std::string& source, const std::string& options) {
    const std::string text = source + "// " + std::to_string(++number_) + "\n";
    const char* pointer = text.c_str();
    cl_int status;
    const auto begin = Clock::now();
    cl_program program = clCreateProgramWithSource(session_.context, 1, &pointer, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    status = clBuildProgram(program, 1, &session_.device, options.c_str(), nullptr, nullptr);
    const double time = milliseconds(Clock::now() - begin);
    clReleaseProgram(program);
    check(status, "clBuildProgram");
    return time;
  }

 private:
  Session session_;
  int number_ = 0;
};

struct Times {
  double wide, one;
};

/// In turn, so that what else the machine does meets both; the best is what the software costs.
Times measure(Builder& builder, const KernelCase& what, int rounds) {
  const std::string source = kernelSource(what), options = what.make(Scale{true}).options;
  Times best{1e9, 1e9};
  for (int i = 0; i < rounds; ++i) {
    best.wide = std::min(best.wide, builder.build(source, options));
    best.one = std::min(best.one, builder.build(source, options + " -clotho-width=1"));
  }
  return best;
}

} // namespace

void measureBuildTimes(const std::string& pattern, bool quick) {
  Builder builder;
  std::printf("| kernel | build, ms | at W=1, ms | times W=1 |\n| --- | --: | --: | --: |\n");
  const std::regex wanted(pattern);
  std::vector<double> ratios;
  for (const KernelCase& what : kernelCases()) {
    // Cases with a peak are one kernel for many types.
    if (what.unit != nullptr) continue;
    if (!std::regex_search(what.name, wanted) && !std::regex_search(what.family, wanted)) continue;
    const Times times = measure(builder, what, quick ? 1 : 8);
    ratios.push_back(times.wide / times.one);
    std::printf("| %s | %.1f | %.1f | %.2f |\n", what.name, times.wide, times.one, ratios.back());
    std::fflush(stdout);
  }
  if (ratios.empty()) throw std::runtime_error("no kernel has a name or family like " + pattern);
  std::printf("\ntimes W=1: median %.2f, geometric mean %.2f, at most %.2f over %zu kernels, %td above %.1f\n",
              *median(ratios), *geometricMean(ratios), *std::max_element(ratios.begin(), ratios.end()), ratios.size(),
              std::count_if(ratios.begin(), ratios.end(), [](double ratio) { return ratio > kGoal; }), kGoal);
}

} // namespace bench
