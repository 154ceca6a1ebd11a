// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fixture.hpp"

#include <algorithm>
#include <numeric>

namespace clotho::test {
namespace {

/// cl_khr_initialize_memory. Debian's headers lack the bits.
class InitializeMemoryTest : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    CLOTHO_NEEDS(claims("cl_khr_initialize_memory"));
  }

  static constexpr cl_context_properties kLocal = 1, kPrivate = 2;

  void use(cl_context_properties bits) {
    const cl_context_properties list[] = {CL_CONTEXT_MEMORY_INITIALIZE_KHR, bits, 0};
    cl_int status = 1;
    queue_ = {};
    context_ = Owned<cl_context>(clCreateContext(list, 1, &device_, nullptr, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    queue_ = makeQueue();
  }
  std::vector<cl_uint> run(cl_kernel kernel, std::size_t items, std::size_t local) {
    const std::vector<cl_uint> before(items, 77);
    Owned<cl_mem> out = makeBuffer(items * 4, CL_MEM_COPY_HOST_PTR, const_cast<cl_uint*>(before.data()));
    const cl_mem raw = out;
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof raw, static_cast<const void*>(&raw)), CL_SUCCESS);
    EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &local, 0, nullptr, nullptr), CL_SUCCESS);
    std::vector<cl_uint> result(items);
    EXPECT_EQ(clEnqueueReadBuffer(queue_, out, CL_TRUE, 0, items * 4, result.data(), 0, nullptr, nullptr), CL_SUCCESS);
    return result;
  }

  static constexpr const char* kSource = R"(
kernel void use_local(global uint* out, local uint* given) {
  local uint own[64];
  const uint l = get_local_id(0);
  const uint seen = own[l] | given[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  own[l] = given[l] = 0xffffffff;
  out[get_global_id(0)] = seen;
}
kernel void use_private(global uint* out) {
  const uint g = get_global_id(0);
  uint values[33], single;
  for (uint i = 0; i < 33; i++) if (i > out[g]) values[i] = g + 1;
  if (out[g] == 5) single = g;
  out[g] = values[g % 33] + single;
}
)";
};

TEST_F(InitializeMemoryTest, Property) {
  use(kLocal | kPrivate);
  const auto list = listAnswer<cl_context_properties>(CLOTHO_INFO(clGetContextInfo, context_, CL_CONTEXT_PROPERTIES));
  EXPECT_EQ(list, (std::vector<cl_context_properties>{CL_CONTEXT_MEMORY_INITIALIZE_KHR, kLocal | kPrivate, 0}));
  const cl_context_properties wrong[] = {CL_CONTEXT_MEMORY_INITIALIZE_KHR, 4, 0};
  cl_int status = 1;
  EXPECT_EQ(clCreateContext(wrong, 1, &device_, nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_PROPERTY);
}

TEST_F(InitializeMemoryTest, LocalMemoryOfEveryWorkGroupIsZero) {
  use(kLocal);
  Owned<cl_kernel> kernel = makeKernel(kSource, "use_local");
  ASSERT_EQ(clSetKernelArg(kernel, 1, 64 * 4, nullptr), CL_SUCCESS);
  for (int round = 0; round < 2; ++round)
    EXPECT_EQ(run(kernel, std::size_t{64} * 100, 64), std::vector<cl_uint>(64 * 100, 0));
}

TEST_F(InitializeMemoryTest, OtherContextsPayNothing) {
  // Without the property what a work-group has left is found by another, which shows that the test above tests.
  Owned<cl_kernel> kernel = makeKernel(kSource, "use_local");
  ASSERT_EQ(clSetKernelArg(kernel, 1, 64 * 4, nullptr), CL_SUCCESS);
  const std::vector<cl_uint> seen = run(kernel, std::size_t{64} * 100, 64);
  EXPECT_GT(std::count(seen.begin(), seen.end(), 0xffffffff), 0);
}

TEST_F(InitializeMemoryTest, PrivateVariablesAreZero) {
  use(kPrivate);
  for (const char* options : {"", "-cl-opt-disable"}) {
    Owned<cl_kernel> kernel = makeKernel(kSource, "use_private", options);
    // Every element of the array stays as it was, since 77 is more than any index.
    EXPECT_EQ(run(kernel, 1000, 50), std::vector<cl_uint>(1000, 0)) << options;
  }
}

TEST_F(InitializeMemoryTest, AndThroughALink) {
  use(kPrivate);
  Owned<cl_program> part = makeProgram(kSource);
  ASSERT_EQ(clCompileProgram(part, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  const cl_program inputs[] = {part};
  cl_int status = 1;
  Owned<cl_program> whole(clLinkProgram(context_, 0, nullptr, "", 1, inputs, nullptr, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_kernel> kernel(clCreateKernel(whole, "use_private", &status));
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(run(kernel, 1000, 50), std::vector<cl_uint>(1000, 0));
  EXPECT_EQ(textAnswer(CLOTHO_INFO(clGetProgramBuildInfo, whole, device_, CL_PROGRAM_BUILD_OPTIONS)), "");
}

} // namespace
} // namespace clotho::test
