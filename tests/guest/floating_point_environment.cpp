// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The application's rounding mode, flush-to-zero and exception masks neither reach kernels nor are changed by them.
#include "guest.hpp"

#include <cfenv>
#include <cmath>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

int main() {
  guest::Session session;
  cl_program program = guest::build(session.context, session.device,
                                    "kernel void f(global const double* in, global double* out) {"
                                    "  const int i = get_global_id(0);"
                                    "  out[i] = in[0] / in[1] + i * 0.0 + in[2] * in[3]; }");
  cl_kernel kernel = guest::kernel(program, "f");
  cl_int status = CL_SUCCESS;
  // 1/3 shows the rounding mode, the product of the last two is denormal.
  double in[4] = {1, 3, 0x1p-600, 0};
  cl_mem input = clCreateBuffer(session.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof in, in, &status);
  cl_mem output = clCreateBuffer(session.context, CL_MEM_READ_WRITE, 64 * sizeof(double), nullptr, &status);
  REQUIRE(clSetKernelArg(kernel, 0, sizeof input, &input) == CL_SUCCESS);
  REQUIRE(clSetKernelArg(kernel, 1, sizeof output, &output) == CL_SUCCESS);

  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST}) {
    REQUIRE(std::fesetround(mode) == 0);
    std::feclearexcept(FE_ALL_EXCEPT);
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040); // flush to zero, denormals are zero
    const unsigned before = _mm_getcsr();
#endif
    double out[64];
    const std::size_t size = 64;
    for (int repeat = 0; repeat < 20; ++repeat) {
      REQUIRE(clEnqueueNDRangeKernel(session.queue, kernel, 1, nullptr, &size, nullptr, 0, nullptr, nullptr) ==
              CL_SUCCESS);
      REQUIRE(clFinish(session.queue) == CL_SUCCESS);
    }
    REQUIRE(clEnqueueReadBuffer(session.queue, output, CL_TRUE, 0, sizeof out, out, 0, nullptr, nullptr) == CL_SUCCESS);
#if defined(__x86_64__)
    REQUIRE((_mm_getcsr() & ~0x3fu) == (before & ~0x3fu));
#endif
    REQUIRE(std::fegetround() == mode);
    for (const double value : out)
      REQUIRE(value == 0x1.5555555555555p-2);
  }
  std::fesetround(FE_TONEAREST);
  clReleaseMemObject(input);
  clReleaseMemObject(output);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  return 0;
}
