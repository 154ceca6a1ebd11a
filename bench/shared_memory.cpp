// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shared_memory.hpp"

#include <array>
#include <stdexcept>

namespace bench {

namespace {

constexpr const char* kSource = R"(
kernel void triad(global float* to, global const float* a, global const float* b, int n) {
  size_t i = get_global_id(0);
  to[i] = a[i] + 3 * b[i];
}
kernel void tiles(global float* to, global const float* a, global const float* b, int n) {
  local float rows[16][16], columns[16][16];
  int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    rows[ly][lx] = a[y * n + t + lx];
    columns[ly][lx] = b[(t + ly) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; ++k)
      sum += rows[ly][k] * columns[k][lx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  to[y * n + x] = sum;
}
)";

/// The three arrays, as buffers or as shared memory, and the kernel on them.
class Arrays {
 public:
  Arrays(Session& session, cl_program program, const char* name, std::size_t count, int n, bool isShared)
      : session_(session), count_(count), isShared_(isShared) {
    cl_int status;
    kernel_ = clCreateKernel(program, name, &status);
    check(status, "clCreateKernel");
    for (cl_uint i = 0; i < 3; ++i) {
      const auto value = static_cast<float>(i);
      if (isShared) {
        shared_[i] = clSVMAlloc(session.context, CL_MEM_READ_WRITE, count * sizeof(float), 0);
        if (!shared_[i]) throw std::runtime_error("clSVMAlloc");
        check(clEnqueueSVMMemFill(session.queue, shared_[i], &value, 4, count * 4, 0, nullptr, nullptr),
              "clEnqueueSVMMemFill");
        check(clSetKernelArgSVMPointer(kernel_, i, shared_[i]), "clSetKernelArgSVMPointer");
      } else {
        buffers_[i] = clCreateBuffer(session.context, CL_MEM_READ_WRITE, count * sizeof(float), nullptr, &status);
        check(status, "clCreateBuffer");
        check(clEnqueueFillBuffer(session.queue, buffers_[i], &value, 4, 0, count * 4, 0, nullptr, nullptr),
              "clEnqueueFillBuffer");
        check(clSetKernelArg(kernel_, i, sizeof(cl_mem), &buffers_[i]), "clSetKernelArg");
      }
    }
    check(clSetKernelArg(kernel_, 3, sizeof n, &n), "clSetKernelArg");
    check(clFinish(session.queue), "clFinish");
  }
  ~Arrays() {
    for (void* memory : shared_)
      clSVMFree(session_.context, memory);
    for (cl_mem buffer : buffers_)
      if (buffer) clReleaseMemObject(buffer);
    clReleaseKernel(kernel_);
  }
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;

  double time(const std::array<std::size_t, 2>& global, const std::size_t* local, int launches) {
    const auto begin = Clock::now();
    for (int i = 0; i < launches; ++i)
      check(clEnqueueNDRangeKernel(session_.queue, kernel_, global[1] == 1 ? 1 : 2, nullptr, global.data(), local, 0,
                                   nullptr, nullptr),
            "clEnqueueNDRangeKernel");
    check(clFinish(session_.queue), "clFinish");
    return microseconds(Clock::now() - begin);
  }

  float last() const {
    float value = 0;
    const std::size_t at = (count_ - 1) * sizeof(float);
    if (isShared_)
      check(clEnqueueSVMMemcpy(session_.queue, CL_TRUE, &value, static_cast<std::byte*>(shared_[0]) + at, sizeof value,
                               0, nullptr, nullptr),
            "clEnqueueSVMMemcpy");
    else
      check(clEnqueueReadBuffer(session_.queue, buffers_[0], CL_TRUE, at, sizeof value, &value, 0, nullptr, nullptr),
            "clEnqueueReadBuffer");
    return value;
  }

 private:
  Session& session_;
  std::size_t count_;
  bool isShared_;
  cl_kernel kernel_ = nullptr;
  std::array<void*, 3> shared_{};
  std::array<cl_mem, 3> buffers_{};
};

} // namespace

std::vector<double> compareShared(Session& session, SharedKernel which, std::size_t size, int rounds) {
  cl_int status;
  const char* source = kSource;
  cl_program program = clCreateProgramWithSource(session.context, 1, &source, nullptr, &status);
  check(status, "clCreateProgramWithSource");
  check(clBuildProgram(program, 1, &session.device, "", nullptr, nullptr), "clBuildProgram");
  const bool isTiled = which == SharedKernel::Tiles;
  const std::size_t count = isTiled ? size * size : size;
  const std::array<std::size_t, 2> global = {size, isTiled ? size : 1};
  const std::array<std::size_t, 2> local = {16, 16};
  const int n = static_cast<int>(size), launches = which == SharedKernel::Launch ? 2000 : 4;
  std::vector<double> speeds;
  {
    const char* name = isTiled ? "tiles" : "triad";
    Arrays buffers(session, program, name, count, n, false), shared(session, program, name, count, n, true);
    const float expected = isTiled ? 2 * static_cast<float>(size) : 7; // of ones and twos
    for (int round = -1; round < rounds; ++round) {                    // the first touches all pages
      double onBuffers = 0, onShared = 0;
      // In another order each time, so that neither always finds the caches that the other has left.
      for (int i = 0; i < 2; ++i)
        if ((i + round) % 2 == 0)
          onBuffers += buffers.time(global, isTiled ? local.data() : nullptr, launches);
        else
          onShared += shared.time(global, isTiled ? local.data() : nullptr, launches);
      if (round >= 0) speeds.push_back(100 * onBuffers / onShared);
    }
    if (buffers.last() != expected || shared.last() != expected) throw std::runtime_error("wrong result");
  }
  clReleaseProgram(program);
  return speeds;
}

} // namespace bench
