// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fixture.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace clotho::test {

cl_platform_id Api::platform_ = nullptr;
cl_device_id Api::device_ = nullptr;

cl_int release(cl_context handle) { return clReleaseContext(handle); }
cl_int release(cl_command_queue handle) { return clReleaseCommandQueue(handle); }
cl_int release(cl_mem handle) { return clReleaseMemObject(handle); }
cl_int release(cl_sampler handle) { return clReleaseSampler(handle); }
cl_int release(cl_program handle) { return clReleaseProgram(handle); }
cl_int release(cl_kernel handle) { return clReleaseKernel(handle); }
cl_int release(cl_event handle) { return clReleaseEvent(handle); }

std::vector<std::byte> answer(const InfoCall& call) {
  size_t size = ~size_t{0};
  EXPECT_EQ(call(0, nullptr, &size), CL_SUCCESS);
  if (size == ~size_t{0}) return {};
  std::vector<std::byte> bytes(size + 1, std::byte{0xa5});
  size_t again = 0;
  EXPECT_EQ(call(size, bytes.data(), &again), CL_SUCCESS);
  EXPECT_EQ(size, again);
  EXPECT_EQ(bytes.back(), std::byte{0xa5}) << "wrote more than it said";
  bytes.pop_back();
  return bytes;
}

std::string textAnswer(const InfoCall& call) {
  std::vector<std::byte> bytes = answer(call);
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  EXPECT_FALSE(text.empty()) << "a string has at least its terminator";
  if (text.empty()) return text;
  EXPECT_EQ(text.back(), '\0');
  text.pop_back();
  EXPECT_EQ(text.find('\0'), std::string::npos);
  return text;
}

void checkInfoProtocol(const std::function<cl_int(cl_uint, size_t, void*, size_t*)>& call, cl_uint someName) {
  size_t size = 0;
  EXPECT_EQ(call(someName, 0, nullptr, &size), CL_SUCCESS);
  ASSERT_GT(size, 0u);
  std::vector<std::byte> bytes(size + 8);
  EXPECT_EQ(call(someName, size - 1, bytes.data(), nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(call(someName, size, bytes.data(), nullptr), CL_SUCCESS);
  EXPECT_EQ(call(someName, size + 8, bytes.data(), &size), CL_SUCCESS);
  EXPECT_EQ(size, bytes.size() - 8);
  EXPECT_EQ(call(someName, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(call(0x7ffffff0, bytes.size(), bytes.data(), &size), CL_INVALID_VALUE);
}

void Api::SetUpTestSuite() {
  cl_uint count = 0;
  ASSERT_EQ(clGetPlatformIDs(0, nullptr, &count), CL_SUCCESS);
  std::vector<cl_platform_id> platforms(count);
  ASSERT_EQ(clGetPlatformIDs(count, platforms.data(), nullptr), CL_SUCCESS);
  for (cl_platform_id platform : platforms)
    if (textAnswer(CLOTHO_INFO(clGetPlatformInfo, platform, CL_PLATFORM_NAME)) == "Clotho") platform_ = platform;
  ASSERT_NE(platform_, nullptr) << "the loader does not see Clotho: OCL_ICD_VENDORS has to name its .icd file";
  ASSERT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr), CL_SUCCESS);
}

// Such a device is named with its host. One of several is not, but comes with them.
bool Api::isOfNode(cl_device_id device) {
  const std::string name = textAnswer(CLOTHO_INFO(clGetDeviceInfo, device, CL_DEVICE_NAME));
  if (!name.starts_with("Clotho: ")) return name.find(" on ") != std::string::npos;
  std::array<cl_device_id, 64> all{};
  cl_uint count = 0;
  EXPECT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, all.size(), all.data(), &count), CL_SUCCESS);
  return std::any_of(all.begin(), all.begin() + std::min<std::size_t>(count, all.size()),
                     [&](cl_device_id each) { return each != device && isOfNode(each); });
}

bool Api::isFar(cl_device_id device) {
  const std::string name = textAnswer(CLOTHO_INFO(clGetDeviceInfo, device, CL_DEVICE_NAME));
  const bool isJoint = name.starts_with("Clotho: "); // of several devices, with one memory or with several
  if (isJoint) return !valueAnswer<cl_bool>(CLOTHO_INFO(clGetDeviceInfo, device, CL_DEVICE_HOST_UNIFIED_MEMORY));
  return name.ends_with(" (far)") || name.ends_with(" (bare)") || isOfNode(device) ||
         textAnswer(CLOTHO_INFO(clGetDeviceInfo, device, CL_DEVICE_VENDOR)) == "NVIDIA Corporation";
}

bool Api::claims(const std::string& name) {
  for (cl_device_info query : {CL_DEVICE_EXTENSIONS_WITH_VERSION, CL_DEVICE_OPENCL_C_FEATURES})
    for (const cl_name_version& each : listAnswer<cl_name_version>(CLOTHO_INFO(clGetDeviceInfo, device_, query)))
      if (each.name == name) return true;
  return false;
}

namespace {

template <class T> T ofDevice(cl_device_id device, cl_device_info name) {
  return valueAnswer<T>(CLOTHO_INFO(clGetDeviceInfo, device, name));
}

} // namespace

bool Api::isCpu() { return ofDevice<cl_device_type>(device_, CL_DEVICE_TYPE) == CL_DEVICE_TYPE_CPU; }

bool Api::hasDeviceQueues() {
  return ofDevice<cl_command_queue_properties>(device_, CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES) != 0;
}

bool Api::hasNativeKernels() {
  return (ofDevice<cl_device_exec_capabilities>(device_, CL_DEVICE_EXECUTION_CAPABILITIES) & CL_EXEC_NATIVE_KERNEL) !=
         0;
}

bool Api::hasPipes() { return ofDevice<cl_bool>(device_, CL_DEVICE_PIPE_SUPPORT) != CL_FALSE; }

bool Api::hasSharedMemory() { return ofDevice<cl_device_svm_capabilities>(device_, CL_DEVICE_SVM_CAPABILITIES) != 0; }

bool Api::hasSubDevices() { return ofDevice<cl_uint>(device_, CL_DEVICE_PARTITION_MAX_SUB_DEVICES) > 1; }

bool Api::hasSubGroups() { return ofDevice<cl_uint>(device_, CL_DEVICE_MAX_NUM_SUB_GROUPS) > 0; }

void Api::SetUp() {
  ASSERT_NE(device_, nullptr);
  context_ = makeContext();
  queue_ = makeQueue();
}

void Api::TearDown() {
  if (!queue_) return;
  cl_bool isAvailable = CL_TRUE;
  EXPECT_EQ(clGetDeviceInfo(device_, CL_DEVICE_AVAILABLE, sizeof isAvailable, &isAvailable, nullptr), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue_), isAvailable ? CL_SUCCESS : CL_OUT_OF_RESOURCES);
}

Owned<cl_context> Api::makeContext() {
  cl_int status = 1;
  std::vector<cl_device_id> devices(std::getenv("CLOTHO_TEST_ALL_DEVICES") ? 16 : 1);
  cl_uint count = 0;
  EXPECT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, static_cast<cl_uint>(devices.size()), devices.data(), &count),
            CL_SUCCESS);
  count = std::min(count, static_cast<cl_uint>(devices.size()));
  Owned<cl_context> context = clCreateContext(nullptr, count, devices.data(), nullptr, nullptr, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  return context;
}

Owned<cl_command_queue> Api::makeQueue(cl_command_queue_properties properties) {
  cl_int status = 1;
  cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
  Owned<cl_command_queue> queue = clCreateCommandQueueWithProperties(context_, device_, list, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  return queue;
}

Owned<cl_mem> Api::makeBuffer(size_t size, cl_mem_flags flags, void* host) {
  cl_int status = 1;
  Owned<cl_mem> buffer = clCreateBuffer(context_, flags, size, host, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  return buffer;
}

Owned<cl_event> Api::makeUserEvent() {
  cl_int status = 1;
  Owned<cl_event> event = clCreateUserEvent(context_, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  return event;
}

Owned<cl_program> Api::makeProgram(const char* source) {
  cl_int status = 1;
  Owned<cl_program> program = clCreateProgramWithSource(context_, 1, &source, nullptr, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  return program;
}

Owned<cl_program> Api::buildProgram(const char* source, const char* options) {
  Owned<cl_program> program = makeProgram(source);
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, options, nullptr, nullptr), CL_SUCCESS) << buildLog(program);
  return program;
}

Owned<cl_program> Api::throughBinary(cl_program program) {
  auto sizes = listAnswer<size_t>(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_BINARY_SIZES));
  std::vector<unsigned char> bytes(sizes.at(0));
  unsigned char* pointer = bytes.data();
  EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof pointer, &pointer, nullptr), CL_SUCCESS);
  const unsigned char* source = pointer;
  cl_int status = 1;
  Owned<cl_program> again = clCreateProgramWithBinary(context_, 1, &device_, sizes.data(), &source, nullptr, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  return again;
}

Owned<cl_kernel> Api::makeKernel(const char* source, const char* name, const char* options) {
  Owned<cl_program> program = buildProgram(source, options);
  cl_int status = 1;
  Owned<cl_kernel> kernel = clCreateKernel(program, name, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  return kernel;
}

std::string Api::buildLog(cl_program program) {
  return textAnswer(CLOTHO_INFO(clGetProgramBuildInfo, program, device_, CL_PROGRAM_BUILD_LOG));
}

cl_int Api::statusOf(cl_event event) {
  return valueAnswer<cl_int>(CLOTHO_INFO(clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS));
}

} // namespace clotho::test
