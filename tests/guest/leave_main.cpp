// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Leaving the program while kernels run, commands are queued, user events are pending or a program is built neither
// hangs nor crashes. usage: leave_main return|exit|quick_exit|_exit|abandon|endless|building
#include "guest.hpp"

#include <cstring>
#include <thread>
#include <unistd.h>

namespace {

const char* const kSource = "kernel void slow(global volatile uint* out, uint rounds) {"
                            "  uint v = get_global_id(0);"
                            "  for (uint i = 0; i < rounds; ++i) v = v * 1664525u + (v >> 7) + i;"
                            "  out[get_global_id(0)] = v; }"
                            "kernel void endless(global volatile uint* out, uint rounds) {"
                            "  while (out[0] != 1) out[1 + get_global_id(0)] += rounds; }";

cl_kernel prepare(const guest::Session& session, cl_program program, const char* name) {
  cl_kernel kernel = guest::kernel(program, name);
  cl_int status = CL_SUCCESS;
  cl_mem out = clCreateBuffer(session.context, CL_MEM_READ_WRITE, 65537 * sizeof(cl_uint), nullptr, &status);
  REQUIRE(status == CL_SUCCESS);
  const cl_uint zero = 0, rounds = 20000;
  REQUIRE(clEnqueueFillBuffer(session.queue, out, &zero, sizeof zero, 0, 65537 * sizeof(cl_uint), 0, nullptr,
                              nullptr) == CL_SUCCESS);
  REQUIRE(clFinish(session.queue) == CL_SUCCESS);
  REQUIRE(clSetKernelArg(kernel, 0, sizeof out, &out) == CL_SUCCESS);
  REQUIRE(clSetKernelArg(kernel, 1, sizeof rounds, &rounds) == CL_SUCCESS);
  return kernel; // the buffer, which the kernel does not retain, stays with the application
}

/// Enqueues minutes of work, none of it waited for, and commands behind an event that is never set.
void fillQueues(const guest::Session& session, bool endless) {
  cl_program program = guest::build(session.context, session.device, kSource);
  const std::size_t size = 65536;
  cl_kernel slow = prepare(session, program, endless ? "endless" : "slow");
  for (int i = 0; i < 100; ++i)
    REQUIRE(clEnqueueNDRangeKernel(session.queue, slow, 1, nullptr, &size, nullptr, 0, nullptr, nullptr) == CL_SUCCESS);
  REQUIRE(clFlush(session.queue) == CL_SUCCESS);

  cl_int status = CL_SUCCESS;
  cl_command_queue other = clCreateCommandQueue(session.context, session.device, 0, &status);
  REQUIRE(status == CL_SUCCESS);
  cl_event gate = clCreateUserEvent(session.context, &status);
  REQUIRE(status == CL_SUCCESS);
  for (int i = 0; i < 10; ++i)
    REQUIRE(clEnqueueNDRangeKernel(other, slow, 1, nullptr, &size, nullptr, 1, &gate, nullptr) == CL_SUCCESS);
  REQUIRE(clFlush(other) == CL_SUCCESS);
  REQUIRE(clReleaseCommandQueue(other) == CL_SUCCESS);
  REQUIRE(clReleaseKernel(slow) == CL_SUCCESS);
  REQUIRE(clReleaseProgram(program) == CL_SUCCESS);
  // The event stays with the application, which leaves.
}

/// Begins to build a program that takes long, on a thread of the driver's, after a short one.
void beginToBuild(const guest::Session& session) {
  REQUIRE(clReleaseProgram(guest::build(session.context, session.device, kSource)) == CL_SUCCESS);
  std::string source = "kernel void k(global float* a, int n) { int i = get_global_id(0); float v = a[i];";
  for (int i = 0; i < 200; ++i)
    source += "if (v > " + std::to_string(i) + ") v = v * sin(v) + a[i + n * " + std::to_string(i) + "];";
  source += "a[i] = v; }";
  const char* text = source.c_str();
  cl_int status = CL_SUCCESS;
  cl_program program = clCreateProgramWithSource(session.context, 1, &text, nullptr, &status);
  REQUIRE(status == CL_SUCCESS);
  const auto ignore = [](cl_program, void*) {};
  REQUIRE(clBuildProgram(program, 1, &session.device, "", +ignore, nullptr) == CL_SUCCESS);
}

} // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "return";
  // Runs last, so that threads of the driver go on meanwhile, behind the destructors of all libraries.
  if (how == "building") std::atexit([] { usleep(1000000); });
  static guest::Session session;
  session.keep = true;
  if (how == "building")
    beginToBuild(session);
  else
    fillQueues(session, how == "endless");
  usleep(20000);
  alarm(20); // far less than the queues hold
  if (how == "exit") {
    // From another thread, while main waits for the queue and so takes part in its work.
    std::thread([] {
      usleep(10000);
      std::exit(0);
    }).detach();
    clFinish(session.queue);
    pause();
  }
  if (how == "quick_exit") std::quick_exit(0);
  if (how == "_exit") _exit(0);
  if (how == "abandon") {
    // Everything released with the work still in the queue: objects live until it is done, or the process is gone.
    clReleaseCommandQueue(session.queue);
    clReleaseContext(session.context);
  }
  return 0;
}
