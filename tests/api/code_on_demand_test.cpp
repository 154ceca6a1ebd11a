// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that is built when a launch needs it. The driver keeps what it builds in a folder of this test's own, where
// builds can be counted.
#include "cached_builds.hpp"
#include "fixture.hpp"

#include <fstream>
#include <numeric>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace clotho::test {

namespace {

/// This number of kernels of longSource makes a long program for every processor; code for AVX2 is shorter than for
/// AVX-512.
constexpr int kLong = 30;

/// Several kernels of some length, of which each runs its `switch` for nothing. Each is compiled as if its arguments
/// shared no memory.
std::string longSource(int kernels) {
  std::string source;
  for (int k = 0; k < kernels; ++k) {
    source +=
        "kernel void sums" + std::to_string(k) + R"((global const uint* a, global uint* c, int each, local uint* t) {
      int row = get_global_id(0) * each;
      t[get_local_id(0)] = row;
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int k = 0; k < each; ++k) {
        uint x = a[row + k];
        switch (x % 7) {)";
    for (int i = 0; i < 7; ++i)
      source +=
          "case " + std::to_string(i) + ": x = x * " + std::to_string(2 * i + 3) + " + a[row] / (x | 1); break;\n";
    source += "}\n c[row] += x * (uint)(each - 5) + a[row + k] + t[0] - t[0] + " + std::to_string(k) + "; } }\n";
  }
  return source;
}

class CodeOnDemandTest : public Api {
 protected:
  static constexpr size_t kItems = 256, kLocal = 64;
  static constexpr cl_int kEach = 5;

  void SetUp() override {
    Api::SetUp();
    if (IsSkipped()) return;
    std::filesystem::remove_all(cacheFolder());
  }

  Owned<cl_kernel> make(cl_program program, int number) {
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program, ("sums" + std::to_string(number)).c_str(), &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return kernel;
  }

  std::vector<cl_uint> numbers() const {
    std::vector<cl_uint> result(kItems * kEach);
    std::iota(result.begin(), result.end(), 1u);
    return result;
  }

  void launch(cl_kernel kernel, cl_mem a, cl_mem c) {
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof a, &a), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof c, &c), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 2, sizeof kEach, &kEach), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 3, kLocal * sizeof(cl_uint), nullptr), CL_SUCCESS);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &kItems, &kLocal, 0, nullptr, nullptr), CL_SUCCESS);
  }

  /// Launches it with buffers that are apart, or with one buffer twice, and compares what it does.
  void check(cl_kernel kernel, int number, bool isApart) {
    std::vector<cl_uint> words = numbers(), expected(words.size());
    Owned<cl_mem> a = makeBuffer(words.size() * 4, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, words.data());
    Owned<cl_mem> c = makeBuffer(words.size() * 4, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, expected.data());
    launch(kernel, a, isApart ? c : a);
    if (!isApart) expected = words;
    for (size_t row = 0; row < expected.size(); row += kEach)
      for (size_t k = 0; k < kEach; ++k)
        expected[row] += (isApart ? words : expected)[row + k] + static_cast<cl_uint>(number);
    std::vector<cl_uint> result(words.size());
    ASSERT_EQ(
        clEnqueueReadBuffer(queue_, isApart ? c : a, CL_TRUE, 0, result.size() * 4, result.data(), 0, nullptr, nullptr),
        CL_SUCCESS);
    EXPECT_EQ(result, expected);
  }
};

TEST_F(CodeOnDemandTest, KernelsOfLongProgramsAreBuiltWhenTheyAreLaunched) {
  constexpr int kKernels = kLong;
  Owned<cl_program> program = buildProgram(longSource(kKernels).c_str());
  EXPECT_EQ(cachedBuilds(), 1);
  std::vector<Owned<cl_kernel>> kernels;
  for (int k = 0; k < kKernels; ++k) {
    kernels.push_back(make(program, k));
    size_t most = 0;
    ASSERT_EQ(clGetKernelWorkGroupInfo(kernels.back(), device_, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, nullptr),
              CL_SUCCESS);
    EXPECT_GE(most, kLocal);
  }
  EXPECT_EQ(cachedBuilds(), 1);
  check(kernels[3], 3, true);
  EXPECT_EQ(cachedBuilds(), 2);
  check(kernels[3], 3, true);
  check(make(program, 3), 3, true); // another kernel object
  EXPECT_EQ(cachedBuilds(), 2);
  check(kernels[7], 7, true);
  EXPECT_EQ(cachedBuilds(), 3);
}

TEST_F(CodeOnDemandTest, ArgumentsThatShareMemoryHaveCodeOfTheirOwn) {
  for (const int kernels : {1, kLong}) {
    std::filesystem::remove_all(cacheFolder());
    Owned<cl_program> program = buildProgram(longSource(kernels).c_str());
    Owned<cl_kernel> kernel = make(program, 0);
    check(kernel, 0, true);
    const auto before = cachedBuilds();
    check(kernel, 0, false);
    EXPECT_EQ(cachedBuilds(), before + 1);
    check(kernel, 0, false);
    check(kernel, 0, true);
    EXPECT_EQ(cachedBuilds(), before + 1);
  }
}

TEST_F(CodeOnDemandTest, BinariesOfLongPrograms) {
  Owned<cl_program> program = buildProgram(longSource(kLong).c_str());
  size_t size = 0;
  ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr), CL_SUCCESS);
  ASSERT_GT(size, 0u);
  std::vector<unsigned char> binary(size);
  unsigned char* place = binary.data();
  ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof place, &place, nullptr), CL_SUCCESS);
  const unsigned char* given = binary.data();
  cl_int status = 1, ofBinary = 1;
  Owned<cl_program> other = clCreateProgramWithBinary(context_, 1, &device_, &size, &given, &ofBinary, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  ASSERT_EQ(ofBinary, CL_SUCCESS);
  ASSERT_EQ(clBuildProgram(other, 1, &device_, nullptr, nullptr, nullptr), CL_SUCCESS);
  check(make(other, 5), 5, true);
  check(make(other, 5), 5, false);
}

TEST_F(CodeOnDemandTest, ThreadsLaunchTheFirstTimeTogether) {
  Owned<cl_program> program = buildProgram(longSource(kLong).c_str());
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([&, number] { check(make(program, number / 2), number / 2, number % 2 == 0); });
  for (std::thread& thread : threads)
    thread.join();
}

// A launch that has begun keeps the code, whatever becomes of program and kernel.
TEST_F(CodeOnDemandTest, CodeLivesAsLongAsItsLaunches) {
  std::vector<cl_uint> words = numbers();
  Owned<cl_mem> a = makeBuffer(words.size() * 4, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, words.data());
  std::vector<cl_uint> zeros(words.size());
  Owned<cl_mem> c = makeBuffer(zeros.size() * 4, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, zeros.data());
  {
    Owned<cl_program> program = buildProgram(longSource(kLong).c_str());
    Owned<cl_kernel> kernel = make(program, 1);
    for (int i = 0; i < 20; ++i)
      launch(kernel, a, i % 2 == 0 ? c : a);
  }
  // Launches with one buffer for both change the first element of each row, which later ones read.
  std::vector<cl_uint> expected(words.size()), result(words.size());
  for (int i = 0; i < 20; ++i)
    for (size_t row = 0; row < words.size(); row += kEach)
      for (size_t k = 0; k < kEach; ++k)
        (i % 2 == 0 ? expected : words)[row] += words[row + k] + 1;
  ASSERT_EQ(clEnqueueReadBuffer(queue_, c, CL_TRUE, 0, result.size() * 4, result.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(result, expected);
}

/// The compiler is started by a script that notes its process.
class FailingCompilerTest : public CodeOnDemandTest {
 protected:
  void SetUp() override { Api::SetUp(); }

  /// From here on builds find no memory.
  static void starveCompiler() {
    std::ifstream file(std::getenv("NOTED_COMPILER"));
    pid_t process = 0;
    ASSERT_TRUE(file >> process);
    const rlimit limit{1 << 20, 1 << 20};
    ASSERT_EQ(prlimit(process, RLIMIT_AS, &limit, nullptr), 0);
  }
};

TEST_F(FailingCompilerTest, BuildsThatFailAreNotRepeated) {
  Owned<cl_program> program = buildProgram(longSource(kLong).c_str());
  starveCompiler();
  Owned<cl_mem> a = makeBuffer(kItems * kEach * 4), c = makeBuffer(kItems * kEach * 4);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 4; ++i) {
    Owned<cl_kernel> kernel = make(program, 3);
    const cl_mem in = a, out = c;
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof in, &in), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof out, &out), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 2, sizeof kEach, &kEach), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 3, kLocal * sizeof(cl_uint), nullptr), CL_SUCCESS);
    EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &kItems, &kLocal, 0, nullptr, nullptr),
              CL_OUT_OF_RESOURCES);
  }
  const std::string log = testing::internal::GetCapturedStderr(), line = "cannot be built for a launch";
  const std::size_t first = log.find(line);
  ASSERT_NE(first, std::string::npos) << log;
  EXPECT_EQ(log.find(line, first + 1), std::string::npos) << log;
}

} // namespace

} // namespace clotho::test
