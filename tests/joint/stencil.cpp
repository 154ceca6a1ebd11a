// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stencil of many steps on the default device, compared with the same on the host: stencil WIDTH HEIGHT STEPS
#include <CL/cl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

namespace {

constexpr const char* kSource = R"(
kernel void step(global float* out, global const float* in, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  out[y * width + x] = 0.25f * (in[(y - 1) * width + x] + in[(y + 1) * width + x] +
                                in[y * width + x - 1] + in[y * width + x + 1]);
}
)";

void check(cl_int status, const char* what) {
  if (status == CL_SUCCESS) return;
  std::fprintf(stderr, "%s: %d\n", what, status);
  std::exit(1);
}

/// A row after a step.
void step(std::vector<float>& out, const std::vector<float>& in, std::size_t width, std::size_t height) {
  for (std::size_t y = 1; y + 1 < height; ++y)
    for (std::size_t x = 1; x + 1 < width; ++x) {
      const std::size_t at = y * width + x;
      out[at] = 0.25F * (in[at - width] + in[at + width] + in[at - 1] + in[at + 1]);
    }
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::size_t width = std::strtoul(argv[1], nullptr, 10), height = std::strtoul(argv[2], nullptr, 10);
  const unsigned long steps = std::strtoul(argv[3], nullptr, 10);
  const std::size_t bytes = width * height * sizeof(float);

  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_int status = clGetPlatformIDs(1, &platform, nullptr);
  check(status, "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  check(status, "clCreateContext");
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, nullptr, &status);
  check(status, "clCreateCommandQueueWithProperties");
  cl_program program = clCreateProgramWithSource(context, 1, const_cast<const char**>(&kSource), nullptr, &status);
  check(status, "clCreateProgramWithSource");
  check(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), "clBuildProgram");
  cl_kernel kernel = clCreateKernel(program, "step", &status);
  check(status, "clCreateKernel");

  std::vector<float> now(width * height), next, found(width * height);
  for (std::size_t i = 0; i < now.size(); ++i)
    now[i] = static_cast<float>(i * 2654435761U % 1000);
  next = now;
  cl_mem in = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, now.data(), &status);
  check(status, "clCreateBuffer");
  cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, now.data(), &status);
  check(status, "clCreateBuffer");
  const cl_int numbers[] = {static_cast<cl_int>(width), static_cast<cl_int>(height)};
  for (cl_uint i = 0; i < 2; ++i)
    check(clSetKernelArg(kernel, 2 + i, sizeof(cl_int), &numbers[i]), "clSetKernelArg");
  for (unsigned long i = 0; i < steps; ++i) {
    check(clSetKernelArg(kernel, 0, sizeof out, &out), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof in, &in), "clSetKernelArg");
    const std::size_t global[] = {width, height}, local[] = {width % 64 == 0 ? std::size_t{64} : std::size_t{1}, 1};
    check(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global, local, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
    std::swap(in, out);
    step(next, now, width, height);
    std::swap(now, next);
  }
  check(clFinish(queue), "clFinish");
  check(clEnqueueReadBuffer(queue, in, CL_TRUE, 0, bytes, found.data(), 0, nullptr, nullptr), "clEnqueueReadBuffer");
  const bool isRight = std::memcmp(found.data(), now.data(), bytes) == 0;
  if (!isRight) std::fprintf(stderr, "the results differ\n");
  clReleaseMemObject(in);
  clReleaseMemObject(out);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return isRight ? 0 : 1;
}
