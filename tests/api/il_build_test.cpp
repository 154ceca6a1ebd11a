// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs from SPIR-V that are built, compiled and linked.
#include "il_programs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace clotho::test {

namespace {

class IlBuildTest : public IlApi {
 protected:
  void build(cl_program program, const char* options = nullptr) {
    ASSERT_EQ(clBuildProgram(program, 0, nullptr, options, nullptr, nullptr), CL_SUCCESS) << buildLog(program);
  }
  void compile(cl_program program) {
    ASSERT_EQ(clCompileProgram(program, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS)
        << buildLog(program);
  }
  Owned<cl_program> link(std::vector<cl_program> inputs, const char* options = nullptr) {
    cl_int status = 1;
    Owned<cl_program> linked = clLinkProgram(context_, 0, nullptr, options, static_cast<cl_uint>(inputs.size()),
                                             inputs.data(), nullptr, nullptr, &status);
    EXPECT_EQ(status, CL_SUCCESS) << buildLog(linked);
    return linked;
  }
  /// What so many work-items of a kernel with one buffer as argument leave in its words.
  std::vector<cl_uint> results(cl_program program, const char* name, size_t words, size_t items, const size_t* local) {
    return results(program, name, std::vector<cl_uint>(words), items, local);
  }
  std::vector<cl_uint> results(cl_program program, const char* name, std::vector<cl_uint> values, size_t items,
                               const size_t* local) {
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program, name, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    Owned<cl_mem> buffer = makeBuffer(values.size() * sizeof(cl_uint), CL_MEM_COPY_HOST_PTR, values.data());
    cl_mem raw = buffer;
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
    EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, local, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, values.size() * sizeof(cl_uint), values.data(), 0,
                                  nullptr, nullptr),
              CL_SUCCESS);
    return values;
  }
  /// What one work-item leaves in the first word.
  cl_uint result(cl_program program, const char* name) { return results(program, name, 1, 1, nullptr)[0]; }
  /// What one work-item makes of these words.
  std::vector<cl_uint> result(cl_program program, const char* name, std::vector<cl_uint> words) {
    return results(program, name, std::move(words), 1, nullptr);
  }
  /// Whether kernels may ask for sub-groups of 8 work-items, as one of the module "modes" does.
  static bool hasSubGroupsOf8() {
    if (!claims("cl_intel_required_subgroup_size")) return false;
    const auto sizes = listAnswer<size_t>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_SUB_GROUP_SIZES_INTEL));
    return std::ranges::find(sizes, 8) != sizes.end();
  }
  static size_t requiredSubGroups(cl_kernel kernel) {
    size_t count = 0;
    EXPECT_EQ(clGetKernelSubGroupInfo(kernel, device_, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, nullptr, sizeof count,
                                      &count, nullptr),
              CL_SUCCESS);
    return count;
  }
  template <class T> static cl_int specialise(cl_program program, cl_uint id, T value) {
    return clSetProgramSpecializationConstant(program, id, sizeof value, &value);
  }
};

TEST_F(IlBuildTest, BuildsAndRuns) {
  Owned<cl_program> program = makeIlProgram(module("add"));
  build(program);
  EXPECT_EQ(result(program, "add"), 49u);
  EXPECT_EQ(textAnswer(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_KERNEL_NAMES)), "add");
}

// What is said of values being the same for all work-items is taken, and nothing depends on it.
TEST_F(IlBuildTest, UniformDecorations) {
  Owned<cl_program> program = makeIlProgram(module("uniform"));
  build(program);
  EXPECT_EQ(result(program, "shared"), 42u);
}

TEST_F(IlBuildTest, EitherByteOrder) {
  std::vector<std::uint32_t> words = wordsOf(module("add"));
  for (std::uint32_t& word : words)
    word = __builtin_bswap32(word);
  Owned<cl_program> program = makeIlProgram(bytesOf(words));
  build(program);
  EXPECT_EQ(result(program, "add"), 49u);
}

TEST_F(IlBuildTest, ConstantsOfEachSize) {
  Owned<cl_program> program = makeIlProgram(module("add"));
  EXPECT_EQ(specialise<cl_uchar>(program, 1, 0), CL_SUCCESS);
  EXPECT_EQ(specialise<cl_uchar>(program, 2, 10), CL_SUCCESS);
  EXPECT_EQ(specialise<cl_ushort>(program, 3, 100), CL_SUCCESS);
  EXPECT_EQ(specialise<cl_uint>(program, 4, 1000), CL_SUCCESS);
  EXPECT_EQ(specialise<cl_ulong>(program, 5, 10000), CL_SUCCESS);
  EXPECT_EQ(specialise<cl_float>(program, 6, 100000), CL_SUCCESS);
  EXPECT_EQ(specialise<cl_double>(program, 7, 1000000), CL_SUCCESS);
  EXPECT_EQ(specialise<cl_uchar>(program, 8, 2), CL_SUCCESS); // true, as each value but 0 is
  build(program);
  EXPECT_EQ(result(program, "add"), 1111110u + 42 + 1);
}

TEST_F(IlBuildTest, ConstantsCountFromTheNextBuildOn) {
  Owned<cl_program> program = makeIlProgram(module("add"));
  EXPECT_EQ(specialise<cl_uint>(program, 4, 5), CL_SUCCESS);
  EXPECT_EQ(specialise<cl_uint>(program, 4, 11), CL_SUCCESS);
  build(program);
  EXPECT_EQ(specialise<cl_uint>(program, 4, 21), CL_SUCCESS);
  EXPECT_EQ(result(program, "add"), 59u);
  build(program);
  EXPECT_EQ(result(program, "add"), 69u);
  // Values stay for later builds, and a compilation has them, too.
  compile(program);
  Owned<cl_program> linked = link({program});
  EXPECT_EQ(result(linked, "add"), 69u);
}

TEST_F(IlBuildTest, OptionsForSourceAreIgnored) {
  Owned<cl_program> program = makeIlProgram(module("add"));
  const char* options = "-DX=1 -I /nowhere -cl-std=CL1.2 -w -Werror -cl-single-precision-constant -cl-kernel-arg-info";
  build(program, options);
  EXPECT_EQ(textAnswer(CLOTHO_INFO(clGetProgramBuildInfo, program, device_, CL_PROGRAM_BUILD_OPTIONS)), options);
  EXPECT_EQ(result(program, "add"), 49u);
}

TEST_F(IlBuildTest, NothingIsToldOfArguments) {
  Owned<cl_program> program = makeIlProgram(module("add"));
  build(program, "-cl-kernel-arg-info");
  Owned<cl_program> binary = throughBinary(program);
  build(binary);
  for (cl_program each : {program.get(), binary.get()}) {
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(each, "add", &status);
    ASSERT_EQ(status, CL_SUCCESS);
    EXPECT_EQ(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, 0, nullptr, nullptr), CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetKernelInfo, kernel, CL_KERNEL_NUM_ARGS)), 1u);
  }
}

TEST_F(IlBuildTest, Binaries) {
  Owned<cl_program> program = makeIlProgram(module("add"));
  EXPECT_EQ(specialise<cl_uint>(program, 4, 11), CL_SUCCESS);
  build(program);
  Owned<cl_program> binary = throughBinary(program);
  build(binary);
  EXPECT_EQ(result(binary, "add"), 59u);
  EXPECT_TRUE(listAnswer<char>(CLOTHO_INFO(clGetProgramInfo, binary, CL_PROGRAM_IL)).empty());
  EXPECT_EQ(specialise<cl_uint>(binary, 4, 1), CL_INVALID_PROGRAM);
}

TEST_F(IlBuildTest, LinkedWithSource) {
  Owned<cl_program> library = makeIlProgram(module("library"));
  Owned<cl_program> caller = makeIlProgram(module("caller"));
  Owned<cl_program> sourceLibrary = makeProgram("uint twice(uint x) { return 3 * x; }");
  Owned<cl_program> sourceCaller =
      makeProgram("uint twice(uint); kernel void caller(global uint* out) { *out = twice(21); }");
  for (cl_program each : {library.get(), caller.get(), sourceLibrary.get(), sourceCaller.get()})
    compile(each);
  EXPECT_EQ(result(link({library, caller}), "caller"), 42u);
  EXPECT_EQ(result(link({sourceLibrary, caller}), "caller"), 63u);
  EXPECT_EQ(result(link({sourceCaller, library}), "caller"), 42u);
  Owned<cl_program> made = link({library}, "-create-library");
  EXPECT_EQ(result(link({made, sourceCaller}), "caller"), 42u);
}

TEST_F(IlBuildTest, OneOfSeveralDefinitions) {
  // The module with its kernel's name, which is a word long, changed.
  const auto named = [](const char (&name)[5]) {
    std::string bytes = module("once");
    bytes.replace(bytes.find("NAME"), 4, name);
    return bytes;
  };
  Owned<cl_program> first = makeIlProgram(named("call")), second = makeIlProgram(named("also"));
  compile(first);
  compile(second);
  Owned<cl_program> linked = link({first, second});
  EXPECT_EQ(result(linked, "call"), 42u);
  EXPECT_EQ(result(linked, "also"), 42u);
}

TEST_F(IlBuildTest, HeadersAreIgnored) {
  Owned<cl_program> program = makeIlProgram(module("add"));
  const char* name = nullptr;
  cl_program none = nullptr;
  EXPECT_EQ(clCompileProgram(program, 0, nullptr, nullptr, 1, &none, &name, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clCompileProgram(program, 0, nullptr, nullptr, 1, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(result(link({program}), "add"), 49u);
}

TEST_F(IlBuildTest, FlowNeedNotBeStructured) {
  Owned<cl_program> program = makeIlProgram(module("merges"));
  build(program);
  EXPECT_EQ(result(program, "merges"), 14u);
}

// Names of kernels are not those by which modules are linked.
TEST_F(IlBuildTest, FunctionsAndKernelsOfOneName) {
  Owned<cl_program> library = makeIlProgram(module("library")), caller = makeIlProgram(module("caller")),
                    kernel = makeIlProgram(module("same_name")), both = makeIlProgram(module("same_name_inside"));
  for (cl_program each : {library.get(), caller.get(), kernel.get(), both.get()})
    compile(each);
  // Whichever comes first, the caller calls the function.
  std::vector<cl_program> order = {library, caller, kernel};
  std::ranges::sort(order);
  do {
    Owned<cl_program> linked = link(order);
    EXPECT_EQ(result(linked, "caller"), 42u);
    EXPECT_EQ(result(linked, "twice"), 1000u);
  } while (std::ranges::next_permutation(order).found);
  Owned<cl_program> made = link({library, kernel}, "-create-library");
  Owned<cl_program> linked = link({caller, made});
  EXPECT_EQ(result(linked, "caller"), 42u);
  EXPECT_EQ(result(linked, "twice"), 1000u);
  Owned<cl_program> inside = link({caller, both});
  EXPECT_EQ(result(inside, "caller"), 42u);
  EXPECT_EQ(result(inside, "twice"), 14u);
  // And where there is no such function, the kernel is not called instead.
  cl_int status = 1;
  const cl_program inputs[] = {caller, kernel};
  Owned<cl_program> lacking = clLinkProgram(context_, 0, nullptr, nullptr, 2, inputs, nullptr, nullptr, &status);
  EXPECT_EQ(status, CL_LINK_PROGRAM_FAILURE);
  EXPECT_NE(buildLog(lacking).find("twice"), std::string::npos) << buildLog(lacking);
}

TEST_F(IlBuildTest, UndefinedFunction) {
  Owned<cl_program> program = makeIlProgram(module("caller"));
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_NE(buildLog(program).find("twice"), std::string::npos) << buildLog(program);
}

TEST_F(IlBuildTest, FlowAndBarriers) {
  Owned<cl_program> program = makeIlProgram(module("flow"));
  build(program);
  cl_int status = 1;
  Owned<cl_kernel> kernel = clCreateKernel(program, "flow", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  std::vector<cl_uint> data(16);
  std::iota(data.begin(), data.end(), 0);
  Owned<cl_mem> buffer = makeBuffer(data.size() * sizeof(cl_uint), CL_MEM_COPY_HOST_PTR, data.data());
  cl_mem raw = buffer;
  const cl_uint count = 10;
  EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof count, &count), CL_SUCCESS);
  const size_t size = data.size();
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &size, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, size * sizeof(cl_uint), data.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(data, std::vector<cl_uint>(16, 45));
}

TEST_F(IlBuildTest, RemaindersOfFloats) {
  Owned<cl_program> program = makeIlProgram(module("remainders"));
  build(program);
  std::vector<cl_uint> words(8);
  words[0] = std::bit_cast<cl_uint>(-5.5F);
  words[1] = std::bit_cast<cl_uint>(2.25F);
  words = result(program, "remainders", words);
  for (size_t i = 2; i < words.size(); ++i)
    EXPECT_EQ(std::bit_cast<float>(words[i]), i % 2 == 0 ? -1.0F : 1.25F) << i;
}

TEST_F(IlBuildTest, InstructionsThatSourceDoesNotLeadTo) {
  Owned<cl_program> program = makeIlProgram(module("values"));
  build(program, "-g"); // it has lines
  const std::vector<cl_uint> expected = {1000, 10, 5013, 2, 0, 3, 2, 6, 11, 9, 6, 12, 1, cl_uint(-3), 1, 7};
  EXPECT_EQ(results(program, "values", expected.size(), 1, nullptr), expected);
}

TEST_F(IlBuildTest, WhatIsValidButHasNoMeaningHere) {
  for (const auto& [name, why] : {std::pair{"by_value", "a parameter by value without size"},
                                  std::pair{"packed_elements", "a vector whose elements are no whole bytes"}}) {
    Owned<cl_program> program = makeIlProgram(module(name));
    EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE) << name;
    EXPECT_NE(buildLog(program).find(why), std::string::npos) << buildLog(program);
  }
}

TEST_F(IlBuildTest, NamesAndDecorationsOfIdsBeyondTheBound) {
  const auto instruction = [](std::uint32_t opcode, std::vector<std::uint32_t> operands) {
    operands.insert(operands.begin(), static_cast<std::uint32_t>(operands.size() + 1) << 16 | opcode);
    return operands;
  };
  constexpr std::uint32_t kOpDecorate = 71, kOpTypeVoid = 19, kOfAnExtension = 6442;
  for (const std::uint32_t id : {0xffffffffU, 0xfffffffeU, 0x7fffffffU}) {
    std::vector<std::uint32_t> words = wordsOf(module("once"));
    std::size_t at = 5;
    while ((words[at] & 0xffff) != kOpTypeVoid)
      at += words[at] >> 16;
    const std::vector<std::uint32_t> decoration = instruction(kOpDecorate, {id, kOfAnExtension, 0, 0});
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), decoration.begin(), decoration.end());
    Owned<cl_program> program = makeIlProgram(bytesOf(words));
    EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
    EXPECT_NE(buildLog(program).find("not below the bound"), std::string::npos) << buildLog(program);
  }
}

TEST_F(IlBuildTest, RequiredSubGroups) {
  CLOTHO_NEEDS(hasSubGroupsOf8());
  Owned<cl_program> program = makeIlProgram(module("modes"));
  build(program);
  cl_int status = 1;
  Owned<cl_kernel> kernel = clCreateKernel(program, "three_sub_groups", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(requiredSubGroups(kernel), 3u);
  for (const size_t wanted : {size_t{2}, size_t{3}}) {
    size_t local = 1;
    ASSERT_EQ(clGetKernelSubGroupInfo(kernel, device_, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof wanted, &wanted,
                                      sizeof local, &local, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(local, wanted == 3 ? 48u : 0u);
  }
  Owned<cl_mem> buffer = makeBuffer(96 * sizeof(cl_uint));
  cl_mem raw = buffer;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
  const size_t size = 96;
  for (const size_t local : {size_t{32}, size_t{96}})
    EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &size, &local, 0, nullptr, nullptr),
              CL_INVALID_WORK_GROUP_SIZE);
  // 33 to 48 work-items are three sub-groups; where no size is given, a fitting one is chosen.
  const size_t fewer = 40;
  for (const size_t* local : {&fewer, static_cast<const size_t*>(nullptr)})
    EXPECT_EQ(results(program, "three_sub_groups", 80, 80, local), std::vector<cl_uint>(80, 3));
}

// The last work-group has as many as the others, or there is no launch: the kernel could wait for all of them.
TEST_F(IlBuildTest, RequiredSubGroupsOfTheLastWorkGroup) {
  CLOTHO_NEEDS(hasSubGroupsOf8());
  Owned<cl_program> program = makeIlProgram(module("modes"));
  build(program);
  cl_int status = 1;
  Owned<cl_kernel> kernel = clCreateKernel(program, "three_sub_groups", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_mem> buffer = makeBuffer(96 * sizeof(cl_uint));
  cl_mem raw = buffer;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
  using Size = std::array<size_t, 3>;
  const auto enqueue = [&](const Size& global, const Size* local) {
    const cl_int result = clEnqueueNDRangeKernel(queue_, kernel, 3, nullptr, global.data(),
                                                 local ? local->data() : nullptr, 0, nullptr, nullptr);
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
    return result;
  };
  const Size whole = {48, 1, 1}, flat = {4, 11, 1};
  EXPECT_EQ(enqueue({80, 1, 1}, &whole), CL_INVALID_WORK_GROUP_SIZE) << "the last one has 32 work-items";
  EXPECT_EQ(enqueue({84, 1, 1}, &whole), CL_SUCCESS) << "36 of them";
  EXPECT_EQ(enqueue({20, 1, 1}, &whole), CL_INVALID_WORK_GROUP_SIZE) << "the only one";
  EXPECT_EQ(enqueue({64, 20, 1}, &flat), CL_SUCCESS);
  EXPECT_EQ(enqueue({64, 19, 1}, &flat), CL_INVALID_WORK_GROUP_SIZE) << "4 x 8 in the last row";
  EXPECT_EQ(enqueue({66, 20, 1}, &flat), CL_INVALID_WORK_GROUP_SIZE) << "2 x 11 in the last column";

  const auto suggest = reinterpret_cast<decltype(clGetKernelSuggestedLocalWorkSizeKHR)*>(
      clGetExtensionFunctionAddressForPlatform(platform_, "clGetKernelSuggestedLocalWorkSizeKHR"));
  ASSERT_TRUE(suggest);
  // The driver chooses whole dimensions, else sizes that divide them, else sizes that leave enough work-items.
  struct Choice {
    Size global, local;
  };
  for (const Choice& each :
       {Choice{{96, 1, 1}, {48, 1, 1}}, Choice{{80, 1, 1}, {40, 1, 1}}, Choice{{8, 12, 1}, {8, 6, 1}},
        Choice{{5, 3, 3}, {5, 3, 3}}, Choice{{1, 1, 40}, {1, 1, 40}}, Choice{{64, 64, 1}, {23, 2, 1}},
        Choice{{0, 1, 1}, {48, 1, 1}}}) {
    SCOPED_TRACE(std::to_string(each.global[0]) + " x " + std::to_string(each.global[1]) + " x " +
                 std::to_string(each.global[2]));
    EXPECT_EQ(enqueue(each.global, nullptr), CL_SUCCESS);
    if (each.global[0] == 0) continue; // the query wants work-items
    Size local = {};
    EXPECT_EQ(suggest(queue_, kernel, 3, nullptr, each.global.data(), local.data()), CL_SUCCESS);
    EXPECT_EQ(local, each.local);
  }
  EXPECT_EQ(enqueue({32, 1, 1}, nullptr), CL_INVALID_WORK_GROUP_SIZE) << "no work-group has three";
  EXPECT_EQ(enqueue({64, 1, 1}, nullptr), CL_INVALID_WORK_GROUP_SIZE) << "no division has";
  EXPECT_EQ(enqueue({97, 1, 1}, nullptr), CL_INVALID_WORK_GROUP_SIZE) << "nor any of a prime number";
}

TEST_F(IlBuildTest, LimitsOfLaunches) {
  Owned<cl_program> program = makeIlProgram(module("kernel_attributes"));
  build(program);
  using Size = std::array<size_t, 3>;
  const auto enqueue = [&](const char* name, const Size& global, const Size* local, const Size* offset = nullptr) {
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program, name, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    const cl_int result = clEnqueueNDRangeKernel(queue_, kernel, 3, offset ? offset->data() : nullptr, global.data(),
                                                 local ? local->data() : nullptr, 0, nullptr, nullptr);
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
    return result;
  };
  const Size one = {1, 1, 1}, most = {12, 2, 1}, wide = {24, 1, 1}, deep = {6, 1, 2}, none = {0, 0, 0}, far = {0, 1, 0};
  EXPECT_EQ(enqueue("grouped", {24, 4, 1}, &most), CL_SUCCESS);
  EXPECT_EQ(enqueue("grouped", {24, 4, 1}, &wide), CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(enqueue("grouped", {24, 4, 2}, &deep), CL_INVALID_WORK_GROUP_SIZE);
  for (const Size& global : {Size{24, 4, 2}, Size{4096, 64, 1}, Size{997, 7, 3}, Size{0, 1, 1}})
    EXPECT_EQ(enqueue("grouped", global, nullptr), CL_SUCCESS) << global[0] << ": a local size is chosen within them";
  EXPECT_EQ(enqueue("flat", {24, 1, 1}, nullptr), CL_SUCCESS) << "dimensions of one work-item do not count";
  EXPECT_EQ(enqueue("flat", {24, 2, 1}, nullptr), CL_INVALID_WORK_DIMENSION);
  EXPECT_EQ(enqueue("single", {1, 1, 1}, &one), CL_SUCCESS);
  EXPECT_EQ(enqueue("single", {2, 1, 1}, nullptr), CL_INVALID_WORK_DIMENSION);
  EXPECT_EQ(enqueue("unmoved", {24, 4, 1}, nullptr, &none), CL_SUCCESS);
  EXPECT_EQ(enqueue("unmoved", {24, 4, 1}, nullptr, &far), CL_INVALID_GLOBAL_OFFSET);

  cl_int status = 1;
  Owned<cl_kernel> kernel = clCreateKernel(program, "grouped", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  size_t largest = 0;
  ASSERT_EQ(clGetKernelWorkGroupInfo(kernel, device_, CL_KERNEL_WORK_GROUP_SIZE, sizeof largest, &largest, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(largest, 24u);
  if (!hasSubGroups()) return;
  const size_t wanted = 1;
  size_t local = 1;
  ASSERT_EQ(clGetKernelSubGroupInfo(kernel, device_, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof wanted, &wanted,
                                    sizeof local, &local, nullptr),
            CL_SUCCESS);
  EXPECT_TRUE(local == 0 || local <= 12) << local;
}

TEST_F(IlBuildTest, LargestArguments) {
  CLOTHO_NEEDS(hasSubGroupsOf8());
  Owned<cl_program> program = makeIlProgram(module("modes"));
  build(program);
  for (const auto& [name, most] : {std::pair{"three_sub_groups", size_t{384}}, std::pair{"sized", size_t{128}}}) {
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program, name, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    for (const size_t more : {size_t{0}, size_t{4}}) {
      Owned<cl_mem> buffer = makeBuffer(most + more);
      cl_mem raw = buffer;
      EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), more ? CL_MAX_SIZE_RESTRICTION_EXCEEDED : CL_SUCCESS);
    }
  }
}

TEST_F(IlBuildTest, ModesOfConstants) {
  CLOTHO_NEEDS(hasSubGroupsOf8());
  Owned<cl_program> program = makeIlProgram(module("modes"));
  EXPECT_EQ(specialise<cl_uint>(program, 7, 4), CL_SUCCESS);
  build(program);
  cl_int status = 1;
  Owned<cl_kernel> kernel = clCreateKernel(program, "sized", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(requiredSubGroups(kernel), 4u);
  EXPECT_EQ(results(program, "sized", 32, 32, nullptr), std::vector<cl_uint>(32, 4));
  EXPECT_EQ(textAnswer(CLOTHO_INFO(clGetKernelInfo, kernel, CL_KERNEL_ATTRIBUTES)),
            "work_group_size_hint(16,1,1) intel_reqd_sub_group_size(8)");
}

TEST_F(IlBuildTest, ArraysTooLargeForValues) {
  Owned<cl_program> program = makeIlProgram(module("large_values"));
  build(program);
  constexpr cl_uint kItems = 40;
  std::vector<cl_uint> numbers, expected;
  for (cl_uint i = 0; i < kItems; ++i) {
    numbers.insert(numbers.end(), {100 + i, 1, 1, 1, 1});
    expected.insert(expected.end(), {100 + i, 17, 3, 0, 100 + i});
  }
  EXPECT_EQ(results(program, "large", numbers, kItems, nullptr), expected);
}

TEST_F(IlBuildTest, DotProductsOfLongVectors) {
  Owned<cl_program> program = makeIlProgram(module("long_vectors"));
  build(program);
  EXPECT_EQ(result(program, "products", {5, 0, 0, 0}), (std::vector<cl_uint>{120, 120, 240, 240}));
}

TEST_F(IlBuildTest, KernelsWithNamesOfFunctions) {
  Owned<cl_program> program = makeIlProgram(module("builtin_names"));
  build(program);
  cl_uint number = 0;
  for (const char* name : {"sin", "get_global_id", "memset", "main", "__clotho_pipe_ro"})
    EXPECT_EQ(result(program, name), 110 + ++number) << name;
}

// Also from source, where such a name is the one of sin(float).
TEST_F(IlBuildTest, KernelsWithNamesOfTheLibrary) {
  const char* source = "kernel void _Z3sinf(global float* x) { *x = cos(*x); }";
  cl_int status = 1;
  Owned<cl_program> program = clCreateProgramWithSource(context_, 1, &source, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_NE(buildLog(program).find("the kernel _Z3sinf has the name of a builtin function"), std::string::npos)
      << buildLog(program);
}

// Modules such as compilers write them, though the validator of the system would refuse them.
TEST_F(IlBuildTest, WhatCompilersOfSyclWrite) {
  Owned<cl_program> program = makeIlProgram(module("sycl"));
  build(program);
  const size_t local = 4;
  std::vector<cl_uint> expected(8);
  std::iota(expected.begin(), expected.end(), 40);
  EXPECT_EQ(results(program, "sizes", 8, 8, &local), expected);
}

TEST_F(IlBuildTest, FunctionsOutOfOrder) {
  Owned<cl_program> program = makeIlProgram(module("disorder"));
  build(program);
  EXPECT_EQ(result(program, "sum"), 45u);
}

TEST_F(IlBuildTest, IntegersOfUnusualWidths) {
  Owned<cl_program> program = makeIlProgram(module("unusual_integers"));
  build(program);
  cl_int status = 1;
  Owned<cl_kernel> kernel = clCreateKernel(program, "unusual", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  std::array<cl_uint, 2> numbers{0x01234567, 0};
  Owned<cl_mem> buffer = makeBuffer(sizeof numbers, CL_MEM_COPY_HOST_PTR, numbers.data());
  cl_mem raw = buffer;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
  const size_t one = 1;
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, sizeof numbers, numbers.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(numbers[0], 0x234567U * 0x10001 & 0xffffff);
  EXPECT_EQ(numbers[1], ((0x01234567 + 0xff00000000) & 0xffffffffff) >> 8);
}

} // namespace

} // namespace clotho::test
