// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CL/cl.h>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

/// The little that the guest programs share: each is an application of its own that uses OpenCL in one special way.
/// A failed requirement ends the program with a sentence.
#define REQUIRE(condition)                                                                                             \
  do {                                                                                                                 \
    if (!(condition)) guest::fail(__FILE__, __LINE__, #condition);                                                     \
  } while (false)

namespace guest {

/// File descriptor that failures are reported to. It is not standard error's while a test looks at that.
inline int errorFile = 2;

[[noreturn]] inline void fail(const char* file, int line, const char* what) {
  dprintf(errorFile, "%s:%d: not so: %s\n", file, line, what);
  std::_Exit(1);
}

inline cl_device_id firstDevice() {
  cl_platform_id platform = nullptr;
  REQUIRE(clGetPlatformIDs(1, &platform, nullptr) == CL_SUCCESS);
  cl_device_id device = nullptr;
  REQUIRE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) == CL_SUCCESS);
  return device;
}

/// A device with context and in-order queue; released unless `keep` is set.
struct Session {
  using Notify = void(CL_CALLBACK*)(const char*, const void*, std::size_t, void*);
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  bool keep = false;

  explicit Session(Notify notify = nullptr, void* user = nullptr) : device(firstDevice()) {
    cl_int status = CL_SUCCESS;
    context = clCreateContext(nullptr, 1, &device, notify, user, &status);
    REQUIRE(status == CL_SUCCESS);
    queue = clCreateCommandQueue(context, device, 0, &status);
    REQUIRE(status == CL_SUCCESS);
  }
  ~Session() {
    if (keep) return;
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

inline cl_program build(cl_context context, cl_device_id device, const char* source, const char* options = "") {
  cl_int status = CL_SUCCESS;
  cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &status);
  REQUIRE(status == CL_SUCCESS);
  status = clBuildProgram(program, 1, &device, options, nullptr, nullptr);
  if (status != CL_SUCCESS) {
    std::vector<char> log(1 << 16);
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
    std::fprintf(stderr, "build failed with %d:\n%s\n", status, log.data());
  }
  REQUIRE(status == CL_SUCCESS);
  return program;
}

inline cl_kernel kernel(cl_program program, const char* name) {
  cl_int status = CL_SUCCESS;
  cl_kernel result = clCreateKernel(program, name, &status);
  REQUIRE(status == CL_SUCCESS);
  return result;
}

inline const std::string kKnownSource =
    "kernel void add(global int* out, int by) { out[get_global_id(0)] = get_global_id(0) + by; }\n";

/// A source no other test has, so that it is compiled and not found in a cache.
inline std::string freshSource() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return kKnownSource + "// " + std::to_string(now.tv_sec) + "." + std::to_string(now.tv_nsec) + "\n";
}

/// Builds a kernel, of a fresh source if none is given, runs it over 1000 items and checks every result.
inline void computeSomething(const Session& session, int by = 42, const std::string& source = freshSource()) {
  cl_program program = build(session.context, session.device, source.c_str());
  cl_kernel add = kernel(program, "add");
  cl_int status = CL_SUCCESS;
  std::vector<int> result(1000, -1);
  cl_mem buffer = clCreateBuffer(session.context, CL_MEM_READ_WRITE, result.size() * sizeof(int), nullptr, &status);
  REQUIRE(status == CL_SUCCESS);
  REQUIRE(clSetKernelArg(add, 0, sizeof buffer, &buffer) == CL_SUCCESS);
  REQUIRE(clSetKernelArg(add, 1, sizeof by, &by) == CL_SUCCESS);
  const std::size_t size = result.size();
  REQUIRE(clEnqueueNDRangeKernel(session.queue, add, 1, nullptr, &size, nullptr, 0, nullptr, nullptr) == CL_SUCCESS);
  REQUIRE(clEnqueueReadBuffer(session.queue, buffer, CL_TRUE, 0, size * sizeof(int), result.data(), 0, nullptr,
                              nullptr) == CL_SUCCESS);
  for (int i = 0; i < 1000; ++i)
    REQUIRE(result[std::size_t(i)] == i + by);
  clReleaseMemObject(buffer);
  clReleaseKernel(add);
  clReleaseProgram(program);
}

} // namespace guest
