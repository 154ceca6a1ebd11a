// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of a device of all nodes, whose host has less than they have: CLOTHO_DEVICES=joint,
// CLOTHO_GLOBAL_MEMORY=96, CLOTHO_MAX_ALLOCATION=40 for the program alone.
#include "fixture.hpp"

namespace clotho::test {

namespace {

constexpr size_t kMiB = size_t{1} << 20;

class JointMemoryTest : public DeviceApi {
 protected:
  /// Asks for a buffer and its memory.
  cl_int makeLarge(Owned<cl_mem>& buffer) {
    cl_int status = CL_SUCCESS;
    const cl_uint zero = 0;
    buffer = Owned<cl_mem>(clCreateBuffer(context_, 0, 40 * kMiB, nullptr, &status));
    return status == CL_SUCCESS
               ? clEnqueueFillBuffer(queue_, buffer.get(), &zero, sizeof zero, 0, 4096, 0, nullptr, nullptr)
               : status;
  }
};

TEST_F(JointMemoryTest, IsNoMoreThanTheHostHas) {
  EXPECT_EQ(value<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE), cl_ulong{96} * kMiB);
  EXPECT_EQ(value<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE), cl_ulong{40} * kMiB);
  Owned<cl_mem> first, second, third;
  EXPECT_EQ(makeLarge(first), CL_SUCCESS);
  EXPECT_EQ(makeLarge(second), CL_SUCCESS);
  EXPECT_EQ(makeLarge(third), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  second = Owned<cl_mem>();
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(makeLarge(third), CL_SUCCESS) << "memory that is given back counts";
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
}

} // namespace
} // namespace clotho::test
