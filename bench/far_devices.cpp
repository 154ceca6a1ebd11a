// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures what commands cost on devices of other machines, or of processes that stand for them, with any driver.
//   clotho-far-devices [FIRST [SECOND]]
// The numbers are those of devices of the first platform; default 0 and 1. What needs a second device is left out where
// there is none.
#include "session.hpp"
#include "statistics.hpp"

#include <CL/cl.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <vector>

namespace {

using bench::check;
using bench::Clock;

constexpr std::size_t kBytes = std::size_t{64} << 20;
constexpr int kChain = 100;

template <class Type> Type made(Type object, cl_int status, const char* call) {
  check(status, call);
  return object;
}

std::vector<cl_device_id> devicesOf(int first, int second) {
  cl_platform_id platform;
  check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
  cl_uint count = 0;
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count), "clGetDeviceIDs");
  std::vector<cl_device_id> all(count), chosen;
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, all.data(), nullptr), "clGetDeviceIDs");
  for (const int number : {first, second})
    if (number >= 0 && static_cast<cl_uint>(number) < count) chosen.push_back(all[static_cast<std::size_t>(number)]);
  if (chosen.empty()) throw std::runtime_error("there is no such device");
  for (cl_device_id device : chosen) {
    char name[256] = {};
    check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, nullptr), "clGetDeviceInfo");
    std::printf("%s\n", name);
  }
  return chosen;
}

/// A context of the devices, with a queue and a kernel for each.
struct Devices {
  cl_context context;
  std::vector<cl_command_queue> queues{};
  std::vector<cl_kernel> kernels{};
  cl_mem counter;

  explicit Devices(const std::vector<cl_device_id>& devices) {
    cl_int status;
    const auto count = static_cast<cl_uint>(devices.size());
    context =
        made(clCreateContext(nullptr, count, devices.data(), nullptr, nullptr, &status), status, "clCreateContext");
    const char* source = "kernel void step(global int* counter) { counter[get_global_id(0)] += 1; }";
    cl_program program =
        made(clCreateProgramWithSource(context, 1, &source, nullptr, &status), status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), "clBuildProgram");
    counter = made(clCreateBuffer(context, CL_MEM_READ_WRITE, 64 * sizeof(cl_int), nullptr, &status), status,
                   "clCreateBuffer");
    for (cl_device_id device : devices) {
      queues.push_back(made(clCreateCommandQueue(context, device, 0, &status), status, "clCreateCommandQueue"));
      kernels.push_back(made(clCreateKernel(program, "step", &status), status, "clCreateKernel"));
      check(clSetKernelArg(kernels.back(), 0, sizeof counter, &counter), "clSetKernelArg");
    }
  }

  /// Behind another command, if it is one of another queue.
  cl_event launch(std::size_t on, cl_event behind = nullptr) {
    const std::size_t items = 64;
    cl_event event = nullptr;
    check(clEnqueueNDRangeKernel(queues[on], kernels[on], 1, nullptr, &items, nullptr, behind ? 1 : 0,
                                 behind ? &behind : nullptr, &event),
          "clEnqueueNDRangeKernel");
    return event;
  }
  void finish() {
    for (cl_command_queue queue : queues)
      check(clFinish(queue), "clFinish");
  }
};

/// The median of some runs, in us, after one that is not counted.
double medianOf(int runs, const std::function<void()>& run) {
  std::vector<double> times;
  for (int i = 0; i <= runs; ++i) {
    const auto begin = Clock::now();
    run();
    if (i > 0) times.push_back(bench::microseconds(Clock::now() - begin));
  }
  return bench::median(times).value_or(0);
}

void row(const char* what, double value, const char* unit) { std::printf("| %s | %.2f %s |\n", what, value, unit); }

/// Commands of which each waits for the one before, on one device or by turns on all.
void chain(Devices& devices, std::size_t on) {
  cl_event last = nullptr;
  for (int i = 0; i < kChain; ++i) {
    cl_event next = devices.launch(static_cast<std::size_t>(i) % on, last);
    if (i % static_cast<int>(on) == static_cast<int>(on) - 1 || i + 1 == kChain)
      for (std::size_t queue = 0; queue < on; ++queue)
        check(clFlush(devices.queues[queue]), "clFlush");
    if (last) clReleaseEvent(last);
    last = next;
  }
  check(clWaitForEvents(1, &last), "clWaitForEvents");
  clReleaseEvent(last);
}

void measure(Devices& devices) {
  constexpr int kLaunches = 1000, kRuns = 20, kCopies = 5;
  row("kernel and finish",
      medianOf(kLaunches,
               [&] {
                 clReleaseEvent(devices.launch(0));
                 check(clFinish(devices.queues[0]), "clFinish");
               }),
      "us");
  row("each of a chain of 100 kernels", medianOf(kRuns, [&] { chain(devices, 1); }) / kChain, "us");

  std::vector<char> bytes(kBytes, 'x');
  cl_int status;
  cl_mem buffer =
      made(clCreateBuffer(devices.context, CL_MEM_READ_WRITE, kBytes, nullptr, &status), status, "clCreateBuffer");
  const auto write = [&] {
    check(clEnqueueWriteBuffer(devices.queues[0], buffer, CL_TRUE, 0, kBytes, bytes.data(), 0, nullptr, nullptr),
          "clEnqueueWriteBuffer");
  };
  constexpr double kThousand = 1000;
  row("write of 64 MiB", medianOf(kCopies, write) / kThousand, "ms");
  row("read of 64 MiB",
      medianOf(kCopies,
               [&] {
                 check(clEnqueueReadBuffer(devices.queues[0], buffer, CL_TRUE, 0, kBytes, bytes.data(), 0, nullptr,
                                           nullptr),
                       "clEnqueueReadBuffer");
               }) /
          kThousand,
      "ms");
  if (devices.queues.size() > 1) {
    row("each of a chain of 100 kernels, by turns on two devices", medianOf(kRuns, [&] { chain(devices, 2); }) / kChain,
        "us");
    // Each copy gives the second device what only the first has.
    cl_mem copy =
        made(clCreateBuffer(devices.context, CL_MEM_READ_WRITE, kBytes, nullptr, &status), status, "clCreateBuffer");
    std::vector<double> times;
    for (int i = 0; i <= kCopies; ++i) {
      write();
      const auto begin = Clock::now();
      check(clEnqueueCopyBuffer(devices.queues[1], buffer, copy, 0, 0, kBytes, 0, nullptr, nullptr),
            "clEnqueueCopyBuffer");
      check(clFinish(devices.queues[1]), "clFinish");
      if (i > 0) times.push_back(bench::milliseconds(Clock::now() - begin));
    }
    row("move of 64 MiB from one device to the other", bench::median(times).value_or(0), "ms");
    clReleaseMemObject(copy);
  }
  clReleaseMemObject(buffer);
}

} // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i) { return argc > i ? static_cast<int>(std::strtol(argv[i], nullptr, 10)) : i - 1; };
  try {
    Devices devices(devicesOf(number(1), number(2)));
    measure(devices);
    devices.finish();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "clotho-far-devices: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
