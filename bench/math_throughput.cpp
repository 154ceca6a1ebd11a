// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "math_throughput.hpp"

#include "math_functions.hpp"
#include "session.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <regex>
#include <sched.h>
#include <stdexcept>
#include <vector>

namespace bench {

namespace {

constexpr int kLaunches = 16;             ///< between two looks at the clock, so that starting the first costs little
constexpr std::size_t kNumbers = 1 << 15; ///< three arrays of them fit into the second-level cache

/// All contenders work on the same arrays. They begin at cache lines, and at different places of a page: a load from
/// where an earlier store ends in the same twelve bits waits for it.
class Column {
 public:
  explicit Column(const MathFunction& function)
      : memory_(static_cast<float*>(std::aligned_alloc(64, 3 * (kNumbers + kApart) * sizeof(float)))) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> first(function.from, function.to), second(function.from2, function.to2);
    for (std::size_t i = 0; i < kNumbers; ++i) {
      x()[i] = static_cast<float>(first(random));
      y()[i] = static_cast<float>(second(random));
    }
  }
  float* x() { return memory_.get(); }
  float* y() { return x() + kNumbers + kApart; }
  float* results() { return y() + kNumbers + kApart; }

 private:
  static constexpr std::size_t kApart = 1024 + 272;
  struct Free {
    void operator()(float* memory) const { std::free(memory); }
  };
  std::unique_ptr<float[], Free> memory_;
};

/// The least time of a run, in ns for a number: a run is so short that some are not interrupted.
double bestOf(bool quick, const std::function<void()>& run) {
  run();
  double best = 1e30;
  const auto start = Clock::now();
  for (int i = 0; i < (quick ? 3 : 400); ++i) {
    const auto before = Clock::now();
    run();
    const auto after = Clock::now();
    best = std::min(best, microseconds(after - before));
    if (i > 50 && milliseconds(after - start) > 300) break;
  }
  return best * 1000 / kNumbers;
}

class MathKernel {
 public:
  MathKernel(Session& session, const MathFunction& function, Column& column, const char* options) : session_(session) {
    const std::string source =
        "kernel void apply(global const float* xs, global const float* ys, global float* results) {\n"
        "  const size_t i = get_global_id(0);\n  const float x = xs[i], y = ys[i];\n  const int k = (int)y;\n"
        "  float p;\n  int q;\n  results[i] = " +
        std::string(function.expression) + ";\n}\n";
    const char* text = source.c_str();
    cl_int status = CL_SUCCESS;
    program_ = clCreateProgramWithSource(session.context, 1, &text, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program_, 1, &session.device, options, nullptr, nullptr), "clBuildProgram");
    kernel_ = clCreateKernel(program_, "apply", &status);
    check(status, "clCreateKernel");
    cl_uint index = 0;
    for (float* array : {column.x(), column.y(), column.results()}) {
      cl_mem buffer = clCreateBuffer(session.context, CL_MEM_USE_HOST_PTR | CL_MEM_READ_WRITE, kNumbers * sizeof(float),
                                     array, &status);
      check(status, "clCreateBuffer");
      check(clSetKernelArg(kernel_, index++, sizeof buffer, &buffer), "clSetKernelArg");
      buffers_.push_back(buffer);
    }
  }
  ~MathKernel() {
    for (cl_mem buffer : buffers_)
      clReleaseMemObject(buffer);
    clReleaseKernel(kernel_);
    clReleaseProgram(program_);
  }
  MathKernel(const MathKernel&) = delete;
  MathKernel& operator=(const MathKernel&) = delete;

  void run() {
    const std::size_t global = kNumbers;
    for (int i = 0; i < kLaunches; ++i)
      check(clEnqueueNDRangeKernel(session_.queue, kernel_, 1, nullptr, &global, nullptr, 0, nullptr, nullptr),
            "clEnqueueNDRangeKernel");
    check(clFinish(session_.queue), "clFinish");
  }

 private:
  Session& session_;
  cl_program program_ = nullptr;
  cl_kernel kernel_ = nullptr;
  std::vector<cl_mem> buffers_;
};

std::optional<double> measureScalar(const MathFunction& f, Column& c, bool quick) {
  if (f.scalar != nullptr)
    return bestOf(quick, [&] { std::transform(c.x(), c.x() + kNumbers, c.results(), f.scalar); });
  if (f.scalar2 != nullptr)
    return bestOf(quick, [&] { std::transform(c.x(), c.x() + kNumbers, c.y(), c.results(), f.scalar2); });
  return std::nullopt;
}

std::optional<double> measureSleef(const Sleef& sleef, const MathFunction& f, Column& c, bool quick) {
  void* function = sleef.find(f.sleef != nullptr ? f.sleef : f.sleef2);
  if (function == nullptr) return std::nullopt;
  return bestOf(quick, [&] { sleef.apply(function, f.sleef2 != nullptr, c.x(), c.y(), c.results(), kNumbers); });
}

double measureClotho(Session& session, const MathFunction& f, Column& c, bool quick, const char* options) {
  MathKernel kernel(session, f, c, options);
  return bestOf(quick, [&] { kernel.run(); }) / kLaunches;
}

std::string cell(std::optional<double> ns) {
  char text[32] = "";
  if (ns) std::snprintf(text, sizeof text, "%.2f", *ns);
  return text;
}

std::string times(std::optional<double> ns, double ours) { return ns ? cell(*ns / ours) : std::string(); }

} // namespace

void measureMathThroughput(const std::string& pattern, bool quick) {
  // Before the driver starts, so that it has one worker.
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) throw std::runtime_error("cannot bind to one CPU");
  Session session;
  const Sleef sleef;
  std::printf("ns a number, one thread, arrays in cache; SLEEF: %s\n\n",
              sleef.isThere() ? sleef.instructions() : "not installed");
  std::printf("| %-14s | %7s | %7s | %9s | %7s | %11s | %8s |\n", "function", "Clotho", "relaxed", "C library", "SLEEF",
              "x C library", "x SLEEF");
  std::printf("| --- | --: | --: | --: | --: | --: | --: |\n");
  const std::regex wanted(pattern);
  for (const MathFunction& f : mathFunctions()) {
    if (!std::regex_match(f.name, wanted)) continue;
    Column column(f);
    const double ours = measureClotho(session, f, column, quick, "");
    const double relaxed = measureClotho(session, f, column, quick, "-cl-fast-relaxed-math");
    const std::optional<double> scalar = measureScalar(f, column, quick),
                                vector = measureSleef(sleef, f, column, quick);
    std::printf("| %-14s | %7.2f | %7.2f | %9s | %7s | %11s | %8s |\n", f.name, ours, relaxed, cell(scalar).c_str(),
                cell(vector).c_str(), times(scalar, ours).c_str(), times(vector, ours).c_str());
    std::fflush(stdout);
  }
}

} // namespace bench
