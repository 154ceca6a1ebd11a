// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A low limit on open files is enough for the driver; when none is left a build is an error, neither a hang nor a
// crash, and goes on once there are some again; what is built runs meanwhile.
#include "guest.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace {

void add(const guest::Session& session, cl_kernel kernel, cl_mem buffer, int expected) {
  const std::size_t one = 1;
  int value = 0;
  REQUIRE(clSetKernelArg(kernel, 0, sizeof buffer, &buffer) == CL_SUCCESS);
  REQUIRE(clEnqueueNDRangeKernel(session.queue, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr) == CL_SUCCESS);
  REQUIRE(clEnqueueReadBuffer(session.queue, buffer, CL_TRUE, 0, sizeof value, &value, 0, nullptr, nullptr) ==
          CL_SUCCESS);
  REQUIRE(value == expected);
}

} // namespace

int main() {
  alarm(120);
  const rlimit few{14, 14};
  REQUIRE(setrlimit(RLIMIT_NOFILE, &few) == 0);
  const guest::Session session;
  for (int i = 0; i < 20; ++i)
    guest::computeSomething(session, i);
  cl_program program = guest::build(session.context, session.device, "kernel void f(global int* out) { ++*out; }");
  cl_kernel kernel = guest::kernel(program, "f");
  cl_int status = CL_SUCCESS;
  int zero = 0;
  cl_mem buffer = clCreateBuffer(session.context, CL_MEM_COPY_HOST_PTR, sizeof zero, &zero, &status);
  REQUIRE(status == CL_SUCCESS);

  for (int round = 0; round < 3; ++round) {
    std::vector<int> taken;
    for (int file; (file = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;)
      taken.push_back(file);
    REQUIRE(!taken.empty());
    const std::string source = guest::freshSource();
    const char* text = source.c_str();
    cl_program another = clCreateProgramWithSource(session.context, 1, &text, nullptr, &status);
    REQUIRE(status == CL_SUCCESS);
    REQUIRE(clBuildProgram(another, 1, &session.device, "", nullptr, nullptr) < 0);
    clReleaseProgram(another);
    add(session, kernel, buffer, 2 * round + 1);
    for (const int file : taken)
      close(file);
    guest::computeSomething(session, round);
    add(session, kernel, buffer, 2 * round + 2);
  }
  clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  return 0;
}
