// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs from SPIR-V as compilers of SYCL, HIP and Julia write it, whether or not the validator knows it: each kernel
// at several widths, on one buffer.
#include "il_programs.hpp"

#include <algorithm>
#include <numeric>

namespace clotho::test {

namespace {

using Words = std::vector<std::uint32_t>;

class IlProducersTest : public IlApi {
 protected:
  static constexpr const char* kOptions[] = {"", "-clotho-width=1", "-clotho-width=8", "-cl-opt-disable"};

  Owned<cl_program> build(const char* name, const char* options) {
    Owned<cl_program> program = makeIlProgram(module(name));
    EXPECT_EQ(clBuildProgram(program, 0, nullptr, options, nullptr, nullptr), CL_SUCCESS) << buildLog(program);
    return program;
  }

  /// What so many work-items, all in one work-group, make of the words.
  Words run(cl_program program, const char* name, Words words, size_t items) {
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program, name, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    Owned<cl_mem> buffer = makeBuffer(words.size() * sizeof(cl_uint), CL_MEM_COPY_HOST_PTR, words.data());
    cl_mem raw = buffer;
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
    EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &items, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, words.size() * sizeof(cl_uint), words.data(), 0, nullptr,
                                  nullptr),
              CL_SUCCESS);
    return words;
  }

  /// One work-item with a buffer of one word ends the command.
  void expectFailure(cl_program program, const char* name, cl_uint word) {
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program, name, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    Owned<cl_mem> buffer = makeBuffer(sizeof word, CL_MEM_COPY_HOST_PTR, &word);
    cl_mem raw = buffer;
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
    const size_t one = 1;
    Owned<cl_event> done;
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, nullptr, 0, nullptr, done.out()), CL_SUCCESS);
    cl_event event = done;
    EXPECT_EQ(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) << word;
  }

  /// Expects that one work-item turns `before` into `after` whatever the options are.
  void expect(const char* name, const Words& before, const Words& after) {
    for (const char* options : kOptions)
      EXPECT_EQ(run(build(name, options), "k", before, 1), after) << name << ' ' << options;
  }
};

Words numbers(size_t count, std::uint32_t first) {
  Words words(count);
  std::iota(words.begin(), words.end(), first);
  return words;
}

TEST_F(IlProducersTest, FastMathWithoutItsExtension) { expect("fast_math", {0x3f800000}, {0x40000000}); }

TEST_F(IlProducersTest, ShaderBesideBitInstructions) { expect("bit_reverse", {0x80000003}, {0xc0000001}); }

TEST_F(IlProducersTest, LoopControlsAndRepeatedPredecessors) {
  expect("loop_control", {0}, {10});
  expect("loop_control", {5}, {14});
}

TEST_F(IlProducersTest, AliasingScopes) {
  for (const char* options : kOptions) {
    const Owned<cl_program> program = build("aliasing", options);
    EXPECT_EQ(run(program, "own", numbers(64, 100), 64), numbers(64, 107)) << options;
    Words swapped = numbers(64, 7);
    std::ranges::reverse(swapped);
    EXPECT_EQ(run(program, "across", numbers(64, 0), 64), swapped) << options;
    EXPECT_EQ(run(program, "repeated", {5, 0, 0, 0, 0, 0, 0, 0, 0}, 1), (Words{5, 6, 7, 8, 9, 10, 11, 12, 0}))
        << options;
  }
}

TEST_F(IlProducersTest, BallotInOlderVersion) {
  constexpr cl_uint kWidths[] = {1, 8, 16};
  for (const cl_uint width : kWidths) {
    const std::string options = "-clotho-width=" + std::to_string(width);
    EXPECT_EQ(run(build("ballot", options.c_str()), "k", {0}, 64), Words{(1u << width) - 1});
  }
}

TEST_F(IlProducersTest, FunctionsOfLlvm) {
  expect("llvm_functions", Words(9, 5), {0xffffffff, 0xa0000000, 0x5f, 29, 0xfffffffd, 2, 1, 0xffffffff, 2});
}

TEST_F(IlProducersTest, DeviceVariablesInConstants) {
  for (const char* options : kOptions)
    EXPECT_EQ(run(build("late_constants", options), "k", Words(4), 4), (Words{1, 1, 1, 5})) << options;
}

TEST_F(IlProducersTest, StructuresThatPointToThemselves) {
  for (const char* options : kOptions)
    EXPECT_EQ(run(build("forward_pointers", options), "k", Words(2), 2), (Words{40, 7})) << options;
}

TEST_F(IlProducersTest, VariablesOfModules) {
  for (const char* options : kOptions)
    EXPECT_EQ(run(build("module_variables", options), "k", Words(32), 32), Words(32, 54342)) << options;
}

TEST_F(IlProducersTest, VectorsOfOddLength) {
  expect("odd_vectors", {0, 0, 0, 0, 0, 0, 77, 78}, {3, 3, 3, 4, 5, 9, 77, 78});
}

TEST_F(IlProducersTest, StorageClassesOfUnifiedMemory) { expect("usm_storage", {5, 0}, {12, 12}); }

TEST_F(IlProducersTest, InstructionsYoungerThanTheHeaders) {
  expect("later_extensions", {32, 9, 9, 9, 9, 9, 9}, {39, 0, 0x000f000f, 0x4040, 0x3f80, 0x3f82, 0x40400000});
}

TEST_F(IlProducersTest, SplitBarriersAndArrays) {
  Words swapped = numbers(64, 14);
  std::ranges::reverse(swapped);
  for (const char* options : kOptions)
    EXPECT_EQ(run(build("split_barrier", options), "k", numbers(64, 0), 64), swapped) << options;
}

TEST_F(IlProducersTest, ArraysOfLengthsKnownLate) {
  constexpr cl_uint kItems = 100;
  Words expected(kItems);
  for (cl_uint i = 0; i < kItems; ++i) {
    const cl_uint own = i + 3, length = (own & 15) + 1;
    expected[i] = 2000 * (length * own + length * (length - 1) / 2) + 7;
  }
  for (const char* options : kOptions) {
    const Owned<cl_program> program = build("dynamic_arrays", options);
    EXPECT_EQ(run(program, "k", numbers(kItems, 3), kItems), expected) << options;
    EXPECT_EQ(run(program, "long", {16384}, 1), Words{15}) << options; // 64 KiB
  }
}

TEST_F(IlProducersTest, ArraysThatAreTooLong) {
  CLOTHO_NEEDS(survivesFaults());
  for (const char* options : kOptions)
    for (const cl_uint length : {16385u, 0xffffffffu})
      expectFailure(build("dynamic_arrays", options), "long", length);
}

TEST_F(IlProducersTest, PredicatedAccesses) {
  Words expected(64);
  for (cl_uint i = 0; i < expected.size(); ++i)
    expected[i] = i % 2 == 0 ? i + 12 : 78;
  for (const char* options : kOptions)
    EXPECT_EQ(run(build("predicated_io", options), "k", numbers(64, 10), 64), expected) << options;
}

TEST_F(IlProducersTest, AtomicOperationsOf16Bits) {
  // The upper halves of p[0], p[2] and p[3] are not of the operations.
  const Words before = {0xabcd0000, 0, 0xabcd0000, 0xabcd447a, 0, 0},
              after = {0xabcd4280, 0x58005400, 0xabcd427c, 0xabcd0000, 0x54005400, 0x54005400};
  for (const char* options : kOptions)
    EXPECT_EQ(run(build("atomics_of_16_bits", options), "k", before, 64), after) << options;
}

TEST_F(IlProducersTest, DimensionsBeyondThree) { expect("beyond_dimensions", {9, 9, 9}, {1, 0, 1}); }

TEST_F(IlProducersTest, UntypedPointers) { expect("untyped_pointers", {5, 0, 0}, {12, 9, 12}); }

TEST_F(IlProducersTest, Bfloat16) { expect("bfloat16", {3, 0, 0, 0}, {3, 0x4080, 11, 5}); }

TEST_F(IlProducersTest, CallsThroughPointers) {
  Words expected(64);
  for (std::uint32_t i = 0; i < 64; ++i)
    expected[i] = i % 2 == 0 ? 4 * i : i + 200;
  for (const char* options : kOptions)
    EXPECT_EQ(run(build("function_pointers", options), "k", numbers(64, 0), 64), expected) << options;
}

TEST_F(IlProducersTest, VariablesOfLlvm) { expect("initialisers", {0}, {47}); }

TEST_F(IlProducersTest, DecorationsOfGlobalVariables) { expect("global_variables", {2, 0}, {2, 42}); }

// The work-item's stores before it aborts stay, those behind do not happen, and the command fails.
TEST_F(IlProducersTest, Aborts) {
  CLOTHO_NEEDS(survivesFaults());
  for (const char* options : kOptions) {
    SCOPED_TRACE(options);
    const Owned<cl_program> program = build("abort", options);
    EXPECT_EQ(run(program, "k", numbers(64, 4), 64), numbers(64, 12));
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program, "k", &status);
    ASSERT_EQ(status, CL_SUCCESS);
    const size_t items = 64;
    Words words = numbers(items, 0);
    Owned<cl_mem> buffer = makeBuffer(items * sizeof(cl_uint), CL_MEM_COPY_HOST_PTR, words.data());
    cl_mem raw = buffer;
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
    Owned<cl_event> done;
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &items, 0, nullptr, done.out()), CL_SUCCESS);
    cl_event event = done;
    EXPECT_EQ(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    ASSERT_EQ(
        clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, items * sizeof(cl_uint), words.data(), 0, nullptr, nullptr),
        CL_SUCCESS);
    EXPECT_EQ(words[3], 10u);
    for (cl_uint i = 0; i < items; ++i) {
      const cl_uint added = words[i] - i; // by others, which may have ended or not have begun
      EXPECT_TRUE(added == 0 || added == 7 || (added == 8 && i != 3)) << i << ": " << added;
    }
  }
}

// Kernels that ask for the primary size have the one of all kernels, even with a loop that may wait. Without progress
// of sub-groups, other kernels with such a loop have sub-groups of one work-item.
TEST_F(IlProducersTest, NamedSizesOfSubGroups) {
  constexpr size_t kItems = 50;
  for (const char* options : {"", "-clotho-width=1", "-clotho-width=8", "-cl-opt-disable", "-cl-no-subgroup-ifp"}) {
    SCOPED_TRACE(options);
    const Owned<cl_program> program = build("named_sub_groups", options);
    const Words usual = run(program, "usual", Words(kItems, 1), kItems);
    const cl_uint size = usual[0] >> 16;
    ASSERT_NE(size, 0u);
    for (const char* name : {"usual", "named", "waits"}) {
      const Words found = run(program, name, Words(kItems, 1), kItems);
      for (cl_uint i = 0; i < kItems; ++i)
        EXPECT_EQ(found[i], (size << 16 | i % size)) << name << ' ' << i;
    }
  }
}

TEST_F(IlProducersTest, LongComposites) { expect("long_composites", {5, 0}, {4, 9}); }

} // namespace

} // namespace clotho::test
