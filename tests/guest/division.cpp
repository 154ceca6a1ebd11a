// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer division by zero, and of the least number by -1, gives a value in every width, scalar and vector, and for
// divisors that the compiler knows; no fault. Where the quotient is defined it is right.
#include "guest.hpp"

#include <cstdint>
#include <limits>
#include <type_traits>

namespace {

guest::Session* session = nullptr;

std::string source(const std::string& type) {
  const std::string scalar = "(global const T* a, global const T* b, global T* quotient, global T* rest) {"
                             "  const int i = get_global_id(0);"
                             "  quotient[i] = a[i] / b[i]; rest[i] = a[i] % b[i]; }\n";
  std::string text = "typedef " + type + " T;\nkernel void width1" + scalar;
  for (const char* width : {"2", "3", "4", "8", "16"}) {
    const std::string n = width, v = "vload" + n, s = "vstore" + n;
    text += "kernel void width" + n +
            "(global const T* a, global const T* b, global T* quotient, global T* rest) {"
            "  const int i = get_global_id(0);" +
            s + "(" + v + "(i, a) / " + v + "(i, b), i, quotient);" + s + "(" + v + "(i, a) % " + v +
            "(i, b), i, rest); }\n";
  }
  text += "kernel void byZero(global const T* a, global const T* b, global T* quotient, global T* rest) {"
          "  const int i = get_global_id(0); const T zero = 0;"
          "  quotient[i] = a[i] / zero; rest[i] = a[i] % zero; }\n"
          "kernel void byMinusOne(global const T* a, global const T* b, global T* quotient, global T* rest) {"
          "  const int i = get_global_id(0); const T one = (T)-1;"
          "  quotient[i] = a[i] / one; rest[i] = a[i] % one; }\n";
  return text;
}

/// 48 pairs: every special number by every special number, and some more.
template <class T> void fill(std::vector<T>& a, std::vector<T>& b) {
  using Limits = std::numeric_limits<T>;
  const T special[] = {Limits::min(), Limits::max(), T(-1), T(0), T(1), T(7)};
  for (const T x : special)
    for (const T y : special) {
      a.push_back(x);
      b.push_back(y);
    }
  for (int i = 0; a.size() < 48; ++i) {
    a.push_back(T(i * 37 - 100));
    b.push_back(T(i % 5 - 2));
  }
}

template <class T> bool isDefined(T a, T b) {
  return b != 0 && !(std::is_signed_v<T> && a == std::numeric_limits<T>::min() && b == T(-1));
}

template <class T> void test(const char* type) {
  std::vector<T> a, b, quotient(48), rest(48);
  fill(a, b);
  cl_program program = guest::build(session->context, session->device, source(type).c_str());
  const std::size_t bytes = a.size() * sizeof(T);
  cl_int status = CL_SUCCESS;
  cl_mem buffers[4];
  void* const data[] = {a.data(), b.data(), quotient.data(), rest.data()};
  for (int i = 0; i < 4; ++i) {
    buffers[i] = clCreateBuffer(session->context, CL_MEM_COPY_HOST_PTR, bytes, data[i], &status);
    REQUIRE(status == CL_SUCCESS);
  }
  const struct {
    const char* kernel;
    std::size_t items;
  } runs[] = {{"width1", 48}, {"width2", 24}, {"width3", 16}, {"width4", 12},
              {"width8", 6},  {"width16", 3}, {"byZero", 48}, {"byMinusOne", 48}};
  for (const auto& run : runs) {
    cl_kernel kernel = guest::kernel(program, run.kernel);
    for (cl_uint i = 0; i < 4; ++i)
      REQUIRE(clSetKernelArg(kernel, i, sizeof buffers[i], &buffers[i]) == CL_SUCCESS);
    cl_event event = nullptr;
    REQUIRE(clEnqueueNDRangeKernel(session->queue, kernel, 1, nullptr, &run.items, nullptr, 0, nullptr, &event) ==
            CL_SUCCESS);
    status = clWaitForEvents(1, &event);
    if (status != CL_SUCCESS) std::fprintf(stderr, "%s %s failed\n", type, run.kernel);
    REQUIRE(status == CL_SUCCESS);
    clReleaseEvent(event);
    clReleaseKernel(kernel);
    if (run.kernel[0] != 'w') continue;
    for (int i = 2; i < 4; ++i)
      REQUIRE(clEnqueueReadBuffer(session->queue, buffers[i], CL_TRUE, 0, bytes, data[i], 0, nullptr, nullptr) ==
              CL_SUCCESS);
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!isDefined(a[i], b[i])) continue;
      REQUIRE(quotient[i] == T(a[i] / b[i]));
      REQUIRE(rest[i] == T(a[i] % b[i]));
    }
  }
  for (cl_mem buffer : buffers)
    clReleaseMemObject(buffer);
  clReleaseProgram(program);
}

} // namespace

int main() {
  guest::Session own;
  session = &own;
  test<std::int8_t>("char");
  test<std::uint8_t>("uchar");
  test<std::int16_t>("short");
  test<std::uint16_t>("ushort");
  test<std::int32_t>("int");
  test<std::uint32_t>("uint");
  test<std::int64_t>("long");
  test<std::uint64_t>("ulong");
  return 0;
}
