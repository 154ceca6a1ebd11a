// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device.hpp"

#include <stdexcept>
#include <utility>

void check(cl_int status, const char* what) {
  if (status != CL_SUCCESS) throw std::runtime_error(std::string(what) + " failed: " + std::to_string(status));
}

std::uint64_t checksumOf(const void* bytes, std::size_t size) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < size; ++i)
    sum = (sum ^ static_cast<const unsigned char*>(bytes)[i]) * 0x100000001b3;
  return sum;
}

Device::Device(const char* source) {
  cl_platform_id platform = nullptr;
  check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device_, nullptr), "clGetDeviceIDs");
  cl_int status = CL_SUCCESS;
  context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
  check(status, "clCreateContext");
  queue_ = clCreateCommandQueueWithProperties(context_, device_, nullptr, &status);
  check(status, "clCreateCommandQueueWithProperties");
  program_ = clCreateProgramWithSource(context_, 1, &source, nullptr, &status);
  check(status, "clCreateProgramWithSource");
  if (clBuildProgram(program_, 1, &device_, "", nullptr, nullptr) != CL_SUCCESS) {
    std::string log(1 << 16, '\0');
    clGetProgramBuildInfo(program_, device_, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
    throw std::runtime_error("the kernels do not build:\n" + log);
  }
}

Device::~Device() {
  for (const auto& [name, kernel] : kernels_)
    clReleaseKernel(kernel);
  for (cl_mem buffer : buffers_)
    clReleaseMemObject(buffer);
  clReleaseProgram(program_);
  clReleaseCommandQueue(queue_);
  clReleaseContext(context_);
}

std::string Device::name() const {
  std::size_t size = 0;
  check(clGetDeviceInfo(device_, CL_DEVICE_NAME, 0, nullptr, &size), "clGetDeviceInfo");
  std::string answer(size, '\0');
  check(clGetDeviceInfo(device_, CL_DEVICE_NAME, size, answer.data(), nullptr), "clGetDeviceInfo");
  answer.pop_back();
  return answer;
}

cl_mem Device::buffer(const void* bytes, std::size_t size) {
  cl_int status = CL_SUCCESS;
  cl_mem made =
      clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, const_cast<void*>(bytes), &status);
  check(status, "clCreateBuffer");
  buffers_.push_back(made);
  return made;
}

cl_kernel Device::kernelOf(const std::string& name) {
  for (const auto& [known, kernel] : kernels_)
    if (known == name) return kernel;
  cl_int status = CL_SUCCESS;
  cl_kernel made = clCreateKernel(program_, name.c_str(), &status);
  check(status, "clCreateKernel");
  kernels_.emplace_back(name, made);
  return made;
}
