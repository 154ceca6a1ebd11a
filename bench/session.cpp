// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.hpp"

#include <array>
#include <stdexcept>

namespace bench {

namespace {

constexpr float kFactor = 3.0F;

float sourceAt(std::size_t i) { return static_cast<float>(i) * 0.5F; }
float addendAt(std::size_t i) { return static_cast<float>(SmallKernel::kItems - i); }

} // namespace

void check(cl_int status, const char* call) {
  if (status != CL_SUCCESS) throw std::runtime_error(std::string(call) + " returned " + std::to_string(status));
}

Session::Session() {
  cl_int status;
  check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
  context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  check(status, "clCreateContext");
  queue = clCreateCommandQueue(context, device, 0, &status);
  check(status, "clCreateCommandQueue");
}

Session::~Session() {
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
}

std::string sourceOf(int number) {
  return "kernel void combine(global float* target, global const float* source, global const float* b, float a) {\n"
         "  size_t i = get_global_id(0);\n"
         "  target[i] = a * source[i] + b[i] + " +
         std::to_string(number) + ";\n}\n";
}

SmallKernel::SmallKernel(Session& session) : session_(session) {
  std::array<float, kItems> source, addend;
  for (std::size_t i = 0; i < kItems; ++i)
    source[i] = sourceAt(i), addend[i] = addendAt(i);
  auto make = [&](cl_mem_flags flags, float* content) {
    cl_int status;
    cl_mem buffer = clCreateBuffer(session_.context, flags | (content ? CL_MEM_COPY_HOST_PTR : 0),
                                   kItems * sizeof(float), content, &status);
    check(status, "clCreateBuffer");
    return buffer;
  };
  source_ = make(CL_MEM_READ_ONLY, source.data());
  addend_ = make(CL_MEM_READ_ONLY, addend.data());
  target_ = make(CL_MEM_READ_WRITE, nullptr);
}

SmallKernel::~SmallKernel() {
  dispose();
  for (cl_mem buffer : {source_, addend_, target_})
    clReleaseMemObject(buffer);
}

void SmallKernel::dispose() {
  if (kernel_) clReleaseKernel(kernel_);
  if (program_) clReleaseProgram(program_);
  kernel_ = nullptr;
  program_ = nullptr;
}

void SmallKernel::build(int number) {
  dispose();
  number_ = number;
  cl_int status;
  std::string text = sourceOf(number);
  const char* pointer = text.c_str();
  program_ = clCreateProgramWithSource(session_.context, 1, &pointer, nullptr, &status);
  check(status, "clCreateProgramWithSource");
  status = clBuildProgram(program_, 1, &session_.device, "", nullptr, nullptr);
  if (status != CL_SUCCESS) {
    char log[2048] = "";
    clGetProgramBuildInfo(program_, session_.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, nullptr);
    throw std::runtime_error("clBuildProgram returned " + std::to_string(status) + ": " + log);
  }
  kernel_ = clCreateKernel(program_, "combine", &status);
  check(status, "clCreateKernel");
  check(clSetKernelArg(kernel_, 0, sizeof(cl_mem), &target_), "clSetKernelArg");
  check(clSetKernelArg(kernel_, 1, sizeof(cl_mem), &source_), "clSetKernelArg");
  check(clSetKernelArg(kernel_, 2, sizeof(cl_mem), &addend_), "clSetKernelArg");
  check(clSetKernelArg(kernel_, 3, sizeof(float), &kFactor), "clSetKernelArg");
}

void SmallKernel::launch() {
  const std::size_t items = kItems;
  check(clEnqueueNDRangeKernel(session_.queue, kernel_, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
        "clEnqueueNDRangeKernel");
}

void SmallKernel::verify() {
  std::array<float, kItems> result;
  check(clEnqueueReadBuffer(session_.queue, target_, CL_TRUE, 0, sizeof result, result.data(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
  for (std::size_t i = 0; i < kItems; ++i)
    if (result[i] != kFactor * sourceAt(i) + addendAt(i) + static_cast<float>(number_))
      throw std::runtime_error("work-item " + std::to_string(i) + " of the kernel gave " + std::to_string(result[i]));
}

void SmallKernel::clear() {
  const std::array<float, kItems> nothing{};
  check(clEnqueueWriteBuffer(session_.queue, target_, CL_TRUE, 0, sizeof nothing, nothing.data(), 0, nullptr, nullptr),
        "clEnqueueWriteBuffer");
}

void SmallKernel::buildAndRun(int number) {
  build(number);
  launch();
  verify();
}

} // namespace bench
