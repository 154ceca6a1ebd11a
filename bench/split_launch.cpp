// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "split_launch.hpp"

#include "measured_child.hpp"
#include "session.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>

namespace bench {

namespace {

constexpr const char* kSource = R"(
kernel void rows(global float* out, global const float* in, int width, int rounds) {
  int x = get_global_id(0), y = get_global_id(1);
  float value = in[y * width + x];
  for (int i = 0; i < rounds; ++i) value = value * 0.999f + 1;
  out[y * width + x] = value;
})";
constexpr std::size_t kWidth = 1024, kHeight = 128;
constexpr cl_int kRounds = 1000;

/// The result of `measure` in a child with a joint device of so many shares with one compute unit each.
double inChild(const std::function<double()>& measure, const char* units) {
  return measureInChild([&] {
    setenv("CLOTHO_DEVICES", (std::string("joint:") + units).c_str(), 1);
    setenv("CLOTHO_COMPUTE_UNITS", units, 1);
    return measure();
  });
}

/// The least time of a launch.
double timeOfLaunch(int launches) {
  const Session session;
  cl_device_id device = session.device;
  cl_context context = session.context;
  cl_int status;
  const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, properties, &status);
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
    check(clSetKernelArg(kernel, i, sizeof(cl_mem), static_cast<const void*>(&buffers[i])), "clSetKernelArg");
  }
  const auto width = static_cast<cl_int>(kWidth);
  check(clSetKernelArg(kernel, 2, sizeof width, &width), "clSetKernelArg");
  check(clSetKernelArg(kernel, 3, sizeof kRounds, &kRounds), "clSetKernelArg");
  double best = 1e30;
  for (int i = 0; i < launches + 3; ++i) {
    const std::size_t global[] = {kWidth, kHeight};
    cl_event event;
    check(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global, nullptr, 0, nullptr, &event),
          "clEnqueueNDRangeKernel");
    check(clFinish(queue), "clFinish");
    cl_ulong begin = 0, end = 0;
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, nullptr), "the begin");
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr), "the end");
    clReleaseEvent(event);
    if (i >= 3) best = std::min(best, static_cast<double>(end - begin));
  }
  for (cl_mem buffer : buffers)
    clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  return best;
}

} // namespace

std::vector<double> timeOfSplitLaunches(int launches, int rounds) {
  std::vector<double> samples;
  for (int i = 0; i < rounds; ++i) {
    const double one = inChild([&] { return timeOfLaunch(launches); }, "1");
    samples.push_back(100 * inChild([&] { return timeOfLaunch(launches); }, "2") / one);
  }
  return samples;
}

} // namespace bench
