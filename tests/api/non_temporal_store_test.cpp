// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches that write more than the caches hold, and so past them.
#include "fixture.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace clotho::test {

namespace {

constexpr const char* kSource = R"(
  kernel void words(global uint* out) { out[get_global_id(0)] = (uint)get_global_id(0) * 2654435761u; }
  kernel void bytes(global uchar* out) { out[get_global_id(0)] = (uchar)(get_global_id(0) * 7); }
  kernel void fours(global uint4* out) { out[get_global_id(0)] = (uint)get_global_id(0) * 4 + (uint4)(0, 1, 2, 3); }
  kernel void rows(global uint* out, uint pitch) {
    const uint x = get_global_id(0), y = get_global_id(1);
    if (x % 1000 == 999) return;
    out[y * pitch + x] = x ^ y;
  }
  kernel void back(global uint* out, global const uint* same) {
    const size_t i = get_global_id(0);
    out[i] = same[i] + 1;
  }
)";

class NonTemporalStoreTest : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    program_ = buildProgram(kSource);
    const auto cache = valueAnswer<cl_ulong>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE));
    const auto most = valueAnswer<cl_ulong>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
    // Whole pages, and a little: the last lines are not whole.
    size_ = static_cast<size_t>(cache) / 4096 * 4096 + 8192 + 48;
    if (size_ > most / 4 || size_ > (size_t{1} << 30)) GTEST_SKIP() << "caches of " << cache << " bytes";
    memory_ = makeBuffer(size_);
  }
  /// `first`: the byte at which the kernel's memory begins.
  void run(const char* name, size_t first, const std::vector<size_t>& global, cl_uint pitch = 0,
           const std::vector<size_t>& local = {}) {
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program_, name, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    const cl_buffer_region region = {first, size_ - first};
    Owned<cl_mem> part = clCreateSubBuffer(memory_, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    cl_mem handle = part;
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof handle, &handle), CL_SUCCESS);
    if (pitch) ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof pitch, &pitch), CL_SUCCESS);
    if (std::string(name) == "back") ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof handle, &handle), CL_SUCCESS);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, static_cast<cl_uint>(global.size()), nullptr, global.data(),
                                     local.empty() ? nullptr : local.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
  }
  template <class T> std::vector<T> contents(size_t first, size_t count) {
    std::vector<T> result(count);
    EXPECT_EQ(
        clEnqueueReadBuffer(queue_, memory_, CL_TRUE, first, count * sizeof(T), result.data(), 0, nullptr, nullptr),
        CL_SUCCESS);
    return result;
  }
  /// The first that is not what it must be; `count` where all are.
  template <class T, class F> static size_t firstWrong(const std::vector<T>& values, F&& wanted) {
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i] != static_cast<T>(wanted(i))) return i;
    return values.size();
  }

  Owned<cl_program> program_;
  Owned<cl_mem> memory_;
  size_t size_ = 0;
};

TEST_F(NonTemporalStoreTest, EveryElementOfLongBuffersIsWritten) {
  const auto word = [](size_t i) { return static_cast<uint32_t>(i) * 2654435761U; };
  const size_t aligned = valueAnswer<cl_uint>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MEM_BASE_ADDR_ALIGN)) / 8;
  for (size_t offset : {size_t{0}, aligned}) {
    const size_t words = (size_ - offset) / 4;
    run("words", offset, {words});
    EXPECT_EQ(firstWrong(contents<uint32_t>(offset, words), word), words) << offset;
  }
  run("bytes", 0, {size_});
  EXPECT_EQ(firstWrong(contents<uint8_t>(0, size_), [](size_t i) { return i * 7; }), size_);
  run("fours", 0, {size_ / 16});
  EXPECT_EQ(firstWrong(contents<uint32_t>(0, size_ / 4), [](size_t i) { return i; }), size_ / 4);
}

TEST_F(NonTemporalStoreTest, RowsThatBeginWithinLinesKeepWhatLiesBetween) {
  const cl_uint pitch = 2021, width = 2015;
  const size_t rows = size_ / 4 / pitch;
  cl_uint zero = 0;
  ASSERT_EQ(clEnqueueFillBuffer(queue_, memory_, &zero, sizeof zero, 0, size_ / 4 * 4, 0, nullptr, nullptr),
            CL_SUCCESS);
  run("rows", 0, {width, rows}, pitch, {403, 1}); // work-groups of several rows would write through the caches
  const auto values = contents<uint32_t>(0, rows * pitch);
  EXPECT_EQ(firstWrong(values,
                       [&](size_t i) {
                         const size_t x = i % pitch, y = i / pitch;
                         return x >= width || x % 1000 == 999 ? 0 : x ^ y;
                       }),
            values.size());
}

TEST_F(NonTemporalStoreTest, CommandsThatFollowSeeWhatWasWritten) {
  const size_t words = size_ / 4;
  run("words", 0, {words});
  for (int i = 0; i < 3; ++i)
    run("back", 0, {words});
  const auto wanted = [](size_t i) { return static_cast<uint32_t>(i) * 2654435761U + 3; };
  EXPECT_EQ(firstWrong(contents<uint32_t>(0, words), wanted), words);
}

} // namespace

} // namespace clotho::test
