// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "split_launch.hpp"

#include "session.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {

namespace {

constexpr const char* kSource = R"(
kernel void rows(global float* out, global const float* in, int width, int rounds) {
  int x = get_global_id(0), y = get_global_id(1);
  float value = in[y * width + x];
  for (int i = 0; i < rounds; ++i) value = value * 0.999f + 1;
  out[y * width + x] = value;
})";
constexpr std::size_t kWidth = 1024, kHeight = 256;
constexpr cl_int kRounds = 2000;

/// The result of `measure` in a child with some variables of the environment.
double inChild(const std::function<double()>& measure, const char* devices) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("pipe");
  const pid_t child = fork();
  if (child == 0) {
    double result = -1;
    try {
      setenv("CLOTHO_DEVICES", devices, 1);
      setenv("CLOTHO_COMPUTE_UNITS", "2", 1);
      result = measure();
    } catch (...) {
    }
    _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
  }
  close(ends[1]);
  double result = -1;
  const bool isRead = child > 0 && read(ends[0], &result, sizeof result) == sizeof result;
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  if (!isRead || result < 0) throw std::runtime_error("a measurement in a child has failed");
  return result;
}

/// The first device, or its first sub-device with one compute unit.
cl_device_id chosenDevice(const Session& session, bool isShare) {
  if (!isShare) return session.device;
  const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_device_id parts[2] = {};
  cl_uint count = 0;
  check(clCreateSubDevices(session.device, equally, 2, parts, &count), "clCreateSubDevices");
  return parts[0];
}

/// The least time of a launch.
double timeOfLaunch(bool isShare, int launches) {
  const Session session;
  cl_device_id device = chosenDevice(session, isShare);
  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  check(status, "clCreateContext");
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, nullptr, &status);
  check(status, "clCreateCommandQueueWithProperties");
  cl_program program = clCreateProgramWithSource(context, 1, const_cast<const char**>(&kSource), nullptr, &status);
  check(status, "clCreateProgramWithSource");
  check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
  cl_kernel kernel = clCreateKernel(program, "rows", &status);
  check(status, "clCreateKernel");
  cl_mem buffers[2];
  for (cl_uint i = 0; i < 2; ++i) {
    buffers[i] = clCreateBuffer(context, 0, kWidth * kHeight * sizeof(float), nullptr, &status);
    check(status, "clCreateBuffer");
    const cl_float one = 1;
    check(
        clEnqueueFillBuffer(queue, buffers[i], &one, sizeof one, 0, kWidth * kHeight * sizeof one, 0, nullptr, nullptr),
        "clEnqueueFillBuffer");
    check(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]), "clSetKernelArg");
  }
  const auto width = static_cast<cl_int>(kWidth);
  check(clSetKernelArg(kernel, 2, sizeof width, &width), "clSetKernelArg");
  check(clSetKernelArg(kernel, 3, sizeof kRounds, &kRounds), "clSetKernelArg");
  double best = 1e30;
  for (int i = 0; i < launches + 3; ++i) {
    const std::size_t global[] = {kWidth, kHeight};
    const auto begin = Clock::now();
    check(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global, nullptr, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
    check(clFinish(queue), "clFinish");
    if (i >= 3) best = std::min(best, milliseconds(Clock::now() - begin));
  }
  for (cl_mem buffer : buffers)
    clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return best;
}

} // namespace

std::vector<double> timeOfSplitLaunches(int launches, int rounds) {
  std::vector<double> samples;
  for (int i = 0; i < rounds; ++i) {
    const double one = inChild([&] { return timeOfLaunch(true, launches); }, "cpu");
    samples.push_back(100 * inChild([&] { return timeOfLaunch(false, launches); }, "joint:2") / one);
  }
  return samples;
}

} // namespace bench
