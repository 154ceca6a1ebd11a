// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CLOTHO_OPENCL_VERSION=3.1: what OpenCL 3.1 has beyond 3.0, which docs/opencl-3.1.md lists.
#include "base/later_headers.hpp"
#include "fixture.hpp"

#include <CL/cl_icd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <sstream>

namespace clotho::test {

namespace {

class Version31Test : public DeviceApi {
 protected:
  using Suggest = decltype(&clGetKernelSuggestedLocalWorkSize);
  /// By its name, because the system's loader is older.
  static Suggest suggest() {
    return reinterpret_cast<Suggest>(
        clGetExtensionFunctionAddressForPlatform(platform_, "clGetKernelSuggestedLocalWorkSize"));
  }
  std::set<std::string> words(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
  }
};

constexpr cl_version k31 = CL_MAKE_VERSION(3, 1, 0);

TEST_F(Version31Test, PlatformAndDeviceSaySo) {
  for (const std::string& said :
       {textAnswer(CLOTHO_INFO(clGetPlatformInfo, platform_, CL_PLATFORM_VERSION)), text(CL_DEVICE_VERSION)})
    EXPECT_TRUE(said.starts_with("OpenCL 3.1 ")) << said;
  EXPECT_EQ(valueAnswer<cl_version>(CLOTHO_INFO(clGetPlatformInfo, platform_, CL_PLATFORM_NUMERIC_VERSION)), k31);
  EXPECT_EQ(value<cl_version>(CL_DEVICE_NUMERIC_VERSION), k31);
  EXPECT_TRUE(text(CL_DEVICE_OPENCL_C_VERSION).starts_with("OpenCL C 3.1 ")) << text(CL_DEVICE_OPENCL_C_VERSION);
  EXPECT_EQ(value<cl_version>(CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR), k31);
}

// Every version that is listed can be built for, as with 3.0 (section 4.2, CL_DEVICE_OPENCL_C_ALL_VERSIONS).
TEST_F(Version31Test, LanguageVersions) {
  std::vector<cl_version> seen;
  for (const cl_name_version& each : list<cl_name_version>(CL_DEVICE_OPENCL_C_ALL_VERSIONS)) {
    EXPECT_STREQ(each.name, "OpenCL C");
    seen.push_back(each.version);
    const std::string options = "-cl-std=CL" + std::to_string(CL_VERSION_MAJOR(each.version)) + "." +
                                std::to_string(CL_VERSION_MINOR(each.version));
    buildProgram("kernel void k() {}", options.c_str());
  }
  EXPECT_EQ(seen, (std::vector<cl_version>{CL_MAKE_VERSION(1, 0, 0), CL_MAKE_VERSION(1, 1, 0), CL_MAKE_VERSION(1, 2, 0),
                                           CL_MAKE_VERSION(2, 0, 0), CL_MAKE_VERSION(3, 0, 0), k31}));
}

// Compiled and linked apart, and again from the binary, which keeps the options.
TEST_F(Version31Test, LanguageIsKeptByBinaries) {
  Owned<cl_program> built = buildProgram("#if __OPENCL_C_VERSION__ != 310\n#error\n#endif\n"
                                         "kernel void k(global uint* a) { *a = bit_reverse(1u); }",
                                         "-cl-std=CL3.1");
  Owned<cl_program> again = throughBinary(built);
  ASSERT_EQ(clBuildProgram(again, 1, &device_, "-cl-std=CL3.1", nullptr, nullptr), CL_SUCCESS) << buildLog(again);
  Owned<cl_program> part = makeProgram("kernel void k() {}");
  EXPECT_EQ(clCompileProgram(part, 1, &device_, "-cl-std=CL3.1", 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clCompileProgram(part, 1, &device_, "-cl-std=CL3.2", 0, nullptr, nullptr, nullptr, nullptr),
            CL_INVALID_COMPILER_OPTIONS);
}

// Section 4.8 names the extensions, and 4.2 the intermediate languages.
TEST_F(Version31Test, RequiredExtensionsAndLanguages) {
  const std::set<std::string> extensions = words(text(CL_DEVICE_EXTENSIONS)),
                              languages = words(text(CL_DEVICE_IL_VERSION));
  for (const char* name :
       {"cl_khr_device_uuid", "cl_khr_extended_bit_ops", "cl_khr_integer_dot_product", "cl_khr_spirv_queries",
        "cl_khr_subgroup_extended_types", "cl_khr_subgroup_rotate", "cl_khr_subgroup_shuffle",
        "cl_khr_subgroup_shuffle_relative", "cl_khr_suggested_local_work_size"})
    EXPECT_TRUE(extensions.contains(name)) << name;
  for (const char* name : {"SPIR-V_1.0", "SPIR-V_1.1", "SPIR-V_1.2", "SPIR-V_1.3", "SPIR-V_1.4"})
    EXPECT_TRUE(languages.contains(name)) << name;
  EXPECT_GE(list<cl_name_version>(CL_DEVICE_ILS_WITH_VERSION).size(), 5u);
  EXPECT_GE(value<cl_uint>(CL_DEVICE_MAX_NUM_SUB_GROUPS), 1u);
}

TEST_F(Version31Test, QueriesByTheirCoreNames) {
  using Uuid = std::array<cl_uchar, CL_UUID_SIZE>;
  EXPECT_NE(value<Uuid>(CL_DEVICE_UUID), Uuid{});
  EXPECT_NE(value<Uuid>(CL_DRIVER_UUID), Uuid{});
  EXPECT_EQ(value<Uuid>(CL_DEVICE_UUID), value<Uuid>(CL_DEVICE_UUID_KHR));
  EXPECT_EQ(value<cl_bool>(CL_DEVICE_LUID_VALID), cl_bool{CL_FALSE});
  EXPECT_EQ(answer(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_LUID)).size(), std::size_t{CL_LUID_SIZE});
  EXPECT_EQ(value<cl_uint>(CL_DEVICE_NODE_MASK), 0u);
  const auto products = value<cl_device_integer_dot_product_capabilities>(CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES);
  EXPECT_TRUE(products & CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED) << "which 3.1 demands";
  EXPECT_TRUE(products & CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT);
  for (cl_uint name : {CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT,
                       CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED})
    value<cl_device_integer_dot_product_acceleration_properties>(name);
  const std::vector<size_t> sizes = list<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZES);
  EXPECT_EQ(sizes.size(), value<cl_uint>(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS));
  EXPECT_TRUE(std::ranges::all_of(sizes, [](size_t size) { return size >= 1; }));
  EXPECT_EQ(value<cl_bool>(CL_DEVICE_HOST_UNIFIED_MEMORY), cl_bool{!isFar()});
  const auto sets = list<const char*>(CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS);
  EXPECT_TRUE(std::ranges::any_of(sets, [](const char* set) { return std::string(set) == "OpenCL.std"; }));
  const auto extensions = list<const char*>(CL_DEVICE_SPIRV_EXTENSIONS);
  const auto capabilities = list<cl_uint>(CL_DEVICE_SPIRV_CAPABILITIES);
  EXPECT_FALSE(extensions.empty());
  EXPECT_NE(std::ranges::find(capabilities, 6u), capabilities.end()) << "Kernel";
}

// The slot behind OpenCL 3.0's is what loaders of 3.1 call.
TEST_F(Version31Test, SuggestedLocalSizeHasASlot) {
  ASSERT_NE(suggest(), nullptr);
  constexpr std::size_t kSlot = sizeof(cl_icd_dispatch) / sizeof(void*);
  EXPECT_EQ((*reinterpret_cast<Suggest* const*>(device_))[kSlot], suggest());
}

TEST_F(Version31Test, SuggestedLocalSize) {
  const Suggest call = suggest();
  ASSERT_NE(call, nullptr);
  const char source[] = "kernel void k(global ulong* sizes) { if (get_global_linear_id() == 0)"
                        " for (int i = 0; i < 3; ++i) sizes[i] = get_local_size(i); }";
  Owned<cl_kernel> kernel = makeKernel(source, "k", "-cl-std=CL3.1");
  Owned<cl_mem> buffer = makeBuffer(3 * sizeof(cl_ulong));
  cl_mem raw = buffer;
  size_t global[] = {960, 6, 7}, suggested[3] = {};
  EXPECT_EQ(call(queue_, kernel, 3, nullptr, global, suggested), CL_INVALID_KERNEL_ARGS);
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
  ASSERT_EQ(call(queue_, kernel, 3, nullptr, global, suggested), CL_SUCCESS);
  cl_ulong seen[3] = {};
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 3, nullptr, global, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, sizeof seen, seen, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_TRUE(std::ranges::equal(suggested, seen));
}

// Section 5.9.4 under clGetKernelSuggestedLocalWorkSize.
TEST_F(Version31Test, SuggestedLocalSizeErrors) {
  const Suggest clGetKernelSuggestedLocalWorkSize = suggest();
  ASSERT_NE(clGetKernelSuggestedLocalWorkSize, nullptr);
  Owned<cl_kernel> kernel = makeKernel("kernel void k() {}", "k");
  size_t global = 64, none = 0, suggested = 0, far = SIZE_MAX;
  const auto call = [&](cl_command_queue queue, cl_kernel of, cl_uint dimensions, const size_t* offset,
                        const size_t* size, size_t* out) {
    return clGetKernelSuggestedLocalWorkSize(queue, of, dimensions, offset, size, out);
  };
  EXPECT_EQ(call(nullptr, kernel, 1, nullptr, &global, &suggested), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(call(queue_, nullptr, 1, nullptr, &global, &suggested), CL_INVALID_KERNEL);
  Owned<cl_context> otherContext = makeContext();
  cl_int status = 1;
  Owned<cl_command_queue> other = clCreateCommandQueueWithProperties(otherContext, device_, nullptr, &status);
  EXPECT_EQ(call(other, kernel, 1, nullptr, &global, &suggested), CL_INVALID_CONTEXT);
  EXPECT_EQ(call(queue_, kernel, 0, nullptr, &global, &suggested), CL_INVALID_WORK_DIMENSION);
  EXPECT_EQ(call(queue_, kernel, 4, nullptr, &global, &suggested), CL_INVALID_WORK_DIMENSION);
  EXPECT_EQ(call(queue_, kernel, 1, &far, &global, &suggested), CL_INVALID_GLOBAL_OFFSET);
  EXPECT_EQ(call(queue_, kernel, 1, nullptr, nullptr, &suggested), CL_INVALID_GLOBAL_WORK_SIZE);
  EXPECT_EQ(call(queue_, kernel, 1, nullptr, &none, &suggested), CL_INVALID_GLOBAL_WORK_SIZE);
  EXPECT_EQ(call(queue_, kernel, 1, nullptr, &global, nullptr), CL_INVALID_VALUE);
  Owned<cl_kernel> unset = makeKernel("kernel void k(int i) {}", "k");
  EXPECT_EQ(call(queue_, unset, 1, nullptr, &global, &suggested), CL_INVALID_KERNEL_ARGS);
}

// Section 5.9.2: no local memory is required for such an argument.
TEST_F(Version31Test, LocalArgumentsMayBeEmpty) {
  const char source[] = "kernel void k(local int* a, global int* out, local int* b, int n) {"
                        " const int l = get_local_id(0); if (n) b[l] = l; barrier(CLK_LOCAL_MEM_FENCE);"
                        " out[get_global_id(0)] = n ? b[n - 1 - l] : l + 100; }";
  Owned<cl_kernel> kernel = makeKernel(source, "k", "-cl-std=CL3.1");
  Owned<cl_mem> buffer = makeBuffer(8 * sizeof(cl_int));
  cl_mem raw = buffer;
  ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof raw, &raw), CL_SUCCESS);
  int dummy = 0;
  EXPECT_EQ(clSetKernelArg(kernel, 0, 0, &dummy), CL_INVALID_ARG_VALUE);
  size_t eight = 8;
  const auto enqueue = [&](cl_kernel what) {
    return clEnqueueNDRangeKernel(queue_, what, 1, nullptr, &eight, &eight, 0, nullptr, nullptr);
  };
  const auto memory = [&] {
    return valueAnswer<cl_ulong>(CLOTHO_INFO(clGetKernelWorkGroupInfo, kernel, device_, CL_KERNEL_LOCAL_MEM_SIZE));
  };
  const cl_ulong before = memory();
  cl_int n = 8;
  ASSERT_EQ(clSetKernelArg(kernel, 3, sizeof n, &n), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 2, 32, nullptr), CL_SUCCESS);
  EXPECT_EQ(enqueue(kernel), CL_INVALID_KERNEL_ARGS);
  ASSERT_EQ(clSetKernelArg(kernel, 0, 0, nullptr), CL_SUCCESS);
  EXPECT_EQ(memory(), before + 32);
  EXPECT_EQ(enqueue(kernel), CL_SUCCESS);
  cl_int seen[8] = {};
  EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, sizeof seen, seen, 0, nullptr, nullptr), CL_SUCCESS);
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(seen[i], 7 - i);
  // Memory that was asked for is given back, and a clone has what the original had.
  ASSERT_EQ(clSetKernelArg(kernel, 2, 0, nullptr), CL_SUCCESS);
  EXPECT_EQ(memory(), before);
  n = 0;
  ASSERT_EQ(clSetKernelArg(kernel, 3, sizeof n, &n), CL_SUCCESS);
  cl_int status = 1;
  Owned<cl_kernel> clone = clCloneKernel(kernel, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(enqueue(clone), CL_SUCCESS);
  EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, sizeof seen, seen, 0, nullptr, nullptr), CL_SUCCESS);
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(seen[i], 100 + i);
}

// Section 5.10: also where there is nothing to run.
TEST_F(Version31Test, LocalSizesWithoutWorkItems) {
  Owned<cl_kernel> kernel = makeKernel("kernel void k() {}", "k", "-cl-std=CL3.1");
  const size_t global[] = {8, 8, 8}, none[] = {0, 0, 0};
  for (std::size_t zero = 0; zero < 3; ++zero) {
    size_t local[] = {2, 2, 2};
    local[zero] = 0;
    for (const size_t* range : {global, none})
      EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 3, nullptr, range, local, 0, nullptr, nullptr),
                CL_INVALID_WORK_GROUP_SIZE);
  }
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, global, none, 0, nullptr, nullptr),
            CL_INVALID_WORK_GROUP_SIZE);
}

} // namespace

} // namespace clotho::test
