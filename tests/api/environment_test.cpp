// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What environment variables change of what the driver says. They are read once, so every suite is a run of its own;
// CMakeLists.txt sets the variables.
#include "binary_parts.hpp"
#include "fixture.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>

namespace clotho::test {

namespace {

using OverridesTest = DeviceApi;

TEST_F(OverridesTest, DeviceIsAsTheVariablesSay) {
  EXPECT_EQ(text(CL_DEVICE_NAME), "Loom of the Fates");
  EXPECT_EQ(text(CL_DEVICE_VENDOR), "Zeus & Themis");
  EXPECT_EQ(value<cl_uint>(CL_DEVICE_VENDOR_ID), 0x10deu);
  EXPECT_EQ(value<cl_uint>(CL_DEVICE_MAX_CLOCK_FREQUENCY), 1234u);
  EXPECT_EQ(value<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS), 3u);
  EXPECT_EQ(value<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE), cl_ulong{96} << 20);
  EXPECT_EQ(value<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE), cl_ulong{40} << 20);
  EXPECT_EQ(value<cl_ulong>(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE), cl_ulong{40} << 20);
  EXPECT_EQ(value<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE), cl_ulong{192} << 10);
  EXPECT_EQ(value<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE), 4096u);
}

// The limits are not only said but kept.
TEST_F(OverridesTest, BuffersAreLimited) {
  cl_int status = 1;
  EXPECT_EQ(clCreateBuffer(context_, 0, (size_t{40} << 20) + 1, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_BUFFER_SIZE);
  Owned<cl_mem> first = makeBuffer(size_t{40} << 20), second = makeBuffer(size_t{40} << 20);
  cl_mem third = clCreateBuffer(context_, 0, size_t{40} << 20, nullptr, &status);
  if (status == CL_SUCCESS) {
    // Memory may be asked for no sooner than at the first use.
    cl_uint zero = 0;
    for (cl_mem buffer : {first.get(), second.get(), third})
      if (status == CL_SUCCESS)
        status = clEnqueueFillBuffer(queue_, buffer, &zero, sizeof zero, 0, size_t{40} << 20, 0, nullptr, nullptr);
    EXPECT_EQ(clReleaseMemObject(third), CL_SUCCESS);
  }
  EXPECT_EQ(status, CL_MEM_OBJECT_ALLOCATION_FAILURE);
}

TEST_F(OverridesTest, LocalMemoryIsLimited) {
  Owned<cl_kernel> kernel = makeKernel("kernel void k(local int* l, global int* g) {"
                                       " l[get_local_id(0) * 12288] = get_local_id(0); barrier(CLK_LOCAL_MEM_FENCE);"
                                       " g[get_local_id(0)] = l[get_local_id(0) * 12288]; }",
                                       "k");
  Owned<cl_mem> buffer = makeBuffer(16);
  cl_mem raw = buffer;
  ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof raw, &raw), CL_SUCCESS);
  size_t four = 4;
  ASSERT_EQ(clSetKernelArg(kernel, 0, (192 << 10) + 1, nullptr), CL_SUCCESS);
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &four, &four, 0, nullptr, nullptr), CL_OUT_OF_RESOURCES);
  ASSERT_EQ(clSetKernelArg(kernel, 0, 192 << 10, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &four, &four, 0, nullptr, nullptr), CL_SUCCESS);
  cl_int seen[4] = {};
  EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, sizeof seen, seen, 0, nullptr, nullptr), CL_SUCCESS);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(seen[i], i);
}

/// Both suites of versions build the same source, and neither may find the other's in the cache.
class VersionApi : public DeviceApi {
 protected:
  cl_int versionInKernels(const char* options) {
    Owned<cl_kernel> kernel = makeKernel("kernel void k(global int* out) { *out = __OPENCL_VERSION__; }", "k", options);
    Owned<cl_mem> buffer = makeBuffer(sizeof(cl_int));
    cl_mem raw = buffer;
    size_t one = 1;
    cl_int seen = 0;
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
    EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, sizeof seen, &seen, 0, nullptr, nullptr), CL_SUCCESS);
    return seen;
  }
};

/// CLOTHO_OPENCL_VERSION=2.2
using Version22Test = VersionApi;

TEST_F(Version22Test, PlatformAndDeviceSaySo) {
  for (const std::string& said :
       {textAnswer(CLOTHO_INFO(clGetPlatformInfo, platform_, CL_PLATFORM_VERSION)), text(CL_DEVICE_VERSION)})
    EXPECT_TRUE(said.starts_with("OpenCL 2.2 ")) << said;
  for (cl_version number :
       {valueAnswer<cl_version>(CLOTHO_INFO(clGetPlatformInfo, platform_, CL_PLATFORM_NUMERIC_VERSION_KHR)),
        value<cl_version>(CL_DEVICE_NUMERIC_VERSION_KHR)})
    EXPECT_EQ(number, cl_version{CL_MAKE_VERSION(2, 2, 0)});
  EXPECT_TRUE(text(CL_DEVICE_OPENCL_C_VERSION).starts_with("OpenCL C 2.0 ")) << text(CL_DEVICE_OPENCL_C_VERSION);
  EXPECT_EQ(value<cl_version>(CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR), cl_version{CL_MAKE_VERSION(2, 0, 0)});
}

TEST_F(Version22Test, KernelsSeeIt) {
  for (const char* options : {"", "-cl-std=CL1.1", "-cl-std=CL3.0"})
    EXPECT_EQ(versionInKernels(options), 220) << options;
}

// Versions of the language that CL_DEVICE_OPENCL_C_ALL_VERSIONS does not list are none (3.1, section 5.8.6).
TEST_F(Version22Test, NewerLanguageIsRefused) {
  Owned<cl_program> program = makeProgram("kernel void k() {}");
  EXPECT_EQ(clBuildProgram(program, 1, &device_, "-cl-std=CL3.1", nullptr, nullptr), CL_INVALID_BUILD_OPTIONS);
}

// What 2.2 and the extensions have is still answered.
TEST_F(Version22Test, QueriesOf30AreUnknown) {
  const std::set<cl_uint> of30 = {
      CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,         CL_DEVICE_ATOMIC_FENCE_CAPABILITIES,
      CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT,     CL_DEVICE_OPENCL_C_ALL_VERSIONS,
      CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT,
      CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT,      CL_DEVICE_OPENCL_C_FEATURES,
      CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES,        CL_DEVICE_PIPE_SUPPORT,
      CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED};
  for (cl_uint name : of30)
    EXPECT_EQ(clGetDeviceInfo(device_, name, 0, nullptr, nullptr), CL_INVALID_VALUE) << std::hex << name;
  for (cl_uint name : {CL_DEVICE_EXTENSIONS_WITH_VERSION_KHR, CL_DEVICE_ILS_WITH_VERSION_KHR,
                       CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION_KHR, CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR,
                       CL_DEVICE_IL_VERSION, CL_DEVICE_MAX_NUM_SUB_GROUPS, CL_DEVICE_SVM_CAPABILITIES})
    EXPECT_EQ(clGetDeviceInfo(device_, name, 0, nullptr, nullptr), CL_SUCCESS) << std::hex << name;
  Owned<cl_mem> buffer = makeBuffer(64);
  EXPECT_EQ(clGetMemObjectInfo(buffer, CL_MEM_PROPERTIES, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetMemObjectInfo(buffer, CL_MEM_USES_SVM_POINTER, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clGetCommandQueueInfo(queue_, CL_QUEUE_PROPERTIES_ARRAY, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetCommandQueueInfo(queue_, CL_QUEUE_DEVICE_DEFAULT, 0, nullptr, nullptr), CL_SUCCESS);
  cl_int status = 1;
  Owned<cl_sampler> sampler = clCreateSamplerWithProperties(context_, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, 0, nullptr, nullptr), CL_SUCCESS);
}

// 2.2 has no error of its own for a size of 0 (section 5.3.1).
TEST_F(Version22Test, ImagesWithoutTexels) {
  const cl_image_format format{CL_RGBA, CL_UNORM_INT8};
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_height = 4;
  cl_int status = 1;
  EXPECT_EQ(clCreateImage(context_, 0, &format, &desc, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_IMAGE_DESCRIPTOR);
}

// Every program has them, in reverse order, once nothing refers to it (2.2, section 5.8.2).
TEST_F(Version22Test, ProgramReleaseCallbacks) {
  struct Calls {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::pair<cl_program, int>> made;
  } calls;
  struct Note {
    Calls* calls;
    int number;
  } notes[] = {{&calls, 1}, {&calls, 2}, {&calls, 3}};
  auto note = [](cl_program program, void* data) {
    const Note& own = *static_cast<Note*>(data);
    std::lock_guard lock(own.calls->mutex);
    own.calls->made.emplace_back(program, own.number);
    own.calls->changed.notify_all();
  };
  EXPECT_EQ(clSetProgramReleaseCallback(nullptr, note, nullptr), CL_INVALID_PROGRAM);
  Owned<cl_program> program = buildProgram("kernel void k() {}");
  EXPECT_EQ(clSetProgramReleaseCallback(program, nullptr, nullptr), CL_INVALID_VALUE);
  for (Note& each : notes)
    ASSERT_EQ(clSetProgramReleaseCallback(program, note, &each), CL_SUCCESS);
  cl_int status = 1;
  Owned<cl_kernel> kernel = clCreateKernel(program, "k", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  cl_program released = program.take();
  ASSERT_EQ(clReleaseProgram(released), CL_SUCCESS);
  {
    std::lock_guard lock(calls.mutex);
    EXPECT_TRUE(calls.made.empty()) << "the kernel refers to the program";
  }
  ASSERT_EQ(clReleaseKernel(kernel.take()), CL_SUCCESS);
  std::unique_lock lock(calls.mutex);
  EXPECT_TRUE(calls.changed.wait_for(lock, std::chrono::seconds(60), [&] { return calls.made.size() == 3; }));
  EXPECT_EQ(calls.made, (std::vector<std::pair<cl_program, int>>{{released, 3}, {released, 2}, {released, 1}}));
}

/// What the log says of the variables.
class LogApi : public VersionApi {
 protected:
  static void SetUpTestSuite() {
    // The first call reads the variables.
    testing::internal::CaptureStderr();
    Api::SetUpTestSuite();
    log_ = new std::string(testing::internal::GetCapturedStderr());
  }
  static void TearDownTestSuite() { delete std::exchange(log_, nullptr); }
  static std::string* log_;
};
std::string* LogApi::log_ = nullptr;

/// CLOTHO_OPENCL_VERSION=2.1, which there is not, and CLOTHO_LOG=warn.
using RefusedVersionTest = LogApi;

TEST_F(RefusedVersionTest, Is30AndLogged) {
  EXPECT_TRUE(textAnswer(CLOTHO_INFO(clGetPlatformInfo, platform_, CL_PLATFORM_VERSION)).starts_with("OpenCL 3.0 "));
  EXPECT_TRUE(text(CL_DEVICE_VERSION).starts_with("OpenCL 3.0 "));
  EXPECT_EQ(value<cl_version>(CL_DEVICE_NUMERIC_VERSION), cl_version{CL_MAKE_VERSION(3, 0, 0)});
  EXPECT_EQ(clGetDeviceInfo(device_, CL_DEVICE_OPENCL_C_FEATURES, 0, nullptr, nullptr), CL_SUCCESS);
  for (const char* options : {"", "-cl-std=CL1.1", "-cl-std=CL3.0"})
    EXPECT_EQ(versionInKernels(options), 300) << options;
  Owned<cl_program> program = makeProgram("kernel void k() {}");
  EXPECT_EQ(clBuildProgram(program, 1, &device_, "-cl-std=CL3.1", nullptr, nullptr), CL_INVALID_BUILD_OPTIONS);
  EXPECT_EQ(clGetExtensionFunctionAddressForPlatform(platform_, "clGetKernelSuggestedLocalWorkSize"), nullptr)
      << "of OpenCL 3.1";
  size_t at = log_->find("CLOTHO_OPENCL_VERSION is '2.1'");
  EXPECT_NE(at, std::string::npos) << *log_;
  EXPECT_EQ(log_->find("CLOTHO_OPENCL_VERSION", at + 1), std::string::npos) << "said twice: " << *log_;
}

/// CLOTHO_DEVICES=gpu:63,joint, a GPU that there is not, and CLOTHO_LOG=warn.
using JointWithoutGpuTest = LogApi;

TEST_F(JointWithoutGpuTest, IsOfTheCpuAndLogged) {
  EXPECT_EQ(text(CL_DEVICE_NAME), "Clotho: 1 device");
  EXPECT_NE(log_->find("there is no GPU '63'"), std::string::npos) << *log_;
  EXPECT_NE(log_->find("there is no GPU, so the joint device is one of the CPU devices"), std::string::npos) << *log_;
}

/// CLOTHO_DEVICES=cpu:3 and CLOTHO_COMPUTE_UNITS=8, in a context of all devices.
using DividedCpuTest = Api;

TEST_F(DividedCpuTest, EachDeviceHasItsShareAndRunsKernels) {
  std::array<cl_device_id, 4> devices{};
  cl_uint count = 0;
  ASSERT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, devices.size(), devices.data(), &count), CL_SUCCESS);
  ASSERT_EQ(count, 3u);
  constexpr std::array kUnits = {2u, 3u, 3u};
  Owned<cl_kernel> kernel = makeKernel("kernel void k(global uint* a) { a[get_global_id(0)] += 1; }", "k");
  cl_uint words[1000] = {};
  Owned<cl_mem> buffer = makeBuffer(sizeof words, CL_MEM_COPY_HOST_PTR, words);
  cl_mem argument = buffer;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof argument, &argument), CL_SUCCESS);
  for (cl_uint i = 0; i < count; ++i) {
    const std::string name = textAnswer(CLOTHO_INFO(clGetDeviceInfo, devices[i], CL_DEVICE_NAME));
    EXPECT_TRUE(name.ends_with(" (" + std::to_string(i + 1) + " of 3)")) << name;
    EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetDeviceInfo, devices[i], CL_DEVICE_MAX_COMPUTE_UNITS)), kUnits[i]);
    EXPECT_EQ(valueAnswer<cl_device_id>(CLOTHO_INFO(clGetDeviceInfo, devices[i], CL_DEVICE_PARENT_DEVICE)), nullptr);
    cl_int status = 1;
    Owned<cl_command_queue> queue = clCreateCommandQueueWithProperties(context_, devices[i], nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    const size_t global = std::size(words);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  }
  ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, sizeof words, words, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(std::count(std::begin(words), std::end(words), 3u), std::ssize(words));
}

/// CLOTHO_PORTABLE_BINARIES=1.
using PortableBinariesTest = DeviceApi;

TEST_F(PortableBinariesTest, MachineCodeIsMadeAnew) {
  Owned<cl_program> program = buildProgram("kernel void k(global int* a) { a[get_global_id(0)] = 42; }");
  size_t size = 0;
  ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr), CL_SUCCESS);
  std::vector<unsigned char> bytes(size);
  unsigned char* pointer = bytes.data();
  ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof pointer, &pointer, nullptr), CL_SUCCESS);

  cl_int status = 1;
  const auto create = [&](const std::vector<unsigned char>& binary) {
    const unsigned char* data = binary.data();
    const size_t length = binary.size();
    return Owned<cl_program>(clCreateProgramWithBinary(context_, 1, &device_, &length, &data, nullptr, &status));
  };
  // Code that would not even load: if it is looked at, the build fails.
  Owned<cl_program> foreign = create(forged(bytes, [](BuildResult& result) { result.object = "\177ELF trap"; }));
  ASSERT_EQ(status, CL_SUCCESS);
  ASSERT_EQ(clBuildProgram(foreign, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  Owned<cl_kernel> kernel = clCreateKernel(foreign, "k", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_mem> buffer = makeBuffer(sizeof(cl_int));
  cl_mem raw = buffer;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
  const size_t one = 1;
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  cl_int result = 0;
  ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, sizeof result, &result, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(result, 42);

  // And nothing else is taken instead.
  create(forged(bytes, [](BuildResult& changed) { changed.portable.clear(); }));
  EXPECT_EQ(status, CL_INVALID_BINARY);
}

} // namespace

} // namespace clotho::test
