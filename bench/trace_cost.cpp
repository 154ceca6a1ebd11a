// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace_cost.hpp"

#include "measured_child.hpp"
#include "session.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <unistd.h>

namespace bench {

namespace {

/// The result of `measure` in a child with or without a trace.
double inChild(bool isTraced, const std::function<double()>& measure) {
  const std::string file = "/tmp/clotho-bench-" + std::to_string(getpid()) + ".json";
  const double result = measureInChild([&] {
    if (isTraced) setenv("CLOTHO_TRACE", file.c_str(), 1);
    return measure();
  });
  unlink(file.c_str());
  return result;
}

/// Processor time of all threads, in us, without that of the thread that writes a trace if it is not to count.
double processorTime(bool countsWriter) {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  double result = 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    double nanoseconds = 0;
    if (countsWriter || !(std::ifstream(thread.path() / "comm") >> name) || name != "clotho-trace") continue;
    if (std::ifstream(thread.path() / "schedstat") >> nanoseconds) result -= 1e-3 * nanoseconds;
  }
  return result;
}

/// Processor time of so many commands in a batch, in us each, at best of some batches. They wait for the last call that
/// enqueues: a worker that polls for the next one would take time that is not the commands'.
double timeOfBatch(Session& session, int commands, bool countsWriter, const std::function<void()>& enqueue) {
  constexpr int kBatches = 40;
  double best = 1e30;
  for (int i = 0; i < kBatches; ++i) {
    cl_int status = CL_SUCCESS;
    cl_event gate = clCreateUserEvent(session.context, &status);
    check(status, "clCreateUserEvent");
    check(clEnqueueBarrierWithWaitList(session.queue, 1, &gate, nullptr), "clEnqueueBarrierWithWaitList");
    const double begin = processorTime(countsWriter);
    for (int k = 0; k < commands; ++k)
      enqueue();
    check(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
    check(clFinish(session.queue), "clFinish");
    best = std::min(best, (processorTime(countsWriter) - begin) / commands);
    clReleaseEvent(gate);
  }
  return best;
}

double timeOfCommands(int commands) {
  Session session;
  SmallKernel kernel(session);
  kernel.buildAndRun(1);
  return timeOfBatch(session, commands, /*countsWriter=*/false, [&] { kernel.launch(); });
}

/// A kernel whose time an argument sets.
class LongKernel {
 public:
  explicit LongKernel(Session& session) : session_(session) {
    cl_int status;
    const char* source = "kernel void turn(global float* out, int rounds) { float x = get_global_id(0);"
                         " for (int i = 0; i < rounds; ++i) x = x * 0.999f + 1; out[get_global_id(0)] = x; }";
    program_ = clCreateProgramWithSource(session.context, 1, &source, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program_, 1, &session.device, "", nullptr, nullptr), "clBuildProgram");
    kernel_ = clCreateKernel(program_, "turn", &status);
    check(status, "clCreateKernel");
    buffer_ = clCreateBuffer(session.context, 0, kItems * sizeof(float), nullptr, &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(kernel_, 0, sizeof buffer_, &buffer_), "clSetKernelArg");
  }
  ~LongKernel() {
    clReleaseMemObject(buffer_);
    clReleaseKernel(kernel_);
    clReleaseProgram(program_);
  }
  LongKernel(const LongKernel&) = delete;
  LongKernel& operator=(const LongKernel&) = delete;

  void setRounds(cl_int rounds) { check(clSetKernelArg(kernel_, 1, sizeof rounds, &rounds), "clSetKernelArg"); }
  void launch() {
    check(clEnqueueNDRangeKernel(session_.queue, kernel_, 1, nullptr, &kItems, nullptr, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
  }
  /// The time of one launch among some, at best.
  double time() {
    constexpr int kLaunches = 20;
    double best = 1e30;
    for (int i = 0; i < 5; ++i) {
      const auto begin = Clock::now();
      for (int k = 0; k < kLaunches; ++k)
        launch();
      check(clFinish(session_.queue), "clFinish");
      best = std::min(best, microseconds(Clock::now() - begin) / kLaunches);
    }
    return best;
  }

 private:
  static constexpr std::size_t kItems = 1 << 16;
  Session& session_;
  cl_program program_ = nullptr;
  cl_kernel kernel_ = nullptr;
  cl_mem buffer_ = nullptr;
};

double timeOfKernels(int launches, cl_int rounds) {
  Session session;
  LongKernel kernel(session);
  kernel.setRounds(rounds);
  return timeOfBatch(session, launches, /*countsWriter=*/true, [&] { kernel.launch(); });
}

/// For a launch of about 100 us.
double findRounds() {
  constexpr double kWanted = 100;
  Session session;
  LongKernel kernel(session);
  double rounds = 64;
  for (int i = 0; i < 8; ++i) {
    kernel.setRounds(static_cast<cl_int>(rounds));
    rounds = std::clamp(rounds * kWanted / kernel.time(), rounds / 4, rounds * 4);
  }
  return rounds;
}

} // namespace

std::vector<double> costOfTracedCommands(int commands, int rounds) {
  std::vector<double> samples;
  for (int i = 0; i < rounds; ++i) {
    const double without = inChild(false, [&] { return timeOfCommands(commands); });
    samples.push_back(inChild(true, [&] { return timeOfCommands(commands); }) - without);
  }
  return samples;
}

std::vector<double> speedOfTracedKernels(int launches, int rounds) {
  const auto length = static_cast<cl_int>(inChild(false, findRounds));
  std::vector<double> samples;
  for (int i = 0; i < rounds; ++i) {
    const double without = inChild(false, [&] { return timeOfKernels(launches, length); });
    samples.push_back(100 * without / inChild(true, [&] { return timeOfKernels(launches, length); }));
  }
  return samples;
}

} // namespace bench
