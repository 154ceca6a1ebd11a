// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fixture.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace clotho::test {

namespace {

using NativeTest = Api;

struct Arguments {
  cl_uint number;
  cl_uint* memory;
  cl_uint* absent;
};

void CL_CALLBACK addNumber(void* raw) {
  auto* arguments = static_cast<Arguments*>(raw);
  if (arguments->absent) return;
  for (int i = 0; i < 4; ++i)
    arguments->memory[i] += arguments->number;
}

TEST_F(NativeTest, GetsACopyWithAddresses) {
  CLOTHO_NEEDS(hasNativeKernels());
  alignas(128) cl_uint host[4] = {1, 2, 3, 4};
  Owned<cl_mem> buffer = makeBuffer(sizeof host, CL_MEM_USE_HOST_PTR, host);
  Arguments arguments{10, nullptr, &host[0]};
  cl_mem memory[] = {buffer, nullptr};
  const void* places[] = {&arguments.memory, &arguments.absent};
  Owned<cl_event> gate = makeUserEvent(), event;
  cl_event wait = gate;
  ASSERT_EQ(
      clEnqueueNativeKernel(queue_, addNumber, &arguments, sizeof arguments, 2, memory, places, 1, &wait, event.out()),
      CL_SUCCESS);
  EXPECT_EQ(arguments.memory, nullptr) << "the application's block stays as it is";
  arguments.number = 1000;
  EXPECT_EQ(clReleaseMemObject(buffer.take()), CL_SUCCESS) << "the command keeps it";
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  wait = event;
  EXPECT_EQ(clWaitForEvents(1, &wait), CL_SUCCESS);
  EXPECT_EQ(host[0], 11u) << "with the number of before, and the null object as a null pointer";
  EXPECT_EQ(valueAnswer<cl_command_type>(CLOTHO_INFO(clGetEventInfo, event, CL_EVENT_COMMAND_TYPE)),
            cl_uint{CL_COMMAND_NATIVE_KERNEL});
}

TEST_F(NativeTest, WorksOnTheBuffer) {
  CLOTHO_NEEDS(hasNativeKernels());
  cl_uint host[4] = {1, 2, 3, 4}, seen[4] = {};
  Owned<cl_mem> buffer = makeBuffer(sizeof host, CL_MEM_COPY_HOST_PTR, host);
  Arguments arguments{10, nullptr, nullptr};
  cl_mem memory[] = {buffer};
  const void* places[] = {&arguments.memory};
  ASSERT_EQ(
      clEnqueueNativeKernel(queue_, addNumber, &arguments, sizeof arguments, 1, memory, places, 0, nullptr, nullptr),
      CL_SUCCESS);
  ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, sizeof seen, seen, 0, nullptr, nullptr), CL_SUCCESS);
  for (cl_uint i = 0; i < 4; ++i)
    EXPECT_EQ(seen[i], host[i] + 10);
}

/// Kernels that wait for each other.
struct Meeting {
  std::atomic<int> begun{0};
  int wanted = 0;
  bool hasMet() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (begun < wanted && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    return begun >= wanted;
  }
};

TEST_F(NativeTest, ThoseOfIndependentQueuesMayWaitForEachOther) {
  CLOTHO_NEEDS(hasNativeKernels());
  constexpr int kQueues = 5;
  static Meeting meeting;
  static std::atomic<int> alone;
  meeting.wanted = kQueues;
  std::vector<Owned<cl_command_queue>> queues;
  for (int i = 0; i < kQueues; ++i) {
    queues.push_back(makeQueue());
    cl_int ignored = 0;
    ASSERT_EQ(clEnqueueNativeKernel(
                  queues.back(),
                  [](void*) {
                    ++meeting.begun;
                    if (!meeting.hasMet()) ++alone;
                  },
                  &ignored, sizeof ignored, 0, nullptr, nullptr, 0, nullptr, nullptr),
              CL_SUCCESS);
  }
  for (const auto& queue : queues)
    EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  EXPECT_EQ(meeting.begun, kQueues);
  EXPECT_EQ(alone, 0) << "so many were not run beside the others";
}

TEST_F(NativeTest, ThoseOfOneQueueShareAThread) {
  CLOTHO_NEEDS(hasNativeKernels());
  static std::atomic<int> inside, most, ran;
  Owned<cl_command_queue> queue = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  constexpr int kKernels = 200;
  for (int i = 0; i < kKernels; ++i)
    ASSERT_EQ(clEnqueueNativeKernel(
                  queue,
                  [](void*) {
                    most = std::max(most.load(), ++inside);
                    std::this_thread::sleep_for(std::chrono::microseconds(50));
                    --inside;
                    ++ran;
                  },
                  nullptr, 0, 0, nullptr, nullptr, 0, nullptr, nullptr),
              CL_SUCCESS);
  EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  EXPECT_EQ(ran, kKernels);
  EXPECT_EQ(most, 1);
}

TEST_F(NativeTest, Errors) {
  CLOTHO_NEEDS(hasNativeKernels());
  Owned<cl_mem> buffer = makeBuffer(64);
  Arguments arguments{1, nullptr, nullptr};
  cl_mem memory[] = {buffer};
  const void* places[] = {&arguments.memory};
  auto code = [&](cl_command_queue queue, void(CL_CALLBACK * function)(void*), void* args, size_t size, cl_uint count,
                  const cl_mem* list, const void** where) {
    return clEnqueueNativeKernel(queue, function, args, size, count, list, where, 0, nullptr, nullptr);
  };
  Foreign<cl_command_queue> foreign(device_);
  EXPECT_EQ(code(foreign, addNumber, &arguments, sizeof arguments, 1, memory, places), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(code(queue_, nullptr, &arguments, sizeof arguments, 1, memory, places), CL_INVALID_VALUE);
  EXPECT_EQ(code(queue_, addNumber, nullptr, sizeof arguments, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code(queue_, addNumber, nullptr, 0, 1, memory, places), CL_INVALID_VALUE);
  EXPECT_EQ(code(queue_, addNumber, &arguments, 0, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code(queue_, addNumber, &arguments, sizeof arguments, 1, nullptr, places), CL_INVALID_VALUE);
  EXPECT_EQ(code(queue_, addNumber, &arguments, sizeof arguments, 1, memory, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code(queue_, addNumber, &arguments, sizeof arguments, 0, memory, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code(queue_, addNumber, &arguments, sizeof arguments, 0, nullptr, places), CL_INVALID_VALUE);
  Foreign<cl_mem> notMemory(device_);
  cl_mem bad[] = {notMemory};
  EXPECT_EQ(code(queue_, addNumber, &arguments, sizeof arguments, 1, bad, places), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(
      clEnqueueNativeKernel(queue_, addNumber, &arguments, sizeof arguments, 1, memory, places, 1, nullptr, nullptr),
      CL_INVALID_EVENT_WAIT_LIST);
}

} // namespace

} // namespace clotho::test
