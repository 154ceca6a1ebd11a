// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A locale with decimal comma changes no result: not of numbers in source, options or printf. LOCPATH has the locale.
#include "guest.hpp"

#include <clocale>
#include <cstring>
#include <unistd.h>

int main() {
  // The compiler's process inherits the environment, so its locale is that one too.
  setenv("LC_ALL", "de_DE.UTF-8", 1);
  REQUIRE(std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr);
  char local[32];
  std::snprintf(local, sizeof local, "%.1f", 1.5);
  REQUIRE(std::strcmp(local, "1,5") == 0);

  // Standard output goes to a file.
  char name[] = "comma_locale.XXXXXX";
  const int file = mkstemp(name);
  REQUIRE(file >= 0);
  unlink(name);
  std::fflush(stdout);
  const int saved = dup(STDOUT_FILENO);
  dup2(file, STDOUT_FILENO);

  guest::Session session;
  cl_program program =
      guest::build(session.context, session.device,
                   "kernel void f(global double* out) {"
                   "  out[0] = 2.25 + FACTOR; out[1] = 1e-3; out[2] = OTHER + 0x1.8p1f;"
                   "  printf(\"%f %.2e %g %v2hlf\\n\", out[0], 12345.678, 0.5, (float2)(1.5f, 2.5f)); }",
                   "-D FACTOR=0.5 -DOTHER=1.25e2f");
  cl_kernel kernel = guest::kernel(program, "f");
  cl_int status = CL_SUCCESS;
  double out[3] = {};
  cl_mem buffer = clCreateBuffer(session.context, CL_MEM_READ_WRITE, sizeof out, nullptr, &status);
  REQUIRE(clSetKernelArg(kernel, 0, sizeof buffer, &buffer) == CL_SUCCESS);
  const std::size_t one = 1;
  REQUIRE(clEnqueueNDRangeKernel(session.queue, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr) == CL_SUCCESS);
  REQUIRE(clEnqueueReadBuffer(session.queue, buffer, CL_TRUE, 0, sizeof out, out, 0, nullptr, nullptr) == CL_SUCCESS);
  REQUIRE(out[0] == 2.75 && out[1] == 1e-3 && out[2] == 128);
  clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
  clReleaseProgram(program);

  std::fflush(stdout);
  dup2(saved, STDOUT_FILENO);
  char text[200] = "";
  REQUIRE(pread(file, text, sizeof text - 1, 0) > 0);
  std::fprintf(stderr, "printed: %s", text);
  REQUIRE(std::strcmp(text, "2.750000 1.23e+04 0.5 1.500000,2.500000\n") == 0);

  // And the application's locale is still its own.
  std::snprintf(local, sizeof local, "%.1f", 1.5);
  REQUIRE(std::strcmp(local, "1,5") == 0);
  return 0;
}
