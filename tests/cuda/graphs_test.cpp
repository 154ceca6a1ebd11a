// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command buffers on GPUs, which are CUDA graphs from their second run on. By the fake driver, whose kernels named
// fake_store store a number.
#include "base/command_buffer_header.hpp"

#include <array>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <vector>

namespace {

namespace khr = clotho::khr;

template <class Function> Function* extension(cl_platform_id platform, const char* name) {
  auto* found = reinterpret_cast<Function*>(clGetExtensionFunctionAddressForPlatform(platform, name));
  EXPECT_NE(found, nullptr) << name;
  return found;
}

class GraphsTest : public testing::Test {
 protected:
  static constexpr std::size_t kStores = 6, kBuffers = kStores + 2;

  void SetUp() override {
    cl_int status = 1;
    ASSERT_EQ(clGetPlatformIDs(1, &platform_, nullptr), CL_SUCCESS);
    ASSERT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_GPU, 1, &device_, nullptr), CL_SUCCESS);
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    queue_ = clCreateCommandQueueWithProperties(context_, device_, nullptr, &status);
    const char* source = "kernel void fake_store(global int* p, int value) { p[0] = value; }"
                         "kernel void say(global int* p, int value) { printf(\"%d\", p[0]); }";
    program_ = clCreateProgramWithSource(context_, 1, &source, nullptr, &status);
    ASSERT_EQ(clBuildProgram(program_, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
    for (cl_mem& buffer : buffers_)
      buffer = clCreateBuffer(context_, CL_MEM_READ_WRITE, sizeof(cl_int), nullptr, &status);
    update_ = extension<khr::clUpdateMutableCommandsKHR_t>(platform_, "clUpdateMutableCommandsKHR");
    enqueue_ = extension<khr::clEnqueueCommandBufferKHR_t>(platform_, "clEnqueueCommandBufferKHR");
  }
  static int count(const char* what) {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    const auto function = reinterpret_cast<int (*)()>(dlsym(driver, what));
    return function ? function() : -1;
  }
  cl_kernel kernel(const char* name, std::size_t buffer, cl_int value) {
    cl_int status = 1;
    cl_kernel made = clCreateKernel(program_, name, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(made, 0, sizeof buffers_[buffer], &buffers_[buffer]), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(made, 1, sizeof value, &value), CL_SUCCESS);
    return made;
  }
  /// Stores 10, 11, 12 and so on in the first buffers, fills the next, and copies the first to the last.
  cl_command_buffer_khr record(const char* lastKernel = "fake_store") {
    cl_int status = 1;
    const cl_command_buffer_properties_khr properties[] = {
        CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR | CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
    cl_command_buffer_khr made = extension<khr::clCreateCommandBufferKHR_t>(platform_, "clCreateCommandBufferKHR")(
        1, &queue_, properties, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    const auto launch = extension<khr::clCommandNDRangeKernelKHR_t>(platform_, "clCommandNDRangeKernelKHR");
    const std::size_t items = 64;
    for (std::size_t i = 0; i < kStores; ++i)
      EXPECT_EQ(launch(made, nullptr, nullptr,
                       kernel(i + 1 < kStores ? "fake_store" : lastKernel, i, static_cast<cl_int>(10 + i)), 1, nullptr,
                       &items, nullptr, 0, nullptr, nullptr, &handles_[i]),
                CL_SUCCESS);
    const cl_int filled = 77;
    EXPECT_EQ(extension<khr::clCommandFillBufferKHR_t>(platform_, "clCommandFillBufferKHR")(
                  made, nullptr, nullptr, buffers_[kStores], &filled, sizeof filled, 0, sizeof filled, 0, nullptr,
                  nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(extension<khr::clCommandCopyBufferKHR_t>(platform_, "clCommandCopyBufferKHR")(
                  made, nullptr, nullptr, buffers_[0], buffers_[kStores + 1], 0, 0, sizeof(cl_int), 0, nullptr, nullptr,
                  nullptr),
              CL_SUCCESS);
    EXPECT_EQ(extension<khr::clFinalizeCommandBufferKHR_t>(platform_, "clFinalizeCommandBufferKHR")(made), CL_SUCCESS);
    return made;
  }
  void run(cl_command_buffer_khr buffer) { EXPECT_EQ(enqueue_(0, nullptr, buffer, 0, nullptr, nullptr), CL_SUCCESS); }
  void setValue(cl_command_buffer_khr buffer, std::size_t store, cl_int value) {
    const khr::cl_mutable_dispatch_arg_khr argument{1, sizeof value, &value};
    khr::cl_mutable_dispatch_config_khr config{};
    config.command = handles_[store];
    config.num_args = 1;
    config.arg_list = &argument;
    const khr::cl_command_buffer_update_type_khr type = CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR;
    const void* configs[] = {&config};
    EXPECT_EQ(update_(buffer, 1, &type, configs), CL_SUCCESS);
  }
  void clear() {
    const cl_int none = -1;
    for (cl_mem buffer : buffers_)
      ASSERT_EQ(clEnqueueFillBuffer(queue_, buffer, &none, sizeof none, 0, sizeof none, 0, nullptr, nullptr),
                CL_SUCCESS);
  }
  std::vector<cl_int> values() {
    std::vector<cl_int> result(kBuffers);
    for (std::size_t i = 0; i < kBuffers; ++i)
      EXPECT_EQ(clEnqueueReadBuffer(queue_, buffers_[i], CL_TRUE, 0, sizeof(cl_int), &result[i], 0, nullptr, nullptr),
                CL_SUCCESS);
    return result;
  }

  cl_platform_id platform_ = nullptr;
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  std::array<cl_mem, kBuffers> buffers_{};
  std::array<cl_mutable_command_khr, kStores> handles_{};
  khr::clUpdateMutableCommandsKHR_t* update_ = nullptr;
  khr::clEnqueueCommandBufferKHR_t* enqueue_ = nullptr;
};

const std::vector<cl_int> kAsRecorded{10, 11, 12, 13, 14, 15, 77, 10};

TEST_F(GraphsTest, RunFromTheSecondTimeOnAndAreUpdatedInPlace) {
  cl_command_buffer_khr buffer = record();
  for (int i = 0; i < 4; ++i) {
    clear();
    run(buffer);
    EXPECT_EQ(values(), kAsRecorded) << i;
    EXPECT_EQ(count("fakeCudaGraphs"), i == 0 ? 0 : 1);
  }
  clear();
  setValue(buffer, 0, 100);
  setValue(buffer, 3, 103);
  run(buffer);
  EXPECT_EQ(values(), (std::vector<cl_int>{100, 11, 12, 103, 14, 15, 77, 100}));
  // What is enqueued never changes.
  run(buffer);
  setValue(buffer, 0, 200);
  run(buffer);
  setValue(buffer, 0, 300);
  run(buffer);
  EXPECT_EQ(values().at(0), 300);
  EXPECT_EQ(values().at(kBuffers - 1), 300);
  EXPECT_EQ(count("fakeCudaGraphs"), 1);
}

TEST_F(GraphsTest, MayRunInTwoQueuesAtOnce) {
  cl_command_buffer_khr buffer = record();
  cl_int status = 1;
  cl_command_queue other = clCreateCommandQueueWithProperties(context_, device_, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  const int before = count("fakeCudaLaunches");
  for (int i = 0; i < 50; ++i) {
    run(buffer);
    EXPECT_EQ(enqueue_(1, &other, buffer, 0, nullptr, nullptr), CL_SUCCESS);
  }
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  ASSERT_EQ(clFinish(other), CL_SUCCESS);
  EXPECT_EQ(values(), kAsRecorded);
  EXPECT_EQ(count("fakeCudaLaunches") - before, static_cast<int>(100 * kStores));
}

TEST_F(GraphsTest, AreNotMadeOfKernelsThatPrint) {
  cl_command_buffer_khr buffer = record("say");
  for (int i = 0; i < 3; ++i) {
    clear();
    run(buffer);
    EXPECT_EQ(values(), (std::vector<cl_int>{10, 11, 12, 13, 14, -1, 77, 10})) << i;
  }
  EXPECT_EQ(count("fakeCudaGraphs"), 0);
}

TEST_F(GraphsTest, CommandsRunWithoutThemWhereTheDriverMakesNone) {
  cl_command_buffer_khr buffer = record();
  for (int i = 0; i < 3; ++i) {
    clear();
    run(buffer);
    EXPECT_EQ(values(), kAsRecorded) << i;
  }
  EXPECT_EQ(count("fakeCudaGraphs"), 0);
}

} // namespace
