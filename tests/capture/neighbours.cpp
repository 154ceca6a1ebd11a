// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program of the example in docs/capture.md: its kernel reads what neighbouring work-items write.
#include <CL/cl.h>

#include <vector>

namespace {

constexpr const char* kSource = R"(
// The rule of the game.
int weight(int x) {
  int w = x;
  w += 1;
  return w * 1;
}

kernel void neighbours(global int* cells, global int* sums) {
  int i = get_global_id(0);
  int last = get_global_size(0) - 1;
  cells[i] = weight(i);
  float unused = 0;
  for (int k = 0; k < 4; k++) {
    unused += k * 0.5f;
  }
  sums[i] = cells[i] + (i < last ? cells[i + 1] : 0);
}
)";

} // namespace

int main() {
  constexpr std::size_t kItems = 4096;
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  if (clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS) return 1;
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, nullptr, nullptr);
  const char* source = kSource;
  cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, nullptr);
  clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr);
  cl_kernel kernel = clCreateKernel(program, "neighbours", nullptr);
  std::vector<cl_int> zeros(kItems);
  for (cl_uint i = 0; i < 2; ++i) {
    cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, zeros.size() * sizeof(cl_int), zeros.data(), nullptr);
    clSetKernelArg(kernel, i, sizeof buffer, &buffer);
  }
  if (clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &kItems, nullptr, 0, nullptr, nullptr) != CL_SUCCESS) return 1;
  return clFinish(queue) == CL_SUCCESS ? 0 : 1;
}
