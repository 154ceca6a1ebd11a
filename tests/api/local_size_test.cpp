// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Versions of kernels for a local size. The driver is told to build them at the first launch, and to keep what it
// builds in a folder of this test's own.
#include "cached_builds.hpp"
#include "fixture.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <numeric>
#include <thread>

namespace clotho::test {

namespace {

constexpr const char* kSource = R"(
kernel void sums(global const int* in, global int* out, local int* data) {
  size_t l = get_local_id(0);
  data[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  size_t n = get_local_size(0);
  while (n > 1) {
    size_t middle = (n + 1) / 2;
    if (l + middle < n) data[l] += data[l + middle];
    barrier(CLK_LOCAL_MEM_FENCE);
    n = middle;
  }
  if (l == 0) out[get_group_id(0)] = data[0] * 1000 + (int)get_enqueued_local_size(0);
}
kernel void apart(global const int* in, global int* out) { out[get_global_id(0)] = in[get_global_id(0)]; }
kernel void by_groups(global const int* in, global int* out) {
  int i = get_group_id(0) * get_enqueued_local_size(0) + get_local_id(0);
  out[i] = in[get_global_id(0)] * 2;
}
kernel void lanes(global const int* in, global int* out) {
  int first = get_group_id(0) * get_enqueued_local_size(0), i = first + get_local_id(0);
  int lane = get_sub_group_id() * get_max_sub_group_size() + get_sub_group_local_id();
  out[i] = in[get_global_id(0)] + first * 1000 + lane * 10;
}
kernel void columns(global const int* in, global int* out, int width) {
  int i = get_global_id(0);
  out[i] = in[i] + (i % width) * 100 + (i / width) * 10000;
}
kernel void rounds(global const int* in, global int* out, short first, ushort size, int end, long count, int factor) {
  int i = get_global_id(0), sum = in[i] * factor;
  for (int k = first; k < end; ++k)
    sum += k + i % size;
  for (long k = count; k > 0; k -= 2)
    sum += 1000;
  out[i] = sum;
}
)";

class LocalSizeTest : public Api {
 protected:
  static constexpr size_t kItems = 2520;

  static void SetUpTestSuite() {
    std::filesystem::remove_all(cacheFolder());
    Api::SetUpTestSuite();
  }
  void SetUp() override {
    Api::SetUp();
    // Each test has a program of its own, so that the driver knows nothing of it from another test.
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    program_ = buildProgram((kSource + ("// " + name)).c_str(), "-cl-std=CL3.0");
    numbers_.resize(kItems);
    std::iota(numbers_.begin(), numbers_.end(), 0);
    for (int& number : numbers_)
      number %= 7;
    in_ = makeBuffer(kItems * sizeof(int));
    ASSERT_EQ(clEnqueueWriteBuffer(queue_, in_, CL_TRUE, 0, kItems * sizeof(int), numbers_.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
  }
  Owned<cl_kernel> make(const char* name) {
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program_, name, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return kernel;
  }
  /// Each group's sum, and the size; the last group may be smaller.
  void check(cl_kernel kernel, size_t local) {
    Owned<cl_mem> out = makeBuffer(kItems * sizeof(int));
    cl_mem arguments[] = {in_, out};
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), &arguments[0]), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof(cl_mem), &arguments[1]), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 2, local * sizeof(int), nullptr), CL_SUCCESS);
    const size_t global = kItems;
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr), CL_SUCCESS);
    std::vector<int> sums((kItems + local - 1) / local), expected;
    ASSERT_EQ(clEnqueueReadBuffer(queue_, out, CL_TRUE, 0, sums.size() * sizeof(int), sums.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    for (size_t begin = 0; begin < kItems; begin += local) {
      const auto first = numbers_.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = numbers_.begin() + static_cast<std::ptrdiff_t>(std::min(begin + local, kItems));
      expected.push_back(std::accumulate(first, last, 0) * 1000 + static_cast<int>(local));
    }
    EXPECT_EQ(sums, expected) << "local size " << local;
  }
  /// What `count` work-items from the offset on write.
  std::vector<int> runAt(cl_kernel kernel, size_t offset, size_t count, size_t local) {
    Owned<cl_mem> out = makeBuffer(kItems * sizeof(int));
    cl_mem arguments[] = {in_, out};
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), &arguments[0]), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof(cl_mem), &arguments[1]), CL_SUCCESS);
    EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, &offset, &count, &local, 0, nullptr, nullptr), CL_SUCCESS);
    std::vector<int> results(count);
    EXPECT_EQ(clEnqueueReadBuffer(queue_, out, CL_TRUE, 0, count * sizeof(int), results.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    return results;
  }

  Owned<cl_program> program_;
  Owned<cl_mem> in_;
  std::vector<int> numbers_;
};

TEST_F(LocalSizeTest, EachSizeHasAVersion) {
  Owned<cl_kernel> kernel = make("sums");
  const auto general = cachedBuilds();
  check(kernel, 8);
  EXPECT_EQ(cachedBuilds(), general + 1);
  check(kernel, 8);
  EXPECT_EQ(cachedBuilds(), general + 1) << "it was there";
  check(kernel, 36);
  EXPECT_EQ(cachedBuilds(), general + 2);
  // Other kernel objects share them.
  Owned<cl_kernel> other = make("sums");
  check(other, 36);
  EXPECT_EQ(cachedBuilds(), general + 2);
}

TEST_F(LocalSizeTest, SizesInTurn) {
  Owned<cl_kernel> kernel = make("sums");
  for (int round = 0; round < 3; ++round)
    for (const size_t local : {1, 2, 7, 8, 35, 64, 100, 128, 252, 256, 360, 1000})
      check(kernel, local);
}

TEST_F(LocalSizeTest, VersionsAreFew) {
  Owned<cl_kernel> kernel = make("sums");
  const auto general = cachedBuilds();
  for (size_t local = 1; local <= 20; ++local)
    check(kernel, local);
  EXPECT_LE(cachedBuilds(), general + 8);
}

TEST_F(LocalSizeTest, KernelsThatKnowNothingOfGroupsHaveNone) {
  Owned<cl_kernel> kernel = make("apart");
  Owned<cl_mem> out = makeBuffer(kItems * sizeof(int));
  cl_mem arguments[] = {in_, out};
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), &arguments[0]), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof(cl_mem), &arguments[1]), CL_SUCCESS);
  const auto general = cachedBuilds();
  const size_t global = kItems, local = 8;
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(cachedBuilds(), general);
}

// Group and local id make the global id only of launches without an offset.
TEST_F(LocalSizeTest, OffsetsAreNotPartOfGroupIds) {
  Owned<cl_kernel> kernel = make("by_groups");
  const size_t local = 40, count = kItems / 2;
  const auto general = cachedBuilds();
  for (const size_t offset : {size_t{0}, size_t{3}, size_t{0}, count}) {
    const std::vector<int> results = runAt(kernel, offset, count, local);
    std::vector<int> expected(count);
    for (size_t i = 0; i < count; ++i)
      expected[i] = numbers_[offset + i] * 2;
    EXPECT_EQ(results, expected) << "offset " << offset;
    EXPECT_EQ(cachedBuilds(), general + 1) << "only launches without an offset want a version, and one";
  }
}

// One version of a kernel with sub-groups serves launches with and without an offset.
TEST_F(LocalSizeTest, VersionsWithSubGroupsTakeOffsets) {
  Owned<cl_kernel> kernel = make("lanes");
  const size_t local = 40, count = kItems / 2;
  const auto general = cachedBuilds();
  for (const size_t offset : {size_t{3}, size_t{0}, count, size_t{3}}) {
    const std::vector<int> results = runAt(kernel, offset, count, local);
    std::vector<int> expected(count);
    for (size_t i = 0; i < count; ++i)
      expected[i] = numbers_[offset + i] + static_cast<int>(i / local * local * 1000 + i % local * 10);
    EXPECT_EQ(results, expected) << "offset " << offset;
    EXPECT_EQ(cachedBuilds(), general + 1);
  }
}

// Launches in one dimension of a kernel that divides its ids by an argument have a version for all arguments that
// divide their size, and one for those that do not.
TEST_F(LocalSizeTest, RowsOfAnArgument) {
  Owned<cl_kernel> kernel = make("columns");
  Owned<cl_mem> out = makeBuffer(kItems * sizeof(int));
  cl_mem arguments[] = {in_, out};
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), &arguments[0]), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof(cl_mem), &arguments[1]), CL_SUCCESS);
  const auto run = [&](cl_int width, size_t offset) {
    ASSERT_EQ(clSetKernelArg(kernel, 2, sizeof width, &width), CL_SUCCESS);
    const size_t global = kItems - offset;
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, &offset, &global, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    std::vector<int> results(kItems), expected(kItems);
    ASSERT_EQ(clEnqueueReadBuffer(queue_, out, CL_TRUE, 0, kItems * sizeof(int), results.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    for (int i = 0; i < static_cast<int>(kItems); ++i)
      expected[static_cast<size_t>(i)] = numbers_[static_cast<size_t>(i)] + i % width * 100 + i / width * 10000;
    EXPECT_TRUE(std::equal(results.begin() + static_cast<std::ptrdiff_t>(offset), results.end(),
                           expected.begin() + static_cast<std::ptrdiff_t>(offset)))
        << width << ", from " << offset << " on";
  };
  for (const cl_int width : {3, 4, 5, 6}) // after which there are no more versions for values
    run(width, 0);
  const auto general = cachedBuilds();
  for (const cl_int width : {-36, 7, 31, 601, 2520, 100000})
    run(width, 0);
  run(36, 36);
  EXPECT_EQ(cachedBuilds(), general) << "none of these launches has rows";
  for (const cl_int width : {36, 40, 63, 1260, -63, 36})
    run(width, 0);
  run(36, 360);
  EXPECT_EQ(cachedBuilds(), general + 1);
  for (const cl_int width : {37, 100, 36, 101})
    run(width, 0);
  EXPECT_EQ(cachedBuilds(), general + 2) << "and one whose last row is not whole";
}

// Launches of a kernel whose loops go by arguments have a version for the values of these, up to four of a kernel; what
// all arguments have too large for a loop that is unrolled, has none.
TEST_F(LocalSizeTest, ValuesOfArguments) {
  Owned<cl_kernel> kernel = make("rounds");
  Owned<cl_mem> out = makeBuffer(kItems * sizeof(int));
  cl_mem arguments[] = {in_, out};
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), &arguments[0]), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof(cl_mem), &arguments[1]), CL_SUCCESS);
  const auto run = [&](cl_short first, cl_ushort size, cl_int end, cl_long count, cl_int factor) {
    ASSERT_EQ(clSetKernelArg(kernel, 2, sizeof first, &first), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 3, sizeof size, &size), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 4, sizeof end, &end), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 5, sizeof count, &count), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 6, sizeof factor, &factor), CL_SUCCESS);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &kItems, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    std::vector<int> results(kItems), expected(kItems);
    ASSERT_EQ(clEnqueueReadBuffer(queue_, out, CL_TRUE, 0, kItems * sizeof(int), results.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    for (size_t i = 0; i < kItems; ++i) {
      int sum = numbers_[i] * factor;
      for (int k = first; k < end; ++k)
        sum += k + static_cast<int>(i) % size;
      for (cl_long k = count; k > 0; k -= 2)
        sum += 1000;
      expected[i] = sum;
    }
    EXPECT_EQ(results, expected) << first << ", " << size << ", " << end << ", " << count << ", " << factor;
  };
  const auto general = cachedBuilds();
  run(-3, 7, 5, 6, 2);
  EXPECT_EQ(cachedBuilds(), general + 1);
  run(-3, 7, 5, 6, 3);
  run(-3, 7, 5, 6, 1000000);
  EXPECT_EQ(cachedBuilds(), general + 1) << "nothing goes by the last one";
  run(-1280, 65535, -1, std::numeric_limits<cl_long>::min(), 1);
  EXPECT_EQ(cachedBuilds(), general + 1) << "these are too large";
  run(-1280, 40000, -1, 3, 1);
  run(127, 1, 130, -1, 1);
  run(0, 2520, 1, 0, 1);
  EXPECT_EQ(cachedBuilds(), general + 4);
  for (int i = 1; i < 20; ++i)
    run(static_cast<cl_short>(i), static_cast<cl_ushort>(2 * i), 2 * i, i % 5, i);
  run(-3, 7, 5, 6, 2);
  EXPECT_EQ(cachedBuilds(), general + 4);
}

// A program may be built for each device by options of its own, so that its kernels want values of other arguments.
TEST_F(LocalSizeTest, DevicesThatWantOtherValues) {
  const cl_device_partition_property byCounts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1,
                                                   CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  cl_device_id parts[2] = {};
  if (clCreateSubDevices(device_, byCounts, 2, parts, nullptr) != CL_SUCCESS) GTEST_SKIP() << "one processor";
  cl_int error = CL_SUCCESS;
  const Owned<cl_context> context(clCreateContext(nullptr, 2, parts, nullptr, nullptr, &error));
  ASSERT_EQ(error, CL_SUCCESS);
  const char* source = R"(
kernel void choose(global int* out, int a, int b, int c) {
  int sum = 0;
#ifdef FIRST
  for (int k = 0; k < a; ++k) sum += k + b * c;
#else
  for (int k = 0; k < b; ++k) for (int m = 0; m < c; ++m) sum += k * m + a;
#endif
  out[get_global_id(0)] = sum;
})";
  const Owned<cl_program> program(clCreateProgramWithSource(context, 1, &source, nullptr, &error));
  ASSERT_EQ(error, CL_SUCCESS);
  ASSERT_EQ(clBuildProgram(program, 1, &parts[0], "-DFIRST", nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clBuildProgram(program, 1, &parts[1], "", nullptr, nullptr), CL_SUCCESS);
  const Owned<cl_kernel> kernel(clCreateKernel(program, "choose", &error));
  ASSERT_EQ(error, CL_SUCCESS);
  const Owned<cl_mem> out(clCreateBuffer(context, CL_MEM_READ_WRITE, 64 * sizeof(int), nullptr, &error));
  ASSERT_EQ(error, CL_SUCCESS);
  for (const int a : {3, 5}) {
    const cl_mem buffer = out;
    const cl_int numbers[] = {a, 4, 7};
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS);
    for (cl_uint i = 0; i < 3; ++i)
      ASSERT_EQ(clSetKernelArg(kernel, i + 1, sizeof(cl_int), &numbers[i]), CL_SUCCESS);
    for (int part = 0; part < 2; ++part) {
      const Owned<cl_command_queue> queue(clCreateCommandQueueWithProperties(context, parts[part], nullptr, &error));
      ASSERT_EQ(error, CL_SUCCESS);
      const size_t count = 64;
      ASSERT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &count, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
      std::vector<int> results(count);
      ASSERT_EQ(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, count * sizeof(int), results.data(), 0, nullptr, nullptr),
                CL_SUCCESS);
      const int expected = part == 0 ? a * (a - 1) / 2 + a * 28 : 6 * 21 + 28 * a;
      EXPECT_EQ(results, std::vector<int>(count, expected)) << "part " << part << ", " << a;
    }
  }
  for (cl_device_id part : parts)
    EXPECT_EQ(clReleaseDevice(part), CL_SUCCESS);
}

// What the program says of the kernel is what queries answer.
TEST_F(LocalSizeTest, QueriesKnowOfNone) {
  Owned<cl_kernel> kernel = make("sums");
  check(kernel, 8);
  size_t required[3] = {1, 1, 1};
  ASSERT_EQ(
      clGetKernelWorkGroupInfo(kernel, device_, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, required, nullptr),
      CL_SUCCESS);
  EXPECT_EQ(required[0], 0U);
  check(kernel, 9);
}

TEST_F(LocalSizeTest, ThreadsWithSizesOfTheirOwn) {
  std::vector<std::thread> threads;
  for (const size_t local : {4, 16, 24, 60})
    threads.emplace_back([this, local] {
      Owned<cl_kernel> kernel = make("sums");
      for (int i = 0; i < 20; ++i)
        check(kernel, local);
    });
  for (std::thread& thread : threads)
    thread.join();
}

} // namespace
} // namespace clotho::test
