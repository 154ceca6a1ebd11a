// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Extensions of the host API: what each adds to queries, properties and functions.
#include "fixture.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <sstream>
#include <unistd.h>

namespace clotho::test {

namespace {

using Uuid = std::array<cl_uchar, CL_UUID_SIZE_KHR>;
using Size3 = std::array<size_t, 3>;

class ExtensionTest : public DeviceApi {
 protected:
  template <class Function> Function* function(const char* name) {
    void* address = clGetExtensionFunctionAddressForPlatform(platform_, name);
    EXPECT_NE(address, nullptr) << name;
    return reinterpret_cast<Function*>(address);
  }
  cl_int queueCode(std::vector<cl_queue_properties> list) {
    cl_int status = 1;
    Owned<cl_command_queue> queue = clCreateCommandQueueWithProperties(context_, device_, list.data(), &status);
    EXPECT_EQ(queue.get() == nullptr, status != CL_SUCCESS);
    return status;
  }
};

TEST_F(ExtensionTest, FunctionsAreFoundByNameWhereTheirExtensionIsClaimed) {
  CLOTHO_NEEDS(claims("cl_khr_create_command_queue"));
  CLOTHO_NEEDS(claims("cl_khr_suggested_local_work_size"));
  CLOTHO_NEEDS(claims("cl_khr_il_program"));
  for (const char* name :
       {"clCreateCommandQueueWithPropertiesKHR", "clGetKernelSuggestedLocalWorkSizeKHR", "clCreateProgramWithILKHR"}) {
    function<void()>(name);
    EXPECT_EQ(clGetExtensionFunctionAddressForPlatform(platform_, (name + std::string("X")).c_str()), nullptr);
    Foreign<cl_platform_id> foreign(platform_);
    EXPECT_EQ(clGetExtensionFunctionAddressForPlatform(foreign, name), nullptr);
  }
}

TEST_F(ExtensionTest, CreateCommandQueue) {
  auto make = function<decltype(clCreateCommandQueueWithPropertiesKHR)>("clCreateCommandQueueWithPropertiesKHR");
  ASSERT_NE(make, nullptr);
  cl_int status = 1;
  cl_queue_properties_khr list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  Owned<cl_command_queue> queue = make(context_, device_, list, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(valueAnswer<cl_command_queue_properties>(CLOTHO_INFO(clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES)),
            cl_bitfield{CL_QUEUE_PROFILING_ENABLE});
  Owned<cl_mem> buffer = makeBuffer(4);
  cl_uint value = 7, seen = 0;
  EXPECT_EQ(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 4, &value, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, &seen, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(seen, 7u);
  queue = make(context_, device_, nullptr, nullptr);
  EXPECT_NE(queue.get(), nullptr);

  Foreign<cl_context> foreignContext(device_);
  Foreign<cl_device_id> foreignDevice(device_);
  EXPECT_EQ(make(foreignContext, device_, list, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
  EXPECT_EQ(make(context_, foreignDevice, list, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_DEVICE);
  cl_queue_properties_khr unknown[] = {0x7777, 0, 0};
  EXPECT_EQ(make(context_, device_, unknown, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
}

TEST_F(ExtensionTest, QueueHints) {
  CLOTHO_NEEDS(claims("cl_khr_priority_hints"));
  CLOTHO_NEEDS(claims("cl_khr_throttle_hints"));
  const std::vector<cl_queue_properties> levels[] = {
      {CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_HIGH_KHR, CL_QUEUE_PRIORITY_MED_KHR, CL_QUEUE_PRIORITY_LOW_KHR},
      {CL_QUEUE_THROTTLE_KHR, CL_QUEUE_THROTTLE_HIGH_KHR, CL_QUEUE_THROTTLE_MED_KHR, CL_QUEUE_THROTTLE_LOW_KHR}};
  for (const std::vector<cl_queue_properties>& hint : levels) {
    cl_queue_properties name = hint[0];
    for (size_t i = 1; i < hint.size(); ++i) {
      const std::vector<cl_queue_properties> list = {name, hint[i], CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
      cl_int status = 1;
      Owned<cl_command_queue> queue = clCreateCommandQueueWithProperties(context_, device_, list.data(), &status);
      ASSERT_EQ(status, CL_SUCCESS);
      EXPECT_EQ(listAnswer<cl_queue_properties>(CLOTHO_INFO(clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES_ARRAY)),
                list);
      EXPECT_EQ(clEnqueueMarkerWithWaitList(queue, 0, nullptr, nullptr), CL_SUCCESS);
      EXPECT_EQ(clFinish(queue), CL_SUCCESS);
    }
    // One level, given once, and of a queue on the host.
    EXPECT_EQ(queueCode({name, 0, 0}), CL_INVALID_VALUE);
    EXPECT_EQ(queueCode({name, hint[1] | hint[2], 0}), CL_INVALID_VALUE);
    EXPECT_EQ(queueCode({name, 8, 0}), CL_INVALID_VALUE);
    EXPECT_EQ(queueCode({name, hint[1] | cl_queue_properties{1} << 32, 0}), CL_INVALID_VALUE);
    EXPECT_EQ(queueCode({name, hint[1], name, hint[1], 0}), CL_INVALID_VALUE);
    EXPECT_EQ(
        queueCode({name, hint[1], CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0}),
        CL_INVALID_QUEUE_PROPERTIES);
  }
  EXPECT_EQ(queueCode({CL_QUEUE_THROTTLE_KHR, CL_QUEUE_THROTTLE_LOW_KHR, CL_QUEUE_PRIORITY_KHR,
                       CL_QUEUE_PRIORITY_HIGH_KHR, CL_QUEUE_PROPERTIES, 0, 0}),
            CL_SUCCESS);
}

TEST_F(ExtensionTest, VersionsAsNumbers) {
  CLOTHO_NEEDS(claims("cl_khr_extended_versioning"));
  auto agrees = [](const std::string& text, const char* prefix, cl_version number) {
    std::ostringstream expected;
    expected << prefix << CL_VERSION_MAJOR_KHR(number) << '.' << CL_VERSION_MINOR_KHR(number) << ' ';
    EXPECT_EQ(text.substr(0, expected.str().size()), expected.str());
  };
  agrees(textAnswer(CLOTHO_INFO(clGetPlatformInfo, platform_, CL_PLATFORM_VERSION)), "OpenCL ",
         valueAnswer<cl_version_khr>(CLOTHO_INFO(clGetPlatformInfo, platform_, CL_PLATFORM_NUMERIC_VERSION_KHR)));
  agrees(text(CL_DEVICE_VERSION), "OpenCL ", value<cl_version>(CL_DEVICE_NUMERIC_VERSION_KHR));
  agrees(text(CL_DEVICE_OPENCL_C_VERSION), "OpenCL C ", value<cl_version>(CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR));
  std::ostringstream names;
  for (const cl_name_version_khr& entry : listAnswer<cl_name_version_khr>(
           CLOTHO_INFO(clGetPlatformInfo, platform_, CL_PLATFORM_EXTENSIONS_WITH_VERSION_KHR)))
    names << (names.tellp() > 0 ? " " : "") << entry.name;
  EXPECT_EQ(names.str(), textAnswer(CLOTHO_INFO(clGetPlatformInfo, platform_, CL_PLATFORM_EXTENSIONS)));
}

std::string hex(const Uuid& uuid) {
  std::string digits;
  for (unsigned byte : uuid)
    for (unsigned half : {byte >> 4, byte & 15})
      digits += "0123456789abcdef"[half];
  return digits;
}

// Its output is what the next test compares.
TEST_F(ExtensionTest, Uuids) {
  CLOTHO_NEEDS(claims("cl_khr_device_uuid"));
  Uuid device = value<Uuid>(CL_DEVICE_UUID_KHR), driver = value<Uuid>(CL_DRIVER_UUID_KHR);
  EXPECT_EQ(device, value<Uuid>(CL_DEVICE_UUID_KHR));
  EXPECT_NE(device, driver);
  // NVIDIA's driver gives GPUs theirs.
  if (value<cl_device_type>(CL_DEVICE_TYPE) == CL_DEVICE_TYPE_CPU)
    for (const Uuid& each : {device, driver}) {
      EXPECT_EQ(each[6] >> 4, 8) << "version 8 of RFC 9562";
      EXPECT_EQ(each[8] >> 6, 2) << "its variant";
    }
  std::printf("uuids %s %s\n", hex(device).c_str(), hex(driver).c_str());
  EXPECT_EQ(valueAnswer<cl_bool>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_LUID_VALID_KHR)), cl_bool{CL_FALSE});
  EXPECT_EQ(answer(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_LUID_KHR)).size(), size_t{CL_LUID_SIZE_KHR});
  answer(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_NODE_MASK_KHR));
}

TEST_F(ExtensionTest, UuidsAreThoseOfAnotherProcess) {
  CLOTHO_NEEDS(claims("cl_khr_device_uuid"));
  char self[PATH_MAX] = {};
  ASSERT_GT(readlink("/proc/self/exe", self, sizeof self - 1), 0);
  // What users may choose does not count.
  std::string command =
      "CLOTHO_DEVICE_NAME=other CLOTHO_COMPUTE_UNITS=1 '" + std::string(self) + "' --gtest_filter=ExtensionTest.Uuids";
  FILE* child = popen(command.c_str(), "r"); // NOLINT(cert-env33-c): our own path
  ASSERT_NE(child, nullptr);
  std::string output;
  for (char buffer[512]; size_t count = fread(buffer, 1, sizeof buffer, child);)
    output.append(buffer, count);
  EXPECT_EQ(pclose(child), 0) << output;
  std::string expected =
      "uuids " + hex(value<Uuid>(CL_DEVICE_UUID_KHR)) + ' ' + hex(value<Uuid>(CL_DRIVER_UUID_KHR)) + '\n';
  EXPECT_NE(output.find(expected), std::string::npos) << output;
}

class SuggestionTest : public ExtensionTest {
 protected:
  void SetUp() override {
    ExtensionTest::SetUp();
    CLOTHO_NEEDS(claims("cl_khr_suggested_local_work_size"));
    suggest_ = function<decltype(clGetKernelSuggestedLocalWorkSizeKHR)>("clGetKernelSuggestedLocalWorkSizeKHR");
    ASSERT_NE(suggest_, nullptr);
    seen_ = makeBuffer(3 * sizeof(cl_ulong));
  }
  Owned<cl_kernel> kernelOf(const char* source) {
    Owned<cl_kernel> kernel = makeKernel(source, "k", "-cl-std=CL3.0");
    cl_mem buffer = seen_;
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS);
    return kernel;
  }
  /// What a kernel that notes its local size sees when none is given.
  Size3 chosen(cl_kernel kernel, cl_uint dimensions, const Size3& offset, const Size3& global) {
    std::array<cl_ulong, 3> sizes{};
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, dimensions, offset.data(), global.data(), nullptr, 0, nullptr, nullptr),
        CL_SUCCESS);
    EXPECT_EQ(clEnqueueReadBuffer(queue_, seen_, CL_TRUE, 0, sizeof sizes, sizes.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    return {sizes[0], sizes[1], sizes[2]};
  }
  decltype(clGetKernelSuggestedLocalWorkSizeKHR)* suggest_ = nullptr;
  Owned<cl_mem> seen_;
};

constexpr char kNotes[] = "kernel void k(global ulong* sizes) { for (int i = 0; i < 3; ++i)"
                          " if (get_global_linear_id() == 0) sizes[i] = get_local_size(i); }";
constexpr char kNotesWithBarrier[] =
    "kernel void k(global ulong* sizes) { local ulong l[3];"
    " if (get_local_linear_id() == 0) l[0] = l[1] = l[2] = 0; barrier(CLK_LOCAL_MEM_FENCE);"
    " for (int i = 0; i < 3; ++i) if (get_global_linear_id() == 0) sizes[i] = get_local_size(i) + l[i]; }";
constexpr char kNotesRequired[] =
    "kernel __attribute__((reqd_work_group_size(8, 2, 1))) void k(global ulong* sizes) {"
    " for (int i = 0; i < 3; ++i) if (get_global_linear_id() == 0) sizes[i] = get_local_size(i); }";

TEST_F(SuggestionTest, IsWhatAnEnqueueWithoutALocalSizeChooses) {
  for (const char* source : {kNotes, kNotesWithBarrier}) {
    Owned<cl_kernel> kernel = makeKernel(source, "k", "-cl-std=CL3.0");
    cl_mem buffer = seen_;
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS);
    for (const Size3& global : {Size3{1, 1, 1}, Size3{7, 1, 1}, Size3{64, 3, 12}, Size3{113, 1, 64}, Size3{1000, 1, 1},
                                Size3{4096, 12, 1}, Size3{65536, 1, 1}, Size3{12, 12, 113}})
      for (const Size3& offset : {Size3{0, 0, 0}, Size3{10, 0, 3}})
        for (cl_uint dimensions = 1; dimensions <= 3; ++dimensions) {
          Size3 suggested = {77, 77, 77};
          ASSERT_EQ(suggest_(queue_, kernel, dimensions, offset.data(), global.data(), suggested.data()), CL_SUCCESS);
          for (cl_uint i = dimensions; i < 3; ++i)
            EXPECT_EQ(std::exchange(suggested[i], 1), 77u) << "only as many values as dimensions";
          EXPECT_EQ(suggested, chosen(kernel, dimensions, offset, global));
        }
  }
}

TEST_F(SuggestionTest, IsWholeSubGroupsWhereThatIsNotMuchSmaller) {
  const auto multiple = value<size_t>(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
  const Size3 global = {120'000, 1, 1}; // which 60, 100 and 250 divide, too
  Size3 suggested{};
  for (const char* source : {kNotes, kNotesWithBarrier}) {
    Owned<cl_kernel> kernel = kernelOf(source);
    ASSERT_EQ(suggest_(queue_, kernel, 1, nullptr, global.data(), suggested.data()), CL_SUCCESS);
    EXPECT_EQ(suggested[0] % multiple, 0u) << suggested[0];
  }
}

/// Neighbours along dimension 1 are neighbours in memory.
constexpr char kRowsFirst[] = "kernel void k(global ulong* sizes) {"
                              " sizes[3 + get_global_id(0) * get_global_size(1) + get_global_id(1)] = 1;"
                              " if (get_global_linear_id() == 0)"
                              " for (int i = 0; i < 3; ++i) sizes[i] = get_local_size(i); }";

TEST_F(SuggestionTest, IsLongWhereNeighboursShareAVector) {
  CLOTHO_NEEDS(isCpu()); // warps are along dimension 0
  const Size3 global = {512, 256, 1};
  seen_ = makeBuffer((3 + 512 * 256) * sizeof(cl_ulong));
  Owned<cl_kernel> kernel = kernelOf(kRowsFirst);
  Size3 suggested{1, 1, 1};
  ASSERT_EQ(suggest_(queue_, kernel, 2, nullptr, global.data(), suggested.data()), CL_SUCCESS);
  EXPECT_GT(suggested[1], suggested[0]);
  EXPECT_EQ(suggested, chosen(kernel, 2, {0, 0, 0}, global));
}

TEST_F(SuggestionTest, IsTheRequiredSize) {
  Owned<cl_kernel> kernel = makeKernel(kNotesRequired, "k", "-cl-std=CL3.0");
  cl_mem buffer = seen_;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS);
  Size3 global = {64, 4, 1}, suggested{};
  EXPECT_EQ(suggest_(queue_, kernel, 3, nullptr, global.data(), suggested.data()), CL_SUCCESS);
  EXPECT_EQ(suggested, (Size3{8, 2, 1}));
  // Work-groups at the end are smaller, where they may be.
  global[0] = 63;
  EXPECT_EQ(suggest_(queue_, kernel, 3, nullptr, global.data(), suggested.data()), CL_SUCCESS);
  EXPECT_EQ(suggested, (Size3{8, 2, 1}));
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 3, nullptr, global.data(), nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
  // What cannot be enqueued has no size to suggest.
  kernel = makeKernel(kNotesRequired, "k", "-cl-std=CL3.0 -cl-uniform-work-group-size");
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS);
  EXPECT_EQ(suggest_(queue_, kernel, 3, nullptr, global.data(), suggested.data()), CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 3, nullptr, global.data(), nullptr, 0, nullptr, nullptr),
            CL_INVALID_WORK_GROUP_SIZE);
}

TEST_F(SuggestionTest, Errors) {
  Owned<cl_kernel> kernel = kernelOf("kernel void k(global ulong* sizes) {}");
  Size3 global = {64, 4, 1}, suggested{};
  Foreign<cl_command_queue> foreignQueue(device_);
  Foreign<cl_kernel> foreignKernel(device_);
  EXPECT_EQ(suggest_(nullptr, kernel, 3, nullptr, global.data(), suggested.data()), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(suggest_(foreignQueue, kernel, 3, nullptr, global.data(), suggested.data()), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(suggest_(queue_, nullptr, 3, nullptr, global.data(), suggested.data()), CL_INVALID_KERNEL);
  EXPECT_EQ(suggest_(queue_, foreignKernel, 3, nullptr, global.data(), suggested.data()), CL_INVALID_KERNEL);
  Owned<cl_context> otherContext = makeContext();
  cl_int status;
  Owned<cl_command_queue> other = clCreateCommandQueueWithProperties(otherContext, device_, nullptr, &status);
  EXPECT_EQ(suggest_(other, kernel, 3, nullptr, global.data(), suggested.data()), CL_INVALID_CONTEXT);
  for (cl_uint dimensions : {0u, 4u})
    EXPECT_EQ(suggest_(queue_, kernel, dimensions, nullptr, global.data(), suggested.data()),
              CL_INVALID_WORK_DIMENSION);
  EXPECT_EQ(suggest_(queue_, kernel, 3, nullptr, nullptr, suggested.data()), CL_INVALID_GLOBAL_WORK_SIZE);
  for (size_t i = 0; i < 3; ++i) {
    Size3 empty = global;
    empty[i] = 0;
    EXPECT_EQ(suggest_(queue_, kernel, 3, nullptr, empty.data(), suggested.data()), CL_INVALID_GLOBAL_WORK_SIZE);
    EXPECT_EQ(suggest_(queue_, kernel, static_cast<cl_uint>(i) + 1, nullptr, empty.data(), suggested.data()),
              CL_INVALID_GLOBAL_WORK_SIZE);
    Size3 far{};
    far[i] = SIZE_MAX - global[i] + 1;
    EXPECT_EQ(suggest_(queue_, kernel, 3, far.data(), global.data(), suggested.data()), CL_INVALID_GLOBAL_OFFSET);
    --far[i];
    EXPECT_EQ(suggest_(queue_, kernel, 3, far.data(), global.data(), suggested.data()), CL_SUCCESS);
  }
  EXPECT_EQ(suggest_(queue_, kernel, 3, nullptr, global.data(), nullptr), CL_INVALID_VALUE);
  Owned<cl_kernel> unset = makeKernel("kernel void k(global ulong* sizes) {}", "k");
  EXPECT_EQ(suggest_(queue_, unset, 3, nullptr, global.data(), suggested.data()), CL_INVALID_KERNEL_ARGS);
}

} // namespace

} // namespace clotho::test
