// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers so large that indices of 32 bits wrap around within them.
#include "fixture.hpp"

#include <numeric>
#include <vector>

namespace clotho::test {

namespace {

constexpr const char* kSource = R"(
  kernel void around(global const uchar* in, global uchar* out, uint off) {
    out[get_global_id(0)] = in[(uint)get_global_id(0) + off];
  }
  kernel void behind(global const uchar* in, global uchar* out, uint off) {
    in += 1UL << 31;
    out[get_global_id(0)] = in[(int)((uint)get_global_id(0) + off)];
  }
  kernel __attribute__((reqd_work_group_size(64, 1, 1))) void required(global const uchar* in, global uchar* out,
                                                                       uint off) {
    out[get_global_id(0)] = in[(uint)get_global_id(0) + off];
  }
  kernel void withBarrier(global const uchar* in, global uchar* out, uint off) {
    local uchar copy[64];
    copy[get_local_id(0)] = in[(uint)get_global_id(0) + off];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = copy[get_local_id(0)];
  }
  kernel void withSubGroups(global const uchar* in, global uchar* out, uint off) {
    out[get_global_id(0)] = sub_group_any(0) + in[(uint)get_global_id(0) + off];
  }
  kernel void fill(global uchar* out, uint off) { out[(uint)get_global_id(0) + off] = (uchar)get_global_id(0); }
)";
constexpr size_t kItems = 64, kBefore = 29;
constexpr size_t kUnsigned = size_t{1} << 32;

class LargeMemoryTest : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    constexpr size_t kSize = kUnsigned + 4096;
    const auto most = valueAnswer<cl_ulong>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
    if (kSize > most) GTEST_SKIP() << "no buffer is larger than " << most << " bytes";
    program_ = buildProgram(kSource, "-cl-std=CL3.0");
    large_ = makeBuffer(kSize);
    small_ = makeBuffer(kItems);
  }
  Owned<cl_kernel> make(const char* name, const std::vector<cl_mem>& buffers, cl_uint off) {
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program_, name, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    cl_uint index = 0;
    for (cl_mem buffer : buffers)
      EXPECT_EQ(clSetKernelArg(kernel, index++, sizeof buffer, &buffer), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof off, &off), CL_SUCCESS);
    return kernel;
  }
  void run(cl_kernel kernel) {
    const size_t global = kItems;
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &global, 0, nullptr, nullptr), CL_SUCCESS);
  }
  void write(size_t at, const std::vector<cl_uchar>& bytes) {
    ASSERT_EQ(clEnqueueWriteBuffer(queue_, large_, CL_TRUE, at, bytes.size(), bytes.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
  }
  std::vector<cl_uchar> read(cl_mem buffer, size_t at, size_t count) {
    std::vector<cl_uchar> bytes(count);
    EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, at, count, bytes.data(), 0, nullptr, nullptr), CL_SUCCESS);
    return bytes;
  }
  static std::vector<cl_uchar> numbers(size_t from, size_t count) {
    std::vector<cl_uchar> result(count);
    std::iota(result.begin(), result.end(), static_cast<cl_uchar>(from));
    return result;
  }
  /// Work-items before the wrap are to find 0, 1, ... up to 2^32, and those behind it go on from zero.
  void reads(const char* name, cl_uint off) {
    SCOPED_TRACE(name);
    write(kUnsigned - kBefore, numbers(0, kBefore));
    write(kUnsigned, std::vector<cl_uchar>(64, 0xee));
    write(0, numbers(kBefore, kItems - kBefore));
    run(make(name, {large_, small_}, off));
    EXPECT_EQ(read(small_, 0, kItems), numbers(0, kItems));
  }

  Owned<cl_program> program_;
  Owned<cl_mem> large_, small_;
};

} // namespace

TEST_F(LargeMemoryTest, UnsignedIndicesWrapAround) {
  for (const char* name : {"around", "required", "withBarrier", "withSubGroups"})
    reads(name, static_cast<cl_uint>(kUnsigned - kBefore));
}

TEST_F(LargeMemoryTest, SignedIndicesWrapAround) {
  reads("behind", (cl_uint{1} << 31) - static_cast<cl_uint>(kBefore));
}

TEST_F(LargeMemoryTest, StoresWrapAround) {
  run(make("fill", {large_}, static_cast<cl_uint>(kUnsigned - kBefore)));
  EXPECT_EQ(read(large_, kUnsigned - kBefore, kBefore), numbers(0, kBefore));
  EXPECT_EQ(read(large_, 0, kItems - kBefore), numbers(kBefore, kItems - kBefore));
}

/// The kernel's pointer is to a part that is small.
TEST_F(LargeMemoryTest, PartOfLargeMemory) {
  cl_int status = 1;
  const cl_buffer_region region = {0, 4096};
  Owned<cl_mem> part = clCreateSubBuffer(large_, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  write(0, numbers(7, kItems));
  run(make("around", {part, small_}, 0));
  EXPECT_EQ(read(small_, 0, kItems), numbers(7, kItems));
}

} // namespace clotho::test
