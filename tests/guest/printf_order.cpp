// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// printf of kernels arrives through the application's stdio, in order with its own output, before the command
// completes.
#include "guest.hpp"

#include <atomic>
#include <cstring>
#include <unistd.h>

namespace {

/// What stdio has written or holds back for `file`.
std::string contents(int file) {
  std::fflush(stdout);
  std::string text(4096, '\0');
  const ssize_t size = pread(file, text.data(), text.size(), 0);
  text.resize(size > 0 ? std::size_t(size) : 0);
  return text;
}

std::atomic<bool> seenAtCompletion{false};
int outputFile = -1;

void CL_CALLBACK completed(cl_event, cl_int, void*) {
  seenAtCompletion = contents(outputFile).find("kernel 3\n") != std::string::npos;
}

} // namespace

int main() {
  char name[] = "printf_order.XXXXXX";
  outputFile = mkstemp(name);
  REQUIRE(outputFile >= 0);
  // The application redirects and buffers standard output in its own way; the driver must follow.
  REQUIRE(std::freopen(name, "w", stdout) != nullptr);
  static char buffer[1 << 16];
  REQUIRE(std::setvbuf(stdout, buffer, _IOFBF, sizeof buffer) == 0);
  unlink(name);

  guest::Session session;
  cl_program program =
      guest::build(session.context, session.device, "kernel void f(int i) { printf(\"kernel %d\\n\", i); }");
  cl_kernel kernel = guest::kernel(program, "f");
  const std::size_t one = 1;
  std::string expected;
  for (int i = 0; i < 3; ++i) {
    std::printf("host %d\n", i);
    REQUIRE(clSetKernelArg(kernel, 0, sizeof i, &i) == CL_SUCCESS);
    REQUIRE(clEnqueueNDRangeKernel(session.queue, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr) ==
            CL_SUCCESS);
    REQUIRE(clFinish(session.queue) == CL_SUCCESS);
    expected += "host " + std::to_string(i) + "\nkernel " + std::to_string(i) + "\n";
  }
  REQUIRE(contents(outputFile) == expected);

  // A callback at completion finds the output there.
  const int three = 3;
  cl_event event = nullptr;
  cl_int status = CL_SUCCESS;
  cl_event gate = clCreateUserEvent(session.context, &status);
  REQUIRE(clSetKernelArg(kernel, 0, sizeof three, &three) == CL_SUCCESS);
  REQUIRE(clEnqueueNDRangeKernel(session.queue, kernel, 1, nullptr, &one, nullptr, 1, &gate, &event) == CL_SUCCESS);
  REQUIRE(clSetEventCallback(event, CL_COMPLETE, completed, nullptr) == CL_SUCCESS);
  REQUIRE(clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
  REQUIRE(clWaitForEvents(1, &event) == CL_SUCCESS);
  REQUIRE(contents(outputFile) == expected + "kernel 3\n");
  for (int i = 0; i < 5000 && !seenAtCompletion; ++i)
    usleep(1000);
  REQUIRE(seenAtCompletion);
  clReleaseEvent(event);
  clReleaseEvent(gate);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  return 0;
}
