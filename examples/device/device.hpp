// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// Throws std::runtime_error if an OpenCL call has failed.
void check(cl_int status, const char* what);

/// A number for results: the same for the same bits alone (64-bit FNV-1a).
std::uint64_t checksumOf(const void* bytes, std::size_t size);

/// The default device with one queue and one program. Owns all that it makes.
class Device {
 public:
  /// Builds the program, or throws std::runtime_error with the compiler's log.
  explicit Device(const char* source);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  std::string name() const;
  /// A buffer with a copy of these values.
  template <class T> cl_mem buffer(const std::vector<T>& values) { return buffer(values.data(), bytesOf(values)); }
  /// Enqueues a kernel with these arguments, one work-item for each index below `size`.
  template <class... Args> void run(const char* kernel, const std::vector<std::size_t>& size, const Args&... args) {
    cl_kernel used = kernelOf(kernel);
    cl_uint index = 0;
    (check(clSetKernelArg(used, index++, sizeof args, &args), "clSetKernelArg"), ...);
    check(clEnqueueNDRangeKernel(queue_, used, static_cast<cl_uint>(size.size()), nullptr, size.data(), nullptr, 0,
                                 nullptr, nullptr),
          "clEnqueueNDRangeKernel");
  }
  /// Waits for all kernels.
  void finish() { check(clFinish(queue_), "clFinish"); }
  /// Reads a buffer after all kernels.
  template <class T> void read(cl_mem from, std::vector<T>& values) {
    check(clEnqueueReadBuffer(queue_, from, CL_TRUE, 0, bytesOf(values), values.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
  }

 private:
  template <class T> static std::size_t bytesOf(const std::vector<T>& values) { return values.size() * sizeof(T); }
  cl_mem buffer(const void* bytes, std::size_t size);
  cl_kernel kernelOf(const std::string& name);

  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  std::vector<cl_mem> buffers_;
  std::vector<std::pair<std::string, cl_kernel>> kernels_;
};
