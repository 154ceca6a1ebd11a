// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fixture.hpp"

#include <array>
#include <cstdint>

namespace clotho::test {
namespace {

/// docs/built_in_kernels.md says what the kernels take and do.
class BuiltInKernelTest : public DeviceApi {
 protected:
  Owned<cl_program> make(const char* names, cl_int* status = nullptr) {
    cl_int code = 1;
    Owned<cl_program> program(clCreateProgramWithBuiltInKernels(context_, 1, &device_, names, &code));
    EXPECT_EQ(program.get() != nullptr, code == CL_SUCCESS);
    if (status)
      *status = code;
    else
      EXPECT_EQ(code, CL_SUCCESS);
    return program;
  }
  Owned<cl_kernel> makeBuiltIn(const char* name) {
    Owned<cl_program> program = make(name);
    cl_int code = 1;
    Owned<cl_kernel> kernel(clCreateKernel(program, name, &code));
    EXPECT_EQ(code, CL_SUCCESS);
    return kernel;
  }
  template <class T> void set(cl_kernel kernel, cl_uint index, const T& value) {
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof value, &value), CL_SUCCESS);
  }
  std::vector<cl_uint> read(cl_mem buffer, std::size_t count) {
    std::vector<cl_uint> result(count);
    EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, count * 4, result.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    return result;
  }

  static constexpr const char* kRandom = "clotho_random_philox_4x32";
  static constexpr const char* kTranspose = "clotho_transpose_32";
};

TEST_F(BuiltInKernelTest, TheDeviceNamesThem) {
  EXPECT_EQ(text(CL_DEVICE_BUILT_IN_KERNELS), std::string(kRandom) + ";" + kTranspose);
  const auto versions = list<cl_name_version>(CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION);
  ASSERT_EQ(versions.size(), 2u);
  EXPECT_STREQ(versions[0].name, kRandom);
  EXPECT_STREQ(versions[1].name, kTranspose);
  EXPECT_EQ(versions[1].version, CL_MAKE_VERSION(1, 0, 0));
}

TEST_F(BuiltInKernelTest, OnlyKnownNames) {
  for (const char* names : {"anything", "", ";", "clotho_transpose_32;", ";clotho_transpose_32", "clotho_transpose_3",
                            "clotho_transpose_32;anything", "clotho_transpose_32,clotho_random_philox_4x32"}) {
    cl_int status = 1;
    make(names, &status);
    EXPECT_EQ(status, CL_INVALID_VALUE) << names;
  }
}

TEST_F(BuiltInKernelTest, ProgramHasTheKernelsNamedAndNoSource) {
  const std::string names = std::string(kTranspose) + ";" + kRandom + ";" + kTranspose;
  Owned<cl_program> both = make(names.c_str()), one = make(kTranspose);
  EXPECT_EQ(valueAnswer<std::size_t>(CLOTHO_INFO(clGetProgramInfo, both, CL_PROGRAM_NUM_KERNELS)), 2u);
  EXPECT_EQ(textAnswer(CLOTHO_INFO(clGetProgramInfo, one, CL_PROGRAM_KERNEL_NAMES)), kTranspose);
  EXPECT_EQ(textAnswer(CLOTHO_INFO(clGetProgramInfo, one, CL_PROGRAM_SOURCE)), "");
  EXPECT_EQ(valueAnswer<cl_build_status>(CLOTHO_INFO(clGetProgramBuildInfo, one, device_, CL_PROGRAM_BUILD_STATUS)),
            CL_BUILD_SUCCESS);
  EXPECT_EQ(clBuildProgram(one, 0, nullptr, nullptr, nullptr, nullptr), CL_INVALID_OPERATION);
  EXPECT_EQ(clCompileProgram(one, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr), CL_INVALID_OPERATION);
  cl_int status = 1;
  EXPECT_EQ(clCreateKernel(one, kRandom, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_KERNEL_NAME);
}

TEST_F(BuiltInKernelTest, LargestGlobalSize) {
  Owned<cl_kernel> builtIn = makeBuiltIn(kTranspose), other = makeKernel("kernel void k() {}", "k");
  using Sizes = std::array<std::size_t, 3>;
  EXPECT_EQ(valueAnswer<Sizes>(CLOTHO_INFO(clGetKernelWorkGroupInfo, builtIn, device_, CL_KERNEL_GLOBAL_WORK_SIZE)),
            (Sizes{SIZE_MAX, SIZE_MAX, SIZE_MAX}));
  Sizes sizes{};
  EXPECT_EQ(clGetKernelWorkGroupInfo(other, device_, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof sizes, sizes.data(), nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(textAnswer(CLOTHO_INFO(clGetKernelArgInfo, builtIn, 1, CL_KERNEL_ARG_NAME)), "target_pitch");
}

TEST_F(BuiltInKernelTest, TransposesAnySizeWithAnyRange) {
  struct Case {
    cl_ulong rows, columns, sourcePitch, targetPitch;
    std::array<std::size_t, 2> global;
  };
  for (const Case& c :
       {Case{1, 1, 1, 1, {1, 1}}, Case{16, 16, 16, 16, {16, 1}}, Case{33, 70, 70, 33, {70, 3}},
        Case{70, 33, 40, 80, {5, 2}}, Case{128, 100, 101, 129, {128, 16}}, Case{15, 3, 3, 15, {7, 9}}}) {
    std::vector<cl_uint> in(c.rows * c.sourcePitch);
    for (std::size_t i = 0; i < in.size(); ++i)
      in[i] = static_cast<cl_uint>(i * 2654435761u);
    Owned<cl_mem> source = makeBuffer(in.size() * 4, CL_MEM_COPY_HOST_PTR, in.data());
    std::vector<cl_uint> expected(c.columns * c.targetPitch, 77);
    Owned<cl_mem> target = makeBuffer(expected.size() * 4, CL_MEM_COPY_HOST_PTR, expected.data());
    for (cl_ulong y = 0; y < c.rows; ++y)
      for (cl_ulong x = 0; x < c.columns; ++x)
        expected[x * c.targetPitch + y] = in[y * c.sourcePitch + x];

    Owned<cl_kernel> kernel = makeBuiltIn(kTranspose);
    set(kernel, 0, target.get());
    set(kernel, 1, c.targetPitch);
    set(kernel, 2, source.get());
    set(kernel, 3, c.sourcePitch);
    set(kernel, 4, c.rows);
    set(kernel, 5, c.columns);
    const std::array<std::size_t, 2> offset{c.rows % 3, c.columns % 5};
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 2, offset.data(), c.global.data(), nullptr, 0, nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(read(target, expected.size()), expected) << c.rows << " x " << c.columns;
  }
}

TEST_F(BuiltInKernelTest, RandomNumbersAreThePublishedOnes) {
  // Known answers of Philox 4x32-10 for counter and key zero, and for a key of the digits of pi, which the sequence of
  // another seed starts with; the others follow from them being functions of the counter alone.
  auto draw = [&](cl_ulong seed, cl_ulong first, cl_ulong count, std::size_t global) {
    Owned<cl_mem> numbers = makeBuffer((count + 1) * 4);
    const cl_uint guard = 77;
    EXPECT_EQ(clEnqueueFillBuffer(queue_, numbers, &guard, 4, 0, (count + 1) * 4, 0, nullptr, nullptr), CL_SUCCESS);
    Owned<cl_kernel> kernel = makeBuiltIn(kRandom);
    set(kernel, 0, numbers.get());
    set(kernel, 1, count);
    set(kernel, 2, seed);
    set(kernel, 3, first);
    EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    std::vector<cl_uint> drawn = read(numbers, count + 1);
    EXPECT_EQ(drawn.back(), guard);
    drawn.pop_back();
    return drawn;
  };
  EXPECT_EQ(draw(0, 0, 4, 1), (std::vector<cl_uint>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));

  const std::vector<cl_uint> all = draw(12345, 0, 1003, 64);
  for (cl_ulong first : {cl_ulong{1}, cl_ulong{2}, cl_ulong{3}, cl_ulong{500}, cl_ulong{1001}}) {
    for (cl_ulong count : {cl_ulong{1}, cl_ulong{2}, cl_ulong{6}, cl_ulong{399}}) {
      if (first + count > all.size()) continue;
      const std::vector<cl_uint> part = draw(12345, first, count, 7);
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
      EXPECT_EQ(part, std::vector<cl_uint>(begin, begin + static_cast<std::ptrdiff_t>(count))) << first << ' ' << count;
    }
  }
  EXPECT_NE(draw(12346, 0, 8, 1), draw(12345, 0, 8, 1));
}

TEST_F(BuiltInKernelTest, BinaryIsAnOrdinaryOne) {
  Owned<cl_program> program = make(kRandom);
  const auto size = valueAnswer<std::size_t>(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_BINARY_SIZES));
  ASSERT_GT(size, 0u);
  std::vector<unsigned char> bytes(size);
  unsigned char* place = bytes.data();
  ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof place, static_cast<void*>(&place), nullptr),
            CL_SUCCESS);
  const unsigned char* binary = bytes.data();
  cl_int status = 1;
  Owned<cl_program> again(clCreateProgramWithBinary(context_, 1, &device_, &size, &binary, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  ASSERT_EQ(clBuildProgram(again, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  Owned<cl_kernel> kernel(clCreateKernel(again, kRandom, &status));
  EXPECT_EQ(status, CL_SUCCESS);
}

} // namespace
} // namespace clotho::test
