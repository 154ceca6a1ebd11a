// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fork while other threads build, enqueue, wait and make objects: neither child nor parent hangs.
#include "guest.hpp"

#include <atomic>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

std::atomic<bool> stop{false};

void buildAgainAndAgain() {
  const guest::Session session;
  for (int i = 0; !stop; ++i)
    guest::computeSomething(session, i);
}

void enqueueAgainAndAgain() {
  const guest::Session session;
  cl_program program = guest::build(session.context, session.device,
                                    "kernel void f(global int* out) { out[get_global_id(0)] += get_local_id(0); }");
  cl_kernel kernel = guest::kernel(program, "f");
  cl_int status = CL_SUCCESS;
  cl_mem buffer = clCreateBuffer(session.context, CL_MEM_READ_WRITE, 65536 * sizeof(int), nullptr, &status);
  REQUIRE(clSetKernelArg(kernel, 0, sizeof buffer, &buffer) == CL_SUCCESS);
  const std::size_t size = 65536;
  while (!stop) {
    for (int i = 0; i < 20; ++i)
      REQUIRE(clEnqueueNDRangeKernel(session.queue, kernel, 1, nullptr, &size, nullptr, 0, nullptr, nullptr) ==
              CL_SUCCESS);
    REQUIRE(clFinish(session.queue) == CL_SUCCESS);
  }
  clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
}

void createAgainAndAgain() {
  while (!stop) {
    const guest::Session session;
    cl_int status = CL_SUCCESS;
    cl_event event = clCreateUserEvent(session.context, &status);
    REQUIRE(status == CL_SUCCESS);
    cl_mem buffer = clCreateBuffer(session.context, CL_MEM_READ_WRITE, 1 << 20, nullptr, &status);
    REQUIRE(status == CL_SUCCESS);
    REQUIRE(clSetEventCallback(event, CL_COMPLETE, [](cl_event, cl_int, void*) {}, nullptr) == CL_SUCCESS);
    REQUIRE(clSetUserEventStatus(event, CL_COMPLETE) == CL_SUCCESS);
    clReleaseEvent(event);
    clReleaseMemObject(buffer);
  }
}

} // namespace

int main() {
  // The ICD loader itself is no good in the child of a fork that comes while it looks for platforms.
  guest::firstDevice();
  std::vector<std::thread> threads;
  threads.emplace_back(buildAgainAndAgain);
  threads.emplace_back(enqueueAgainAndAgain);
  threads.emplace_back(createAgainAndAgain);
  for (int round = 0; round < 40; ++round) {
    usleep(1000 * unsigned(round % 7));
    const pid_t child = fork();
    if (child == 0) {
      alarm(60); // a hang becomes a death by SIGALRM
      {
        const guest::Session own;
        guest::computeSomething(own, round);
      }
      _exit(0); // exit() would take what the parent's other threads were using for leaks
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    if (WIFSIGNALED(status)) std::fprintf(stderr, "the child died by signal %d\n", WTERMSIG(status));
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  stop = true;
  for (std::thread& thread : threads)
    thread.join();
  return 0;
}
