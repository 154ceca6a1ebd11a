// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose work-items keep much, on a device with little memory: CLOTHO_GLOBAL_MEMORY=612, of which a quarter is
// for private data, and CLOTHO_COMPUTE_UNITS=4.
#include "fixture.hpp"

#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>

namespace clotho::test {

namespace {

constexpr size_t kKiB = 1024, kMiB = 1024 * kKiB;

constexpr const char* kSource = R"(
  #define KEEP(name, words, attribute)                                                                                 \
    kernel attribute void name(global uint* out) {                                                                     \
      uint own[words];                                                                                                 \
      const uint i = get_global_id(0), first = out[i] % words;                                                         \
      for (uint k = 0; k < words; ++k) own[(first + k) % words] = k + i;                                               \
      barrier(CLK_GLOBAL_MEM_FENCE);                                                                                   \
      out[i] = own[(first + out[i]) % words] + (get_local_size(0) << 16);                                              \
    }
  KEEP(keeps, 65536, )
  KEEP(keepsMuch, 262144, )
  KEEP(needsMany, 65536, __attribute__((reqd_work_group_size(1024, 1, 1))))
  #define ALONE(name, words)                                                                                           \
    kernel void name(global uint* out) {                                                                               \
      uint own[words];                                                                                                 \
      const uint i = get_global_id(0), first = out[i] % words;                                                         \
      for (uint k = 0; k < words; ++k) own[(first + k) % words] = k + i;                                               \
      out[i] = own[(first + out[i]) % words];                                                                          \
    }
  ALONE(large, 4194304)
  ALONE(tooLarge, 67108864)
  ALONE(small, 64)
)";

/// Bytes that the process has had at most.
size_t mostResident() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("VmHWM:")) return std::strtoull(line.c_str() + 6, nullptr, 10) * kKiB;
  return 0;
}

class LittleMemoryTest : public DeviceApi {
 protected:
  void SetUp() override {
    DeviceApi::SetUp();
    cl_int status = 1;
    context_ = clCreateContext(nullptr, 1, &device_, &onError, this, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    queue_ = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    program_ = buildProgram(kSource);
    buffer_ = makeBuffer(kItems * sizeof(cl_uint));
  }
  void TearDown() override {
    // Its callback may come until the context is gone.
    buffer_ = {};
    program_ = {};
    queue_ = {};
    DeviceApi::TearDown();
  }
  Owned<cl_kernel> make(const char* name, cl_mem buffer) {
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program_, name, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS);
    return kernel;
  }
  Owned<cl_kernel> make(const char* name) {
    // Small numbers: each work-item reads back the element that it wrote that many steps on.
    for (cl_uint i = 0; i < kItems; ++i)
      values_[i] = i % 50;
    EXPECT_EQ(clEnqueueWriteBuffer(queue_, buffer_, CL_TRUE, 0, sizeof values_, values_, 0, nullptr, nullptr),
              CL_SUCCESS);
    return make(name, buffer_);
  }
  template <class T> T of(cl_kernel kernel, cl_kernel_work_group_info name) {
    return valueAnswer<T>(CLOTHO_INFO(clGetKernelWorkGroupInfo, kernel, device_, name));
  }
  cl_int launch(cl_kernel kernel, size_t global, size_t local) {
    return clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, local ? &local : nullptr, 0, nullptr, nullptr);
  }
  /// Checks what the first `count` work-items have written, and gives the local size that they saw.
  cl_uint result(cl_uint count) {
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
    EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer_, CL_TRUE, 0, sizeof values_, values_, 0, nullptr, nullptr),
              CL_SUCCESS);
    for (cl_uint i = 0; i < count; ++i)
      EXPECT_EQ(values_[i] & 0xffff, i % 50 + i) << i;
    return values_[0] >> 16;
  }
  /// Waits for what the context's callback is told, on another thread.
  std::string toldError() {
    std::unique_lock lock(mutex_);
    toldSomething_.wait_for(lock, std::chrono::seconds(20), [this] { return !told_.empty(); });
    return std::exchange(told_, "");
  }

  static constexpr cl_uint kItems = 4096;
  Owned<cl_program> program_;
  Owned<cl_mem> buffer_;

 private:
  static void CL_CALLBACK onError(const char* text, const void*, size_t, void* self) {
    auto& test = *static_cast<LittleMemoryTest*>(self);
    const std::lock_guard lock(test.mutex_);
    test.told_ = text;
    test.toldSomething_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable toldSomething_;
  std::string told_;
  cl_uint values_[kItems] = {};
};

TEST_F(LittleMemoryTest, PrivateMemoryIsOfAWorkItem) {
  const auto bytes = [&](const char* name) { return of<cl_ulong>(make(name), CL_KERNEL_PRIVATE_MEM_SIZE); };
  EXPECT_EQ(bytes("keeps"), 256 * kKiB);
  EXPECT_EQ(bytes("keepsMuch"), kMiB);
  EXPECT_EQ(bytes("large"), 16 * kMiB);
  EXPECT_EQ(bytes("small"), 256u);
}

TEST_F(LittleMemoryTest, WorkGroupSizeIsWhatThereIsMemoryFor) {
  const auto most = [&](const char* name) { return of<size_t>(make(name), CL_KERNEL_WORK_GROUP_SIZE); };
  EXPECT_EQ(most("keeps"), 512u);
  EXPECT_EQ(most("keepsMuch"), 128u);
  EXPECT_EQ(most("small"), 4096u);
  EXPECT_EQ(most("large"), 4096u) << "one work-item after the other";
  EXPECT_EQ(most("tooLarge"), 1u);
}

TEST_F(LittleMemoryTest, TooLargeWorkGroupsAreRefusedWithASentence) {
  Owned<cl_kernel> keeps = make("keeps");
  for (const size_t local : {size_t{1024}, size_t{4096}}) {
    EXPECT_EQ(launch(keeps, 4096, local), CL_OUT_OF_RESOURCES);
    const std::string told = toldError(),
                      begin = "kernel 'keeps': a work-group of " + std::to_string(local) + " work-items keeps ",
                      end = " MiB of private data, and the device has 153 MiB for that";
    EXPECT_TRUE(told.starts_with(begin) && told.ends_with(end)) << told;
  }
  EXPECT_EQ(launch(make("needsMany"), 1024, 0), CL_OUT_OF_RESOURCES);
  EXPECT_TRUE(toldError().starts_with("kernel 'needsMany': a work-group of 1024 work-items keeps "));
  EXPECT_EQ(launch(make("tooLarge"), 1, 1), CL_OUT_OF_RESOURCES);
  EXPECT_TRUE(toldError().starts_with("kernel 'tooLarge': a work-group of 1 work-items keeps "));
  EXPECT_EQ(launch(keeps, 8192, 8192), CL_INVALID_WORK_ITEM_SIZE) << "more than the device has for any kernel";
  EXPECT_TRUE(toldError().starts_with("kernel 'keeps': a work-group of 8192 work-items, "));
}

TEST_F(LittleMemoryTest, MemoryThatThereIsNotIsRefusedWithASentence) {
  const auto most = value<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE), all = value<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE);
  const auto allocate = [&](size_t size, cl_int& status) {
    return Owned<cl_mem>(clCreateBuffer(context_, CL_MEM_READ_WRITE, size, nullptr, &status));
  };
  ASSERT_EQ(most, all / 2) << "so that there is no room for two, as some is in use";
  cl_int status = 1;
  Owned<cl_mem> first = allocate(most, status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(allocate(most, status).get(), nullptr);
  EXPECT_EQ(status, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  const auto isTold = [&](size_t size) {
    const std::string told = toldError(), begin = "no memory for a memory object of " + std::to_string(size) + " bytes";
    EXPECT_TRUE(told.starts_with(begin)) << told;
  };
  isTold(most);

  Owned<cl_mem> second = allocate(most - 100 * kMiB, status);
  ASSERT_EQ(status, CL_SUCCESS);
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = desc.image_height = 8192;
  const cl_image_format words{CL_RGBA, CL_UNSIGNED_INT8};
  ASSERT_LE(size_t{8192} * 8192 * 4, most);
  EXPECT_EQ(Owned<cl_mem>(clCreateImage(context_, 0, &words, &desc, nullptr, &status)).get(), nullptr);
  EXPECT_EQ(status, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  isTold(size_t{8192} * 8192 * 4);
  desc.image_height = 32768;
  EXPECT_EQ(Owned<cl_mem>(clCreateImage(context_, 0, &words, &desc, nullptr, &status)).get(), nullptr);
  EXPECT_EQ(status, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  EXPECT_EQ(toldError(), "an image of 1073741824 bytes, which is more than CL_DEVICE_MAX_MEM_ALLOC_SIZE");

  EXPECT_EQ(clSVMAlloc(context_, CL_MEM_READ_WRITE, most, 0), nullptr);
  EXPECT_EQ(toldError(), "no memory for " + std::to_string(most) + " bytes that host and devices share");

  // What was refused has taken nothing, and what is given back is there again.
  first = {};
  first = allocate(most, status);
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(allocate(most + 1, status).get(), nullptr);
  EXPECT_EQ(status, CL_INVALID_BUFFER_SIZE) << "however much there is";
  const cl_uint pattern = 0x12345678;
  cl_uint seen = 0;
  EXPECT_EQ(clEnqueueFillBuffer(queue_, first, &pattern, 4, most - 4, 4, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(clEnqueueReadBuffer(queue_, first, CL_TRUE, most - 4, 4, &seen, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(seen, pattern);
}

TEST_F(LittleMemoryTest, LargeWorkGroupsRunOnFewerThreads) {
  Owned<cl_kernel> keeps = make("keeps");
  ASSERT_EQ(launch(keeps, 2048, 512), CL_SUCCESS);
  EXPECT_EQ(result(2048), 512u);
}

TEST_F(LittleMemoryTest, LargePrivateArraysHaveAStack) {
  Owned<cl_kernel> large = make("large");
  ASSERT_EQ(launch(large, 16, 4), CL_SUCCESS);
  result(16);
}

TEST_F(LittleMemoryTest, ChosenWorkGroupsLeaveMemoryForEveryThread) {
  ASSERT_EQ(launch(make("keeps"), 4096, 0), CL_SUCCESS);
  EXPECT_EQ(result(4096), 64u);
  ASSERT_EQ(launch(make("keepsMuch"), 1024, 0), CL_SUCCESS);
  EXPECT_EQ(result(1024), 32u);
}

TEST_F(LittleMemoryTest, LaunchesAtOnceShareTheMemory) {
  const size_t before = mostResident();
  constexpr int kLaunches = 4;
  std::vector<cl_uint> numbers(kItems, 7);
  std::vector<Owned<cl_mem>> buffers;
  std::vector<Owned<cl_kernel>> kernels;
  for (int i = 0; i < kLaunches; ++i) {
    buffers.push_back(makeBuffer(sizeof(cl_uint) * kItems, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, numbers.data()));
    kernels.push_back(make("keeps", buffers.back()));
    ASSERT_EQ(launch(kernels.back(), 512, 512), CL_SUCCESS);
  }
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  for (const Owned<cl_mem>& buffer : buffers) {
    ASSERT_EQ(
        clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, sizeof(cl_uint) * kItems, numbers.data(), 0, nullptr, nullptr),
        CL_SUCCESS);
    for (cl_uint i = 0; i < 512; ++i)
      ASSERT_EQ(numbers[i] & 0xffff, 7 + i);
  }
  // Each keeps 128 MiB, and 153 may be kept at once.
  if (!kSanitized) {
    EXPECT_LT(mostResident(), before + 200 * kMiB);
  }
}

/// Builds for two devices may differ, and each device goes by its own.
TEST_F(LittleMemoryTest, EachDeviceGoesByItsBuild) {
  const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
  cl_device_id devices[2] = {};
  ASSERT_EQ(clCreateSubDevices(device_, halves, 2, devices, nullptr), CL_SUCCESS);
  cl_int status = 1;
  Owned<cl_context> context = clCreateContext(nullptr, 2, devices, nullptr, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  const char* source = R"(
    kernel void keeps(global uint* out) {
      uint own[WORDS];
      const uint i = get_global_id(0), first = out[i] % WORDS;
      for (uint k = 0; k < WORDS; ++k) own[(first + k) % WORDS] = k + i;
      barrier(CLK_GLOBAL_MEM_FENCE);
      out[i] = own[(first + out[i]) % WORDS];
    })";
  Owned<cl_program> program = clCreateProgramWithSource(context, 1, &source, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  ASSERT_EQ(clBuildProgram(program, 1, &devices[0], "-DWORDS=8", nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clBuildProgram(program, 1, &devices[1], "-DWORDS=65536", nullptr, nullptr), CL_SUCCESS);
  Owned<cl_kernel> kernel = clCreateKernel(program, "keeps", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  size_t most[2] = {};
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(
        clGetKernelWorkGroupInfo(kernel, devices[i], CL_KERNEL_WORK_GROUP_SIZE, sizeof(size_t), &most[i], nullptr),
        CL_SUCCESS);
  EXPECT_EQ(most[0], 4096u);
  EXPECT_EQ(most[1], 512u);

  Owned<cl_mem> buffer = clCreateBuffer(context, 0, 4096 * sizeof(cl_uint), nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  cl_mem argument = buffer;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof argument, &argument), CL_SUCCESS);
  const size_t items = 4096;
  for (int i = 0; i < 2; ++i) {
    Owned<cl_command_queue> queue = clCreateCommandQueueWithProperties(context, devices[i], nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    EXPECT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, &items, 0, nullptr, nullptr),
              i == 0 ? CL_SUCCESS : CL_OUT_OF_RESOURCES);
    EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  }
  kernel = {};
  program = {};
  buffer = {};
  context = {};
  for (cl_device_id device : devices)
    EXPECT_EQ(clReleaseDevice(device), CL_SUCCESS);
}

} // namespace

} // namespace clotho::test
