// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads with little stack may build, launch and wait: kernels that they help with run on a stack of the driver's.
#include "guest.hpp"

#include <pthread.h>

namespace {

const char* const kLarge = "kernel void f(global int* out) {"
                           "  volatile int own[20000];"
                           "  for (int k = 0; k < 20000; ++k) own[k] = k;"
                           "  out[get_global_id(0)] = own[get_global_id(0) * 3]; }";

void* work(void* user) {
  const auto& session = *static_cast<guest::Session*>(user);
  guest::computeSomething(session);
  cl_program program = guest::build(session.context, session.device, kLarge);
  cl_kernel kernel = guest::kernel(program, "f");
  cl_int status = CL_SUCCESS;
  int out[64] = {};
  cl_mem buffer = clCreateBuffer(session.context, CL_MEM_READ_WRITE, sizeof out, nullptr, &status);
  REQUIRE(clSetKernelArg(kernel, 0, sizeof buffer, &buffer) == CL_SUCCESS);
  const std::size_t size = 64;
  for (int i = 0; i < 50; ++i) {
    REQUIRE(clEnqueueNDRangeKernel(session.queue, kernel, 1, nullptr, &size, nullptr, 0, nullptr, nullptr) ==
            CL_SUCCESS);
    REQUIRE(clFinish(session.queue) == CL_SUCCESS);
  }
  REQUIRE(clEnqueueReadBuffer(session.queue, buffer, CL_TRUE, 0, sizeof out, out, 0, nullptr, nullptr) == CL_SUCCESS);
  REQUIRE(out[63] == 189);
  clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  return nullptr;
}

} // namespace

int main() {
  guest::Session session;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  REQUIRE(pthread_attr_setstacksize(&attributes, 128 << 10) == 0);
  pthread_t threads[4];
  for (pthread_t& thread : threads)
    REQUIRE(pthread_create(&thread, &attributes, work, &session) == 0);
  for (const pthread_t thread : threads)
    pthread_join(thread, nullptr);
  return 0;
}
