// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What applications see of GPUs on hosts of all kinds: without a driver, with one that does not start, with several
// GPUs, and when a GPU is lost. By the fake driver, which CMakeLists.txt chooses and tells what to do, for each test in
// a process of its own.
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

class HostsTest : public testing::Test {
 protected:
  void SetUp() override {
    cl_uint count = 0;
    ASSERT_EQ(clGetPlatformIDs(1, &platform_, &count), CL_SUCCESS);
  }
  std::vector<cl_device_id> devices(cl_device_type type) {
    cl_uint count = 0;
    if (clGetDeviceIDs(platform_, type, 0, nullptr, &count) != CL_SUCCESS) return {};
    std::vector<cl_device_id> found(count);
    EXPECT_EQ(clGetDeviceIDs(platform_, type, count, found.data(), nullptr), CL_SUCCESS);
    return found;
  }
  static std::string name(cl_device_id device) {
    char text[256] = {};
    EXPECT_EQ(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text - 1, text, nullptr), CL_SUCCESS);
    return text;
  }
  static constexpr const char* kSource = "kernel void k(global int* p) { p[get_global_id(0)] += 1; }";
  static cl_kernel buildKernel(cl_context context, const char* source = kSource) {
    cl_int status = 1;
    cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &status);
    EXPECT_EQ(clBuildProgram(program, 0, nullptr, "-cl-std=CL3.0", nullptr, nullptr), CL_SUCCESS);
    cl_kernel kernel = clCreateKernel(program, "k", &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return kernel;
  }

  cl_platform_id platform_ = nullptr;
};

TEST_F(HostsTest, WithoutADriver) {
  if (dlopen("libcuda.so.1", RTLD_NOW)) GTEST_SKIP() << "there is a driver";
  EXPECT_EQ(devices(CL_DEVICE_TYPE_GPU).size(), 0U);
  EXPECT_EQ(devices(CL_DEVICE_TYPE_ALL).size(), 1U);
}

TEST_F(HostsTest, ADriverThatDoesNotStart) {
  EXPECT_EQ(devices(CL_DEVICE_TYPE_GPU).size(), 0U);
  EXPECT_EQ(devices(CL_DEVICE_TYPE_DEFAULT), devices(CL_DEVICE_TYPE_CPU));
}

TEST_F(HostsTest, WhoAsksForCpusDoesNotLoadTheDriver) {
  EXPECT_EQ(devices(CL_DEVICE_TYPE_CPU).size(), 1U);
  EXPECT_EQ(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), nullptr);
  EXPECT_EQ(devices(CL_DEVICE_TYPE_ALL).size(), 2U);
  EXPECT_NE(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), nullptr);
}

TEST_F(HostsTest, GpusComeInTheOrderThatWasAskedFor) {
  const auto all = devices(CL_DEVICE_TYPE_ALL);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(name(all[0]), "Fake GPU 1");
  EXPECT_EQ(name(all[2]), "Fake GPU 0");
  EXPECT_EQ(all[1], devices(CL_DEVICE_TYPE_CPU).at(0));
  EXPECT_EQ(devices(CL_DEVICE_TYPE_DEFAULT).at(0), all[0]);
}

TEST_F(HostsTest, MemoryIsLimited) {
  constexpr cl_ulong kMiB = 1 << 20;
  for (cl_device_id device : devices(CL_DEVICE_TYPE_GPU)) {
    cl_ulong memory = 0, largest = 0;
    EXPECT_EQ(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, nullptr), CL_SUCCESS);
    EXPECT_EQ(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, nullptr), CL_SUCCESS);
    EXPECT_EQ(memory, 100 * kMiB);
    EXPECT_EQ(largest, 10 * kMiB);
  }
}

TEST_F(HostsTest, BytesGoFromOneGpuToAnotherAndToTheCpu) {
  const auto all = devices(CL_DEVICE_TYPE_ALL);
  ASSERT_EQ(all.size(), 3U);
  cl_int status = 1;
  cl_context context = clCreateContext(nullptr, 3, all.data(), nullptr, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  constexpr std::size_t kWords = 1 << 18;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, kWords * 4, nullptr, &status);
  std::vector<cl_command_queue> queues;
  for (cl_device_id device : all)
    queues.push_back(clCreateCommandQueueWithProperties(context, device, nullptr, &status));
  // Each device writes a part and reads what the others have written.
  for (cl_uint round = 0; round < 12; ++round) {
    const std::size_t part = kWords / 3 * 4;
    const cl_uint value = 100 + round;
    cl_event filled = nullptr;
    ASSERT_EQ(clEnqueueFillBuffer(queues[round % 3], buffer, &value, 4, round % 3 * part, part, 0, nullptr, &filled),
              CL_SUCCESS);
    std::vector<cl_uint> seen(kWords);
    ASSERT_EQ(
        clEnqueueReadBuffer(queues[(round + 1) % 3], buffer, CL_TRUE, 0, kWords * 4, seen.data(), 1, &filled, nullptr),
        CL_SUCCESS);
    for (cl_uint i = 0; i < 3 && i <= round; ++i) {
      const std::size_t first = (round - i) % 3 * part / 4;
      EXPECT_EQ(seen[first], value - i) << round;
      EXPECT_EQ(seen[first + part / 4 - 1], value - i) << round;
    }
  }
  // A kernel needs on one GPU what another one has written.
  for (cl_command_queue queue : queues) {
    ASSERT_EQ(clEnqueueMigrateMemObjects(queue, 1, &buffer, 0, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  }
  const auto accesses = reinterpret_cast<int (*)()>(dlsym(dlopen("libcuda.so.1", RTLD_NOW), "fakeCudaAccesses"));
  ASSERT_NE(accesses, nullptr);
  EXPECT_GE(accesses(), 1);
  EXPECT_LE(accesses(), 2);
}

TEST_F(HostsTest, ALostGpuFailsItsCommandsAndNoOthers) {
  const auto all = devices(CL_DEVICE_TYPE_ALL);
  ASSERT_EQ(all.size(), 2U);
  cl_int status = 1;
  cl_context context = clCreateContext(nullptr, 2, all.data(), nullptr, nullptr, &status);
  cl_command_queue gpu = clCreateCommandQueueWithProperties(context, all[0], nullptr, &status),
                   cpu = clCreateCommandQueueWithProperties(context, all[1], nullptr, &status);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 1024, nullptr, &status);
  cl_kernel kernel = buildKernel(context);
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS);
  const std::size_t global = 64;
  std::vector<cl_event> events(16);
  for (cl_event& event : events)
    ASSERT_EQ(clEnqueueNDRangeKernel(gpu, kernel, 1, nullptr, &global, nullptr, 0, nullptr, &event), CL_SUCCESS);
  clFinish(gpu);
  for (cl_event event : events) {
    cl_int state = 1;
    ASSERT_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr), CL_SUCCESS);
    EXPECT_LE(state, CL_COMPLETE);
  }
  cl_int last = 0;
  clGetEventInfo(events.back(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof last, &last, nullptr);
  EXPECT_EQ(last, CL_OUT_OF_RESOURCES);
  EXPECT_FALSE(clEnqueueNDRangeKernel(gpu, kernel, 1, nullptr, &global, nullptr, 0, nullptr, &events[0]) ==
                   CL_SUCCESS &&
               clWaitForEvents(1, &events[0]) == CL_SUCCESS);

  cl_mem other = clCreateBuffer(context, CL_MEM_READ_WRITE, 1024, nullptr, &status);
  const cl_int value = 41;
  cl_int seen = 0;
  ASSERT_EQ(clEnqueueFillBuffer(cpu, other, &value, 4, 0, 1024, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof other, &other), CL_SUCCESS);
  ASSERT_EQ(clEnqueueNDRangeKernel(cpu, kernel, 1, nullptr, &global, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueReadBuffer(cpu, other, CL_TRUE, 0, 4, &seen, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(seen, 42);
}

class GpuTest : public HostsTest {
 protected:
  void SetUp() override {
    HostsTest::SetUp();
    const auto gpus = devices(CL_DEVICE_TYPE_GPU);
    ASSERT_EQ(gpus.size(), 1U);
    device_ = gpus[0];
    cl_int status = 1;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    buffer_ = clCreateBuffer(context_, CL_MEM_READ_WRITE, 1024, nullptr, &status);
    kernel_ = buildKernel(context_);
    ASSERT_EQ(clSetKernelArg(kernel_, 0, sizeof buffer_, &buffer_), CL_SUCCESS);
  }
  cl_command_queue queue(cl_command_queue_properties properties = 0) {
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    cl_int status = 1;
    cl_command_queue made = clCreateCommandQueueWithProperties(context_, device_, list, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return made;
  }
  void launch(cl_command_queue queue, cl_event* event = nullptr) {
    const std::size_t global = 64;
    ASSERT_EQ(clEnqueueNDRangeKernel(queue, kernel_, 1, nullptr, &global, nullptr, 0, nullptr, event), CL_SUCCESS);
  }
  static cl_int state(cl_event event) {
    cl_int state = 1;
    EXPECT_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr), CL_SUCCESS);
    return state;
  }

  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_mem buffer_ = nullptr;
  cl_kernel kernel_ = nullptr;
};

TEST_F(GpuTest, ManyEnqueuingLaunchesFailWhenItIsLost) {
  queue(CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_kernel plain = kernel_;
  kernel_ = buildKernel(
      context_,
      "kernel void k(global int* p) { enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ p[0] = 1; }); }");
  ASSERT_EQ(clSetKernelArg(kernel_, 0, sizeof buffer_, &buffer_), CL_SUCCESS);
  cl_int status = 1;
  cl_event gate = clCreateUserEvent(context_, &status), last = nullptr;
  cl_command_queue pending = queue(), other = queue();
  ASSERT_EQ(clEnqueueMarkerWithWaitList(pending, 1, &gate, nullptr), CL_SUCCESS);
  for (int i = 0; i < 200000; ++i)
    launch(pending);
  launch(pending, &last);
  std::swap(kernel_, plain);
  launch(other);
  clFinish(other);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  clFinish(pending);
  EXPECT_EQ(state(last), CL_OUT_OF_RESOURCES);
}

TEST_F(GpuTest, ALaunchThatIsRefusedAfterItsFirstGridLeavesNothing) {
  queue(CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  // Two grids: 64 work-items, and one.
  kernel_ = buildKernel(context_, R"(kernel void k(global int* p, global ulong* held) {
    if (get_global_id(0) == 0) {
      clk_event_t known;
      *(ulong*)&known = held[0];
      p[1] = is_valid_event(known);
      clk_event_t event;
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), 0, NULL, &event, ^{ ++p[0]; });
      held[0] = *(ulong*)&event;
    }
  })");
  cl_int status = 1;
  cl_mem held = clCreateBuffer(context_, CL_MEM_READ_WRITE, 8, nullptr, &status);
  const cl_ulong none = 0;
  cl_command_queue queue = this->queue();
  ASSERT_EQ(clEnqueueFillBuffer(queue, buffer_, &none, 8, 0, 1024, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueFillBuffer(queue, held, &none, 8, 0, 8, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel_, 0, sizeof buffer_, &buffer_), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel_, 1, sizeof held, &held), CL_SUCCESS);
  const std::size_t global = 65, local = 64;
  for (int round = 0; round < 2; ++round) {
    cl_event event = nullptr;
    ASSERT_EQ(clEnqueueNDRangeKernel(queue, kernel_, 1, nullptr, &global, &local, 0, nullptr, &event), CL_SUCCESS);
    ASSERT_EQ(clFinish(queue), CL_SUCCESS);
    EXPECT_EQ(state(event), round == 0 ? CL_OUT_OF_RESOURCES : CL_COMPLETE);
    cl_int seen[2] = {7, 7};
    cl_ulong handle = 0;
    ASSERT_EQ(clEnqueueReadBuffer(queue, buffer_, CL_TRUE, 0, sizeof seen, seen, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clEnqueueReadBuffer(queue, held, CL_TRUE, 0, sizeof handle, &handle, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(seen[0], round); // the child of the refused launch has not run
    EXPECT_EQ(seen[1], 0);     // an event of the launch before is none
    EXPECT_NE(handle, 0U);
  }
}

// Launches take 3 s in this test, and 1 s is allowed.
TEST_F(GpuTest, ACommandThatRunsForTooLongLosesTheGpu) {
  const auto begin = std::chrono::steady_clock::now();
  cl_event event = nullptr, later = nullptr;
  cl_command_queue queue = this->queue();
  cl_int status = 1;
  cl_mem pinned = clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, 1 << 20, nullptr, &status);
  void* mapped = clEnqueueMapBuffer(queue, pinned, CL_TRUE, CL_MAP_WRITE, 0, 1 << 20, 0, nullptr, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  launch(queue, &event);
  // By way of the pinned memory: CUDA reads it when the launch is over.
  ASSERT_EQ(clEnqueueUnmapMemObject(queue, pinned, mapped, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel_, 0, sizeof pinned, &pinned), CL_SUCCESS);
  launch(queue, &later);
  clFinish(queue);
  EXPECT_EQ(state(event), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(state(later), CL_OUT_OF_RESOURCES);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(2800));
  for (cl_event each : {event, later})
    clReleaseEvent(each);
  ASSERT_EQ(clReleaseMemObject(pinned), CL_SUCCESS);
  ASSERT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
  EXPECT_EQ(clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_DEVICE_NOT_AVAILABLE);
  usleep(2'500'000); // what the GPU still does harms nothing
}

// Launches take 100 ms in this test, and 1 s is allowed for each, however long others are to be waited for.
TEST_F(GpuTest, CommandsThatWaitForManyOthersDoNotRunMeanwhile) {
  cl_command_queue first = queue(), second = queue();
  cl_event last = nullptr, after = nullptr;
  for (int i = 0; i < 15; ++i)
    launch(first, i == 14 ? &last : nullptr);
  ASSERT_EQ(clEnqueueMarkerWithWaitList(second, 1, &last, nullptr), CL_SUCCESS);
  launch(second, &after);
  ASSERT_EQ(clWaitForEvents(1, &after), CL_SUCCESS);
  EXPECT_EQ(state(after), CL_COMPLETE);
}

TEST_F(GpuTest, AnEnqueuingKernelThatRunsForTooLongLosesTheGpu) {
  queue(CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  kernel_ = buildKernel(
      context_,
      "kernel void k(global int* p) { enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ p[0] = 1; }); }");
  ASSERT_EQ(clSetKernelArg(kernel_, 0, sizeof buffer_, &buffer_), CL_SUCCESS);
  const auto begin = std::chrono::steady_clock::now();
  cl_event event = nullptr;
  cl_command_queue queue = this->queue();
  launch(queue, &event);
  clFinish(queue);
  EXPECT_EQ(state(event), CL_OUT_OF_RESOURCES);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(2800));
}

// Each value that the stream writes costs a quarter of a launch. A stream is also told to write when no launch has come
// for some microseconds, as when the thread that launches has to wait for a processor: so the best of some batches.
TEST_F(GpuTest, ABatchIsToldOfNowAndThenAndEventsEachTime) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(driver, nullptr);
  const auto writes = reinterpret_cast<int (*)()>(dlsym(driver, "fakeCudaWrites"));
  ASSERT_NE(writes, nullptr);
  cl_command_queue queue = this->queue();
  constexpr int kLaunches = 2000;
  int least = kLaunches;
  for (int batch = 0; batch < 50 && least >= kLaunches / 8; ++batch) {
    const int before = writes();
    for (int i = 0; i < kLaunches; ++i)
      launch(queue);
    ASSERT_EQ(clFinish(queue), CL_SUCCESS);
    least = std::min(least, writes() - before);
  }
  EXPECT_LT(least, kLaunches / 8);
  const int before = writes();
  std::vector<cl_event> events(100);
  for (cl_event& event : events)
    launch(queue, &event);
  ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  EXPECT_GE(writes() - before, 100);
}

TEST_F(GpuTest, AnEventIsToldOfThoughLaterCommandsRun) {
  cl_command_queue queue = this->queue();
  std::vector<cl_event> events(4);
  for (cl_event& event : events)
    launch(queue, &event);
  for (std::size_t i = 0; i + 1 < events.size(); ++i) {
    ASSERT_EQ(clWaitForEvents(1, &events[i]), CL_SUCCESS);
    EXPECT_NE(state(events.back()), CL_COMPLETE) << i;
  }
}

TEST_F(GpuTest, CommandsEndForWhichNoThreadWaits) {
  cl_command_queue queue = this->queue();
  cl_int bytes[4] = {};
  cl_event read = nullptr;
  launch(queue);
  ASSERT_EQ(clEnqueueReadBuffer(queue, buffer_, CL_FALSE, 0, sizeof bytes, bytes, 0, nullptr, &read), CL_SUCCESS);
  ASSERT_EQ(clFlush(queue), CL_SUCCESS);
  for (int i = 0; i < 5000 && state(read) != CL_COMPLETE; ++i)
    usleep(1000);
  EXPECT_EQ(state(read), CL_COMPLETE);
}

// The event from which times are told is renewed after two seconds. On a busy host this may be known roughly only, and
// times are held between the enqueueing and the end.
TEST_F(GpuTest, TimesAreThoseOfTheHostsClock) {
  cl_command_queue queue = this->queue(CL_QUEUE_PROFILING_ENABLE);
  int whole = 0;
  for (int i = 0; i < 24; ++i) {
    cl_ulong before = 0, after = 0, started = 0, ended = 0;
    cl_event event = nullptr;
    ASSERT_EQ(clGetHostTimer(device_, &before), CL_SUCCESS);
    launch(queue, &event);
    ASSERT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
    ASSERT_EQ(clGetHostTimer(device_, &after), CL_SUCCESS);
    ASSERT_EQ(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof started, &started, nullptr),
              CL_SUCCESS);
    ASSERT_EQ(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof ended, &ended, nullptr), CL_SUCCESS);
    EXPECT_GE(started, before) << i;
    EXPECT_GE(ended, started) << i;
    whole += ended >= started + 1'900'000 ? 1 : 0;
    EXPECT_LE(ended, after) << i;
    clReleaseEvent(event);
    usleep(100'000);
  }
  EXPECT_GT(whole, 0);
}

TEST_F(HostsTest, SharedMemoryIsAsTheDriverHasIt) {
  const char* managed = getenv("FAKE_CUDA_MANAGED"); // NOLINT(concurrency-mt-unsafe)
  const bool isThere = !managed || *managed != '0';
  cl_device_id gpu = devices(CL_DEVICE_TYPE_GPU).at(0);
  char extensions[4096] = {};
  ASSERT_EQ(clGetDeviceInfo(gpu, CL_DEVICE_EXTENSIONS, sizeof extensions - 1, extensions, nullptr), CL_SUCCESS);
  EXPECT_EQ(std::string(extensions).find("cl_intel_unified_shared_memory") != std::string::npos, isThere);
  cl_device_svm_capabilities svm = 1;
  ASSERT_EQ(clGetDeviceInfo(gpu, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, nullptr), CL_SUCCESS);
  EXPECT_EQ(svm, isThere ? CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER : 0);
  if (!isThere) return;
  // Both devices work on the same bytes.
  const auto all = devices(CL_DEVICE_TYPE_ALL);
  cl_int status = 1;
  cl_context context =
      clCreateContext(nullptr, static_cast<cl_uint>(all.size()), all.data(), nullptr, nullptr, &status);
  auto* memory =
      static_cast<int*>(clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 1024 * sizeof(int), 0));
  ASSERT_NE(memory, nullptr);
  for (int i = 0; i < static_cast<int>(all.size()); ++i) {
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, all[i], nullptr, &status);
    memory[1] = 77;
    ASSERT_EQ(clEnqueueSVMMemFill(queue, memory + 2, &i, sizeof i, 16, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clEnqueueSVMMemcpy(queue, CL_TRUE, memory, memory + 2, sizeof i, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(memory[0], i);
    EXPECT_EQ(memory[1], 77);
    clReleaseCommandQueue(queue);
  }
  clSVMFree(context, memory);
  clReleaseContext(context);
}

TEST_F(GpuTest, MigrationsMovePagesOfSharedMemoryInTheirTurn) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  const auto prefetched = reinterpret_cast<int (*)(int)>(dlsym(driver, "fakeCudaPrefetched"));
  const auto hold = reinterpret_cast<int (*)(int)>(dlsym(driver, "fakeCudaHold"));
  ASSERT_TRUE(prefetched && hold);
  constexpr std::size_t kBytes = 100'000, kPart = 5'000;
  cl_command_queue queue = this->queue();
  auto* memory = static_cast<char*>(clSVMAlloc(context_, CL_MEM_READ_WRITE, kBytes, 0));
  const void* pointers[] = {memory, memory + 64};
  const std::size_t sizes[] = {0, kPart};
  hold(1);
  launch(queue);
  cl_event moved = nullptr;
  ASSERT_EQ(clEnqueueSVMMigrateMem(queue, 2, pointers, sizes, 0, 0, nullptr, &moved), CL_SUCCESS);
  ASSERT_EQ(clFlush(queue), CL_SUCCESS);
  EXPECT_EQ(prefetched(0), 0);
  EXPECT_NE(state(moved), CL_COMPLETE);
  hold(0);
  ASSERT_EQ(clWaitForEvents(1, &moved), CL_SUCCESS);
  EXPECT_EQ(prefetched(0), static_cast<int>(kBytes + kPart));
  ASSERT_EQ(clEnqueueSVMMigrateMem(queue, 1, pointers, nullptr, CL_MIGRATE_MEM_OBJECT_HOST, 0, nullptr, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  EXPECT_EQ(prefetched(1), static_cast<int>(kBytes));
  // A buffer over it; one with memory of its own has no such pages.
  cl_int status = 1;
  cl_mem both[] = {clCreateBuffer(context_, CL_MEM_USE_HOST_PTR, kPart, memory + 256, &status), buffer_};
  ASSERT_EQ(status, CL_SUCCESS);
  ASSERT_EQ(clEnqueueMigrateMemObjects(queue, 2, both, CL_MIGRATE_MEM_OBJECT_HOST, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  EXPECT_EQ(prefetched(1), static_cast<int>(kBytes + kPart));
  clReleaseMemObject(both[0]);
  clSVMFree(context_, memory);
}

// It is not claimed for GPUs; a context may have it for its other devices.
TEST_F(HostsTest, ExternalMemoryIsForCpus) {
  const auto all = devices(CL_DEVICE_TYPE_ALL);
  ASSERT_EQ(all.size(), 2U);
  cl_device_id gpu = devices(CL_DEVICE_TYPE_GPU).at(0), cpu = devices(CL_DEVICE_TYPE_CPU).at(0);
  char extensions[4096] = {};
  ASSERT_EQ(clGetDeviceInfo(gpu, CL_DEVICE_EXTENSIONS, sizeof extensions - 1, extensions, nullptr), CL_SUCCESS);
  EXPECT_EQ(std::string(extensions).find("cl_khr_external_memory"), std::string::npos);
  cl_int status = 1;
  cl_context context = clCreateContext(nullptr, 2, all.data(), nullptr, nullptr, &status);
  const int descriptor = memfd_create("external", 0);
  ASSERT_EQ(ftruncate(descriptor, 4096), 0);
  const auto handle = static_cast<cl_mem_properties>(descriptor);
  const auto create = [&](const std::vector<cl_device_id>& list) {
    std::vector<cl_mem_properties> properties = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, handle};
    if (!list.empty()) {
      properties.push_back(CL_DEVICE_HANDLE_LIST_KHR);
      for (cl_device_id each : list)
        properties.push_back(reinterpret_cast<cl_mem_properties>(each));
      properties.push_back(CL_DEVICE_HANDLE_LIST_END_KHR);
    }
    properties.push_back(0);
    return clCreateBufferWithProperties(context, properties.data(), CL_MEM_READ_WRITE, 4096, nullptr, &status);
  };
  for (const std::vector<cl_device_id>& list : {std::vector<cl_device_id>{}, {gpu}, {cpu, gpu}}) {
    EXPECT_EQ(create(list), nullptr);
    EXPECT_EQ(status, CL_INVALID_DEVICE);
  }
  EXPECT_NE(create({cpu}), nullptr); // takes the descriptor
  EXPECT_EQ(status, CL_SUCCESS);
}

TEST_F(HostsTest, AForkedChildHasNoGpuAndSaysSo) {
  const auto gpus = devices(CL_DEVICE_TYPE_GPU);
  ASSERT_EQ(gpus.size(), 1U);
  cl_int status = 1;
  cl_context context = clCreateContext(nullptr, 1, gpus.data(), nullptr, nullptr, &status);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, gpus[0], nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  const pid_t child = fork();
  if (child == 0) {
    cl_int inChild = 1;
    cl_context own = clCreateContext(nullptr, 1, gpus.data(), nullptr, nullptr, &inChild);
    if (inChild == CL_SUCCESS) clCreateCommandQueueWithProperties(own, gpus[0], nullptr, &inChild);
    _exit(inChild == CL_DEVICE_NOT_AVAILABLE ? 0 : 1);
  }
  int how = -1;
  ASSERT_EQ(waitpid(child, &how, 0), child);
  EXPECT_TRUE(WIFEXITED(how) && WEXITSTATUS(how) == 0) << how;
  EXPECT_NE(clCreateCommandQueueWithProperties(context, gpus[0], nullptr, &status), nullptr);
}

} // namespace
