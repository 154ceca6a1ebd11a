// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What environment variables change of what the driver says. They are read once, so every suite is a run of its own;
// CMakeLists.txt sets the variables.
#include "fixture.hpp"

namespace clotho::test {

namespace {

class EnvironmentTest : public Api {
 protected:
  template <class T> T value(cl_device_info name) {
    return valueAnswer<T>(CLOTHO_INFO(clGetDeviceInfo, device_, name));
  }
  std::string text(cl_device_info name) { return textAnswer(CLOTHO_INFO(clGetDeviceInfo, device_, name)); }
};

using OverridesTest = EnvironmentTest;

TEST_F(OverridesTest, DeviceIsAsTheVariablesSay) {
  EXPECT_EQ(text(CL_DEVICE_NAME), "Loom of the Fates");
  EXPECT_EQ(text(CL_DEVICE_VENDOR), "Zeus & Themis");
  EXPECT_EQ(value<cl_uint>(CL_DEVICE_VENDOR_ID), 0x10deu);
  EXPECT_EQ(value<cl_uint>(CL_DEVICE_MAX_CLOCK_FREQUENCY), 1234u);
  EXPECT_EQ(value<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS), 3u);
  EXPECT_EQ(value<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE), cl_ulong{96} << 20);
  EXPECT_EQ(value<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE), cl_ulong{40} << 20);
  EXPECT_EQ(value<cl_ulong>(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE), cl_ulong{40} << 20);
  EXPECT_EQ(value<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE), cl_ulong{192} << 10);
  EXPECT_EQ(value<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE), 4096u);
}

// The limits are not only said but kept.
TEST_F(OverridesTest, BuffersAreLimited) {
  cl_int status = 1;
  EXPECT_EQ(clCreateBuffer(context_, 0, (size_t{40} << 20) + 1, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_BUFFER_SIZE);
  Owned<cl_mem> first = makeBuffer(size_t{40} << 20), second = makeBuffer(size_t{40} << 20);
  cl_mem third = clCreateBuffer(context_, 0, size_t{40} << 20, nullptr, &status);
  if (status == CL_SUCCESS) {
    // Memory may be asked for no sooner than at the first use.
    cl_uint zero = 0;
    for (cl_mem buffer : {first.get(), second.get(), third})
      if (status == CL_SUCCESS)
        status = clEnqueueFillBuffer(queue_, buffer, &zero, sizeof zero, 0, size_t{40} << 20, 0, nullptr, nullptr);
    EXPECT_EQ(clReleaseMemObject(third), CL_SUCCESS);
  }
  EXPECT_EQ(status, CL_MEM_OBJECT_ALLOCATION_FAILURE);
}

TEST_F(OverridesTest, LocalMemoryIsLimited) {
  Owned<cl_kernel> kernel = makeKernel("kernel void k(local int* l, global int* g) {"
                                       " l[get_local_id(0) * 12288] = get_local_id(0); barrier(CLK_LOCAL_MEM_FENCE);"
                                       " g[get_local_id(0)] = l[get_local_id(0) * 12288]; }",
                                       "k");
  Owned<cl_mem> buffer = makeBuffer(16);
  cl_mem raw = buffer;
  ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof raw, &raw), CL_SUCCESS);
  size_t four = 4;
  ASSERT_EQ(clSetKernelArg(kernel, 0, (192 << 10) + 1, nullptr), CL_SUCCESS);
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &four, &four, 0, nullptr, nullptr), CL_OUT_OF_RESOURCES);
  ASSERT_EQ(clSetKernelArg(kernel, 0, 192 << 10, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &four, &four, 0, nullptr, nullptr), CL_SUCCESS);
  cl_int seen[4] = {};
  EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, sizeof seen, seen, 0, nullptr, nullptr), CL_SUCCESS);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(seen[i], i);
}

} // namespace

} // namespace clotho::test
