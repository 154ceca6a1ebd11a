// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "precision/device.hpp"

#include <array>
#include <stdexcept>

namespace precision {

namespace {

void check(cl_int status, const char* what) {
  if (status != CL_SUCCESS) throw std::runtime_error(std::string(what) + ": error " + std::to_string(status));
}

std::string sourceOf(const Function& function, const std::string& type, unsigned components) {
  const std::string n = components > 1 ? std::to_string(components) : "";
  std::string source = "typedef " + type + n + " T;\ntypedef int" + n + " I;\n";
  source += n.empty() ? "#define LOAD(array) array[i]\n#define STORE(value) results[i] = value\n"
                      : "#define LOAD(array) vload" + n + "(i, array)\n#define STORE(value) vstore" + n +
                            "(value, i, results)\n";
  source += "kernel void apply(global const " + type + "* xs, global const " + type + "* ys, global const " + type +
            "* zs, global const int* ks, global " + type + "* results) {\n  const size_t i = get_global_id(0);\n" +
            "  const T x = LOAD(xs);\n";
  if (function.arguments == Arguments::XY || function.arguments == Arguments::XYZ)
    source += "  const T y = LOAD(ys);\n";
  if (function.arguments == Arguments::XYZ) source += "  const T z = LOAD(zs);\n";
  if (function.arguments == Arguments::XK) source += "  const I k = LOAD(ks);\n";
  source += "  T p;\n  I q;\n  const T result = ";
  source += function.expression;
  return source + ";\n  STORE(result);\n}\n";
}

} // namespace

Device::Device() {
  cl_platform_id platform = nullptr;
  check(clGetPlatformIDs(1, &platform, nullptr), "no OpenCL platform");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id_, nullptr), "no OpenCL device");
  cl_int status = CL_SUCCESS;
  context_ = clCreateContext(nullptr, 1, &id_, nullptr, nullptr, &status);
  check(status, "clCreateContext");
  queue_ = clCreateCommandQueue(context_, id_, 0, &status);
  check(status, "clCreateCommandQueue");
}

Device::~Device() {
  if (queue_ != nullptr) clReleaseCommandQueue(queue_);
  if (context_ != nullptr) clReleaseContext(context_);
}

std::string Device::name() const {
  char text[256] = "";
  check(clGetDeviceInfo(id_, CL_DEVICE_NAME, sizeof text, text, nullptr), "clGetDeviceInfo");
  return text;
}

Kernel::Kernel(const Device& device, const Function& function, const char* type, unsigned components,
               const std::string& options)
    : device_(device), components_(components) {
  const std::string source = sourceOf(function, type, components);
  const char* text = source.c_str();
  cl_int status = CL_SUCCESS;
  program_ = clCreateProgramWithSource(device.context(), 1, &text, nullptr, &status);
  check(status, "clCreateProgramWithSource");
  const cl_device_id id = device.id();
  if (clBuildProgram(program_, 1, &id, options.c_str(), nullptr, nullptr) != CL_SUCCESS) {
    std::array<char, 4096> log{};
    clGetProgramBuildInfo(program_, id, CL_PROGRAM_BUILD_LOG, log.size() - 1, log.data(), nullptr);
    clReleaseProgram(program_);
    throw std::runtime_error(std::string(function.name) + " does not build:\n" + log.data());
  }
  kernel_ = clCreateKernel(program_, "apply", &status);
  check(status, "clCreateKernel");
}

Kernel::~Kernel() {
  if (kernel_ != nullptr) clReleaseKernel(kernel_);
  clReleaseProgram(program_);
}

void Kernel::run(std::size_t count, std::span<void* const, 5> arrays,
                 std::span<const std::size_t, 5> elementBytes) const {
  std::array<cl_mem, 5> buffers{};
  const std::size_t items = (count + components_ - 1) / components_;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    cl_int status = CL_SUCCESS;
    buffers[i] = clCreateBuffer(device_.context(), CL_MEM_USE_HOST_PTR | CL_MEM_READ_WRITE,
                                items * components_ * elementBytes[i], arrays[i], &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(kernel_, static_cast<cl_uint>(i), sizeof(cl_mem), static_cast<const void*>(&buffers[i])),
          "clSetKernelArg");
  }
  check(clEnqueueNDRangeKernel(device_.queue(), kernel_, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
        "clEnqueueNDRangeKernel");
  cl_int status = CL_SUCCESS;
  void* results = clEnqueueMapBuffer(device_.queue(), buffers[4], CL_TRUE, CL_MAP_READ, 0, count * elementBytes[4], 0,
                                     nullptr, nullptr, &status);
  check(status, "clEnqueueMapBuffer");
  check(clEnqueueUnmapMemObject(device_.queue(), buffers[4], results, 0, nullptr, nullptr), "clEnqueueUnmapMemObject");
  check(clFinish(device_.queue()), "clFinish");
  for (cl_mem buffer : buffers)
    clReleaseMemObject(buffer);
}

} // namespace precision
