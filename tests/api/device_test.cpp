// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fixture.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <sstream>

namespace clotho::test {

namespace {

class DeviceTest : public DeviceApi {
 protected:
  static bool listsLanguage(cl_version version) {
    const auto listed = list<cl_name_version>(CL_DEVICE_OPENCL_C_ALL_VERSIONS);
    return std::ranges::any_of(listed, [&](const cl_name_version& each) { return each.version == version; });
  }
};

TEST_F(DeviceTest, IdsErrors) {
  cl_device_id found = nullptr;
  cl_uint count = 0;
  Foreign<cl_platform_id> foreign(platform_);
  EXPECT_EQ(clGetDeviceIDs(foreign, CL_DEVICE_TYPE_ALL, 1, &found, nullptr), CL_INVALID_PLATFORM);
  EXPECT_EQ(clGetDeviceIDs(platform_, 0, 1, &found, nullptr), CL_INVALID_DEVICE_TYPE);
  EXPECT_EQ(clGetDeviceIDs(platform_, 1 << 20, 1, &found, nullptr), CL_INVALID_DEVICE_TYPE);
  EXPECT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, 0, &found, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ACCELERATOR, 1, &found, nullptr), CL_DEVICE_NOT_FOUND);
  EXPECT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_CUSTOM, 1, &found, nullptr), CL_DEVICE_NOT_FOUND);
  EXPECT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, 0, nullptr, &count), CL_SUCCESS);
  EXPECT_GE(count, 1u);
}

TEST_F(DeviceTest, TypesFindTheDevice) {
  // One bit, and never the default's (checklist 0-03).
  const auto own = value<cl_device_type>(CL_DEVICE_TYPE);
  EXPECT_TRUE(own == CL_DEVICE_TYPE_CPU || own == CL_DEVICE_TYPE_GPU) << own;
  for (cl_device_type type : {own, cl_device_type{CL_DEVICE_TYPE_DEFAULT},
                              cl_device_type{CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_GPU}}) {
    cl_device_id found = nullptr;
    cl_uint count = 0;
    EXPECT_EQ(clGetDeviceIDs(platform_, type, 1, &found, &count), CL_SUCCESS);
    EXPECT_EQ(found, device_);
    EXPECT_EQ(count, 1u);
  }
}

TEST_F(DeviceTest, InfoProtocol) {
  checkInfoProtocol(
      [&](cl_uint name, size_t size, void* out, size_t* ret) { return clGetDeviceInfo(device_, name, size, out, ret); },
      CL_DEVICE_NAME);
  Foreign<cl_device_id> foreign(device_);
  size_t size;
  EXPECT_EQ(clGetDeviceInfo(foreign, CL_DEVICE_NAME, 0, nullptr, &size), CL_INVALID_DEVICE);
}

// The least values of a full-profile device that is not custom (OpenCL 3.0, table 5).
TEST_F(DeviceTest, LeastValues) {
  EXPECT_GE(value<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS), 1u);
  EXPECT_GE(value<cl_uint>(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS), 3u);
  EXPECT_EQ(list<size_t>(CL_DEVICE_MAX_WORK_ITEM_SIZES).size(), 3u);
  size_t groupSize = value<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE);
  EXPECT_GE(groupSize, 1u);
  const auto itemSizes = list<size_t>(CL_DEVICE_MAX_WORK_ITEM_SIZES);
  EXPECT_GE(itemSizes.at(0), groupSize);
  for (size_t size : itemSizes)
    EXPECT_GE(size, 1u);
  EXPECT_GT(value<cl_uint>(CL_DEVICE_MAX_CLOCK_FREQUENCY), 0u);
  cl_ulong memory = value<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE);
  cl_ulong allocation = value<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  EXPECT_GE(allocation, std::max<cl_ulong>(std::min<cl_ulong>(1ull << 30, memory / 4), 32ull << 20));
  EXPECT_LE(allocation, memory);
  EXPECT_GE(value<size_t>(CL_DEVICE_MAX_PARAMETER_SIZE), 1024u);
  EXPECT_GE(value<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN), 1024u);
  EXPECT_GE(value<cl_ulong>(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE), 64u << 10);
  EXPECT_GE(value<cl_uint>(CL_DEVICE_MAX_CONSTANT_ARGS), 8u);
  EXPECT_GE(value<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE), 32u << 10);
  EXPECT_GE(value<size_t>(CL_DEVICE_PRINTF_BUFFER_SIZE), 1u << 20);
  EXPECT_GE(value<size_t>(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE),
            claims("__opencl_c_program_scope_global_variables") ? 64u << 10 : 0u);
  EXPECT_GT(value<size_t>(CL_DEVICE_PROFILING_TIMER_RESOLUTION), 0u);
  EXPECT_GT(value<size_t>(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE), 0u);
  cl_device_fp_config single = value<cl_device_fp_config>(CL_DEVICE_SINGLE_FP_CONFIG);
  EXPECT_EQ(single & (CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN), cl_bitfield{CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN});
  constexpr cl_device_fp_config kDouble = CL_FP_FMA | CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM;
  EXPECT_EQ(value<cl_device_fp_config>(CL_DEVICE_DOUBLE_FP_CONFIG) & kDouble, claims("cl_khr_fp64") ? kDouble : 0);
  EXPECT_TRUE(value<cl_device_exec_capabilities>(CL_DEVICE_EXECUTION_CAPABILITIES) & CL_EXEC_KERNEL);
  EXPECT_TRUE(value<cl_command_queue_properties>(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES) & CL_QUEUE_PROFILING_ENABLE);
}

TEST_F(DeviceTest, VectorWidths) {
  struct Type {
    cl_device_info native, preferred;
    cl_uint bytes;
    bool isThere = true;
  };
  const Type types[] = {
      {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, 1},
      {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, 2},
      {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, 4},
      {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, 8},
      {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 4},
      {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, 8, claims("cl_khr_fp64")},
      {CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, 2, claims("cl_khr_fp16")}};
  for (const Type& type : types) {
    const cl_uint least = isCpu() ? 16 / type.bytes : 1; // every CPU has registers of 16 bytes
    EXPECT_GE(value<cl_uint>(type.native), type.isThere ? least : 0u) << type.bytes;
    EXPECT_LE(value<cl_uint>(type.native), type.isThere ? 16u : 0u) << type.bytes;
    EXPECT_EQ(value<cl_uint>(type.preferred), type.isThere ? 1u : 0u) << type.bytes;
  }
}

TEST_F(DeviceTest, RootDeviceIsNotCounted) {
  EXPECT_EQ(value<cl_uint>(CL_DEVICE_REFERENCE_COUNT), 1u);
  EXPECT_EQ(value<cl_device_id>(CL_DEVICE_PARENT_DEVICE), nullptr);
  EXPECT_EQ(value<cl_platform_id>(CL_DEVICE_PLATFORM), platform_);
  EXPECT_EQ(clRetainDevice(device_), CL_SUCCESS);
  EXPECT_EQ(value<cl_uint>(CL_DEVICE_REFERENCE_COUNT), 1u);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(clReleaseDevice(device_), CL_SUCCESS);
  Foreign<cl_device_id> foreign(device_);
  EXPECT_EQ(clRetainDevice(foreign), CL_INVALID_DEVICE);
  EXPECT_EQ(clReleaseDevice(foreign), CL_INVALID_DEVICE);
}

TEST_F(DeviceTest, VersionsAgree) {
  EXPECT_EQ(text(CL_DEVICE_VERSION).rfind("OpenCL 3.0 ", 0), 0u);
  EXPECT_EQ(value<cl_version>(CL_DEVICE_NUMERIC_VERSION), CL_MAKE_VERSION(3u, 0u, 0u));
  // The highest version that has all of those below, which OpenCL C 3.0 may lack of 2.0.
  const bool hasAllOf20 = listsLanguage(CL_MAKE_VERSION(2u, 0u, 0u));
  EXPECT_TRUE(text(CL_DEVICE_OPENCL_C_VERSION).starts_with(hasAllOf20 ? "OpenCL C 3.0 " : "OpenCL C 1.2 "));
  EXPECT_FALSE(text(CL_DRIVER_VERSION).empty());
  std::ostringstream names;
  for (const cl_name_version& extension : list<cl_name_version>(CL_DEVICE_EXTENSIONS_WITH_VERSION))
    names << (names.tellp() > 0 ? " " : "") << extension.name;
  EXPECT_EQ(names.str(), text(CL_DEVICE_EXTENSIONS));
  EXPECT_EQ(text(CL_DEVICE_IL_VERSION),
            claims("cl_khr_il_program") ? "SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.2 SPIR-V_1.3 SPIR-V_1.4 SPIR-V_1.5 SPIR-V_1.6"
                                        : "");
  std::string languages;
  for (const cl_name_version& each : list<cl_name_version>(CL_DEVICE_ILS_WITH_VERSION))
    languages += std::string(each.name) + "_" + std::to_string(CL_VERSION_MAJOR(each.version)) + "." +
                 std::to_string(CL_VERSION_MINOR(each.version)) + " ";
  if (!languages.empty()) languages.pop_back();
  EXPECT_EQ(languages, text(CL_DEVICE_IL_VERSION));
}

// What is listed has to build, with __OPENCL_C_VERSION__ of its own.
TEST_F(DeviceTest, EveryListedLanguageVersionBuilds) {
  for (const cl_name_version& entry : list<cl_name_version>(CL_DEVICE_OPENCL_C_ALL_VERSIONS)) {
    EXPECT_STREQ(entry.name, "OpenCL C");
    unsigned major = CL_VERSION_MAJOR(entry.version), minor = CL_VERSION_MINOR(entry.version);
    std::ostringstream source, options;
    source << "#if __OPENCL_C_VERSION__ != " << major * 100 + minor * 10 << "\n#error wrong version\n#endif\n"
           << "kernel void k() {}";
    options << "-cl-std=CL" << major << '.' << minor;
    buildProgram(source.str().c_str(), options.str().c_str());
  }
  for (cl_version least : {CL_MAKE_VERSION(1u, 0u, 0u), CL_MAKE_VERSION(1u, 1u, 0u), CL_MAKE_VERSION(1u, 2u, 0u),
                           CL_MAKE_VERSION(3u, 0u, 0u)})
    EXPECT_TRUE(listsLanguage(least)) << least;
}

TEST_F(DeviceTest, EveryListedFeatureAndExtensionHasItsMacro) {
  std::ostringstream source;
  for (const cl_name_version& feature : list<cl_name_version>(CL_DEVICE_OPENCL_C_FEATURES))
    source << "#if !defined(" << feature.name << ") || " << feature.name << " != 1\n#error " << feature.name
           << "\n#endif\n";
  // Extensions of the host API and of SPIR-V are not the language's.
  const std::set<std::string> host = {"cl_khr_icd",
                                      "cl_ext_cxx_for_opencl",
                                      "cl_ext_buffer_device_address",
                                      "cl_ext_immutable_memory_objects",
                                      "cl_intel_unified_shared_memory",
                                      "cl_khr_unified_svm",
                                      "cl_khr_command_buffer",
                                      "cl_khr_command_buffer_multi_device",
                                      "cl_khr_command_buffer_mutable_dispatch",
                                      "cl_khr_create_command_queue",
                                      "cl_khr_device_uuid",
                                      "cl_khr_expect_assume", // of SPIR-V; OpenCL C has functions, but no macro
                                      "cl_khr_extended_versioning",
                                      "cl_khr_external_memory",
                                      "cl_khr_external_memory_dma_buf",
                                      "cl_khr_external_memory_opaque_fd",
                                      "cl_khr_external_semaphore",
                                      "cl_khr_external_semaphore_sync_fd",
                                      "cl_khr_il_program",
                                      "cl_khr_initialize_memory",
                                      "cl_khr_pci_bus_info",
                                      "cl_khr_priority_hints",
                                      "cl_khr_semaphore",
                                      "cl_khr_spirv_linkonce_odr",
                                      "cl_khr_spirv_no_integer_wrap_decoration",
                                      "cl_khr_spirv_queries",
                                      "cl_khr_suggested_local_work_size",
                                      "cl_khr_throttle_hints",
                                      "cl_nv_device_attribute_query"};
  for (const cl_name_version& extension : list<cl_name_version>(CL_DEVICE_EXTENSIONS_WITH_VERSION))
    if (!host.contains(extension.name))
      source << "#ifndef " << extension.name << "\n#error " << extension.name << "\n#endif\n";
  source << "kernel void k() {}";
  buildProgram(source.str().c_str(), "-cl-std=CL3.0");
}

TEST_F(DeviceTest, UnlistedFeaturesHaveNoMacro) {
  std::vector<std::string> listed;
  for (const cl_name_version& feature : list<cl_name_version>(CL_DEVICE_OPENCL_C_FEATURES))
    listed.push_back(feature.name);
  std::ostringstream source;
  for (const char* name :
       {"__opencl_c_3d_image_writes", "__opencl_c_device_enqueue", "__opencl_c_images", "__opencl_c_pipes",
        "__opencl_c_read_write_images", "__opencl_c_subgroups", "__opencl_c_work_group_collective_functions"})
    if (std::find(listed.begin(), listed.end(), name) == listed.end())
      source << "#ifdef " << name << "\n#error " << name << "\n#endif\n";
  for (const char* name : {"cl_khr_fp16", "cl_khr_3d_image_writes", "cl_khr_subgroups", "cl_khr_gl_sharing"})
    if (text(CL_DEVICE_EXTENSIONS).find(name) == std::string::npos)
      source << "#ifdef " << name << "\n#error " << name << "\n#endif\n";
  source << "kernel void k() {}";
  buildProgram(source.str().c_str(), "-cl-std=CL3.0");
}

TEST_F(DeviceTest, Timers) {
  cl_ulong device = 0, host = 0, later = 0;
  EXPECT_EQ(clGetDeviceAndHostTimer(device_, nullptr, &host), CL_INVALID_VALUE);
  EXPECT_EQ(clGetDeviceAndHostTimer(device_, &device, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetHostTimer(device_, nullptr), CL_INVALID_VALUE);
  Foreign<cl_device_id> foreign(device_);
  EXPECT_EQ(clGetDeviceAndHostTimer(foreign, &device, &host), CL_INVALID_DEVICE);
  EXPECT_EQ(clGetHostTimer(foreign, &host), CL_INVALID_DEVICE);
  ASSERT_EQ(clGetDeviceAndHostTimer(device_, &device, &host), CL_SUCCESS);
  ASSERT_EQ(clGetHostTimer(device_, &later), CL_SUCCESS);
  EXPECT_GE(later, host);
  EXPECT_LT(later - host, 10'000'000'000u);
  EXPECT_GT(device, 0u);
}

// Device times are those of profiling (section 4.2), and both clocks go forward alike.
TEST_F(DeviceTest, TimersAreThoseOfProfiling) {
  Owned<cl_command_queue> queue = makeQueue(CL_QUEUE_PROFILING_ENABLE);
  Owned<cl_event> marker;
  cl_ulong before = 0, hostBefore = 0, after = 0, hostAfter = 0;
  ASSERT_EQ(clGetDeviceAndHostTimer(device_, &before, &hostBefore), CL_SUCCESS);
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue, 0, nullptr, marker.out()), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  ASSERT_EQ(clGetDeviceAndHostTimer(device_, &after, &hostAfter), CL_SUCCESS);
  cl_ulong last = before;
  for (cl_profiling_info name : {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START,
                                 CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_COMPLETE}) {
    cl_ulong time = valueAnswer<cl_ulong>(CLOTHO_INFO(clGetEventProfilingInfo, marker, name));
    EXPECT_GE(time, last) << std::hex << name;
    last = time;
  }
  EXPECT_GE(after, last);
  EXPECT_GE(hostAfter, hostBefore);
  const auto difference = static_cast<cl_long>((after - before) - (hostAfter - hostBefore));
  EXPECT_LT(std::abs(difference), 1'000'000'000) << "a second apart";
}

} // namespace

} // namespace clotho::test
