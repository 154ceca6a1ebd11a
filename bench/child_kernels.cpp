// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "child_kernels.hpp"

#include <stdexcept>

namespace bench {

namespace {

constexpr const char* kSource = R"(
  kernel void chain(global int* count, int most) {
    if (++count[0] < most)
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ chain(count, most); });
  }
  kernel void many(global int* count, int most) {
    const int first = count[0];
    if (first >= most) return;
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ many(count, most); });
    int end = first;
    while (end < min(first + 64, most) &&
           !enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ atomic_inc(count + 1); }))
      ++end;
    count[0] = end;
  }
)";

} // namespace

std::vector<double> timeChildKernels(Session& session, ChildKernels how, int children, int rounds) {
  cl_int status;
  const cl_queue_properties properties[] = {
      CL_QUEUE_PROPERTIES,
      CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT, 0};
  const cl_command_queue onDevice =
      clCreateCommandQueueWithProperties(session.context, session.device, properties, &status);
  check(status, "clCreateCommandQueueWithProperties");
  const char* source = kSource;
  const cl_program program = clCreateProgramWithSource(session.context, 1, &source, nullptr, &status);
  check(status, "clCreateProgramWithSource");
  check(clBuildProgram(program, 1, &session.device, "-cl-std=CL3.0", nullptr, nullptr), "clBuildProgram");
  const cl_kernel kernel = clCreateKernel(program, how == ChildKernels::Chain ? "chain" : "many", &status);
  check(status, "clCreateKernel");
  const cl_mem counts = clCreateBuffer(session.context, CL_MEM_READ_WRITE, 2 * sizeof(cl_int), nullptr, &status);
  check(status, "clCreateBuffer");
  check(clSetKernelArg(kernel, 0, sizeof counts, &counts), "clSetKernelArg");
  check(clSetKernelArg(kernel, 1, sizeof children, &children), "clSetKernelArg");

  std::vector<double> samples;
  for (int round = 0; round < rounds; ++round) {
    cl_int seen[2] = {0, 0};
    check(clEnqueueWriteBuffer(session.queue, counts, CL_TRUE, 0, sizeof seen, seen, 0, nullptr, nullptr),
          "clEnqueueWriteBuffer");
    const std::size_t one = 1;
    const auto begin = Clock::now();
    check(clEnqueueNDRangeKernel(session.queue, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
    check(clFinish(session.queue), "clFinish");
    samples.push_back(microseconds(Clock::now() - begin) / children);
    check(clEnqueueReadBuffer(session.queue, counts, CL_TRUE, 0, sizeof seen, seen, 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
    if (seen[how == ChildKernels::Chain ? 0 : 1] != children) throw std::runtime_error("not all kernels have run");
  }
  clReleaseMemObject(counts);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(onDevice);
  return samples;
}

} // namespace bench
