// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread of the application's that blocks the signals of traps may wait for kernels that fault: the command fails,
// the process lives, and the thread blocks what it did before.
#include "guest.hpp"

#include <csignal>
#include <cstring>
#include <thread>

namespace {

const char* const kSource = "kernel void faults(global int* out, ulong address) {"
                            "  out[get_global_id(0)] = *(volatile global int*)address; }"
                            "kernel void traps(global int* out, ulong address) {"
                            "  if (address) __builtin_trap(); out[get_global_id(0)] = 1; }"
                            "kernel void good(global int* out, ulong number) {"
                            "  out[get_global_id(0)] = get_global_id(0) + (int)number; }";

void launch(const guest::Session& session, cl_program program, const char* name, cl_mem buffer, cl_ulong number,
            cl_int wanted) {
  constexpr std::size_t kItems = 64;
  cl_kernel kernel = guest::kernel(program, name);
  REQUIRE(clSetKernelArg(kernel, 0, sizeof buffer, &buffer) == CL_SUCCESS);
  REQUIRE(clSetKernelArg(kernel, 1, sizeof number, &number) == CL_SUCCESS);
  cl_event event = nullptr;
  REQUIRE(clEnqueueNDRangeKernel(session.queue, kernel, 1, nullptr, &kItems, nullptr, 0, nullptr, &event) ==
          CL_SUCCESS);
  REQUIRE(clFinish(session.queue) == CL_SUCCESS);
  cl_int status = 99;
  REQUIRE(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr) == CL_SUCCESS);
  REQUIRE(status == wanted);
  clReleaseEvent(event);
  clReleaseKernel(kernel);
}

void test(const guest::Session& session, cl_program program, int how) {
  cl_int status = CL_SUCCESS;
  cl_mem buffer = clCreateBuffer(session.context, CL_MEM_READ_WRITE, 64 * sizeof(int), nullptr, &status);
  REQUIRE(status == CL_SUCCESS);
  sigset_t mask, before, after;
  REQUIRE(pthread_sigmask(how, nullptr, &before) == 0);
  sigfillset(&mask);
  REQUIRE(pthread_sigmask(how, &mask, nullptr) == 0);
  REQUIRE(pthread_sigmask(how, nullptr, &mask) == 0);
  // Often enough that this thread takes some of them itself.
  for (int i = 0; i < 100; ++i) {
    launch(session, program, "faults", buffer, 0x10, CL_OUT_OF_RESOURCES);
    launch(session, program, "traps", buffer, 1, CL_OUT_OF_RESOURCES);
    launch(session, program, "good", buffer, cl_ulong(i), CL_COMPLETE);
    REQUIRE(pthread_sigmask(how, nullptr, &after) == 0);
    for (int signal = 1; signal < NSIG; ++signal)
      REQUIRE(sigismember(&mask, signal) == sigismember(&after, signal));
  }
  REQUIRE(pthread_sigmask(SIG_SETMASK, &before, nullptr) == 0);
  clReleaseMemObject(buffer);
}

} // namespace

int main() {
  const guest::Session session;
  cl_program program = guest::build(session.context, session.device, kSource);
  test(session, program, SIG_BLOCK);
  test(session, program, SIG_UNBLOCK);
  std::thread([&] { test(session, program, SIG_BLOCK); }).join();
  clReleaseProgram(program);
  return 0;
}
