// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that the first build of a program leaves out, and that is built in the background once launches have earned it.
// The driver keeps what it builds in a folder of this test's own, where builds can be counted.
#include "cached_builds.hpp"
#include "fixture.hpp"

#include <chrono>
#include <numeric>
#include <string>
#include <vector>

namespace clotho::test {

namespace {

/// Rows of which several run at once have less to load.
constexpr const char* kSource = R"(
kernel void columns(global const int* a, global int* c, int width) {
  int x = get_global_id(0), y = get_global_id(1);
  int sum = y;
  for (int k = 0; k < width; ++k) sum += a[k * width + x];
  c[y * width + x] = sum;
}
kernel void swap(global const int* a, global int* c, int width) {
  local int all[64];
  size_t l = get_local_id(0), n = get_local_size(0);
  int x = a[get_global_id(0)];
  for (int k = 0; k < width; ++k) {
    all[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    x = all[n - 1 - l] + k;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[get_global_id(0)] = x;
}
kernel void plain(global const int* a, global int* c, int width) {
  int i = get_global_id(0);
  c[i] = a[i] + width;
}
)";

class FirstBuildTest : public Api {
 protected:
  static constexpr size_t kWidth = 64, kItems = kWidth * kWidth;

  void SetUp() override {
    Api::SetUp();
    if (IsSkipped()) return;
    std::filesystem::remove_all(cacheFolder());
    numbers_.resize(kItems);
    std::iota(numbers_.begin(), numbers_.end(), 1);
    in_ = makeBuffer(kItems * sizeof(cl_int), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, numbers_.data());
    out_ = makeBuffer(kItems * sizeof(cl_int));
  }

  /// Builds a program of its own for each test, so that the driver knows nothing of it from another test.
  Owned<cl_program> build(const char* options = "") {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    return buildProgram((kSource + ("// " + name)).c_str(), options);
  }

  Owned<cl_kernel> make(cl_program program, const char* name) {
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program, name, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    const cl_int width = kWidth;
    cl_mem in = in_, out = out_;
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof in, &in), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof out, &out), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 2, sizeof width, &width), CL_SUCCESS);
    return kernel;
  }

  void launchColumns(cl_kernel kernel) {
    const size_t global[2] = {kWidth, kWidth};
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 2, nullptr, global, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    std::vector<cl_int> result(kItems), expected(kItems);
    ASSERT_EQ(
        clEnqueueReadBuffer(queue_, out_, CL_TRUE, 0, kItems * sizeof(cl_int), result.data(), 0, nullptr, nullptr),
        CL_SUCCESS);
    for (size_t x = 0; x < kWidth; ++x) {
      cl_int sum = 0;
      for (size_t k = 0; k < kWidth; ++k)
        sum += numbers_[k * kWidth + x];
      for (size_t y = 0; y < kWidth; ++y)
        expected[y * kWidth + x] = sum + static_cast<cl_int>(y);
    }
    ASSERT_EQ(result, expected);
  }

  std::vector<cl_int> numbers_;
  Owned<cl_mem> in_, out_;
};

TEST_F(FirstBuildTest, FasterCodeIsBuiltOnceLaunchesHaveEarnedIt) {
  Owned<cl_program> program = build();
  ASSERT_EQ(cachedBuilds(), 1);
  Owned<cl_kernel> kernel = make(program, "columns");
  launchColumns(kernel);
  EXPECT_EQ(cachedBuilds(), 1);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (cachedBuilds() == 1 && std::chrono::steady_clock::now() < end)
    launchColumns(kernel);
  EXPECT_GE(cachedBuilds(), 2);
  // On trial, and then in use.
  for (int i = 0; i < 100; ++i)
    launchColumns(kernel);
}

/// The first build has one function for full rows and others. The local size is no multiple of what vectors have lanes.
TEST_F(FirstBuildTest, CodeForFullRowsIsBuiltOnceLaunchesHaveEarnedIt) {
  Owned<cl_program> program = build("-clotho-width=8"); // which there is no search for
  Owned<cl_kernel> kernel = make(program, "plain");
  std::vector<cl_int> result(kItems), expected = numbers_;
  for (cl_int& number : expected)
    number += static_cast<cl_int>(kWidth);
  const auto launch = [&] {
    const cl_int nothing = 0;
    ASSERT_EQ(
        clEnqueueFillBuffer(queue_, out_, &nothing, sizeof nothing, 0, kItems * sizeof(cl_int), 0, nullptr, nullptr),
        CL_SUCCESS);
    const size_t items = kItems - 1, one = 1, local = 45; // 91 groups, and one work-item
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &local, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, &items, &one, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(
        clEnqueueReadBuffer(queue_, out_, CL_TRUE, 0, kItems * sizeof(cl_int), result.data(), 0, nullptr, nullptr),
        CL_SUCCESS);
    ASSERT_EQ(result, expected);
  };
  launch();
  EXPECT_EQ(cachedBuilds(), 1);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  const size_t items = kItems;
  while (cachedBuilds() == 1 && std::chrono::steady_clock::now() < end) {
    for (int i = 0; i < 1000; ++i)
      ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  }
  EXPECT_EQ(cachedBuilds(), 2);
  for (int i = 0; i < 100; ++i)
    launch();
}

TEST_F(FirstBuildTest, FewShortLaunchesBuildNothing) {
  for (const bool isKnown : {false, true}) { // to the cache
    Owned<cl_program> program = build();
    ASSERT_EQ(cachedBuilds(), 1);
    Owned<cl_kernel> kernel = make(program, "swap");
    for (size_t local = 1; local <= 8; local *= 2) {
      const size_t items = 16;
      ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &local, 0, nullptr, nullptr), CL_SUCCESS);
    }
    ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
    EXPECT_EQ(cachedBuilds(), 1) << isKnown;
  }
}

/// There are versions for a few local sizes alone.
TEST_F(FirstBuildTest, ManyLocalSizesHaveFasterCodeInCommon) {
  Owned<cl_program> program = build();
  Owned<cl_kernel> kernel = make(program, "swap");
  const auto launch = [&](size_t local) {
    const size_t items = kItems / local * local;
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &local, 0, nullptr, nullptr), CL_SUCCESS);
  };
  for (size_t local = 3; local < 13; ++local)
    launch(local);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  ASSERT_EQ(cachedBuilds(), 1);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (cachedBuilds() == 1 && std::chrono::steady_clock::now() < end) {
    launch(13);
    ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  }
  EXPECT_EQ(cachedBuilds(), 2);
}

TEST_F(FirstBuildTest, WhatNothingIsLeftOutOfIsBuiltOnce) {
  Owned<cl_program> program = build("-clotho-width=1"); // so that there are no lanes to mask
  Owned<cl_kernel> kernel = make(program, "plain");
  const size_t items = kItems;
  for (int i = 0; i < 2000; ++i)
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(cachedBuilds(), 1);
}

} // namespace

} // namespace clotho::test
