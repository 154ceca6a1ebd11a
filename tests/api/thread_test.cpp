// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls from several threads at once (appendix A.2).
#include "fixture.hpp"

#include <atomic>
#include <thread>

namespace clotho::test {

namespace {

using ThreadTest = Api;

template <class Body> void onThreads(int count, Body&& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : threads)
    thread.join();
}

TEST_F(ThreadTest, RetainReleaseAndQueriesOfSharedObjects) {
  Owned<cl_mem> buffer = makeBuffer(64);
  Owned<cl_event> event = makeUserEvent();
  std::atomic<int> failures{0};
  onThreads(4, [&](int) {
    for (int i = 0; i < 5000; ++i) {
      cl_uint count = 0;
      failures += clRetainContext(context_) != CL_SUCCESS;
      failures += clRetainMemObject(buffer) != CL_SUCCESS;
      failures += clRetainCommandQueue(queue_) != CL_SUCCESS;
      failures += clRetainEvent(event) != CL_SUCCESS;
      failures += clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof count, &count, nullptr) != CL_SUCCESS;
      failures += count < 2 || count > 5;
      failures += clReleaseEvent(event) != CL_SUCCESS;
      failures += clReleaseCommandQueue(queue_) != CL_SUCCESS;
      failures += clReleaseMemObject(buffer) != CL_SUCCESS;
      failures += clReleaseContext(context_) != CL_SUCCESS;
    }
  });
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetContextInfo, context_, CL_CONTEXT_REFERENCE_COUNT)), 1u);
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetMemObjectInfo, buffer, CL_MEM_REFERENCE_COUNT)), 1u);
}

TEST_F(ThreadTest, ObjectsComeAndGoOnAllThreads) {
  std::atomic<int> failures{0};
  onThreads(4, [&](int) {
    for (int i = 0; i < 300; ++i) {
      cl_int status = 1;
      cl_mem buffer = clCreateBuffer(context_, 0, 128, nullptr, &status);
      failures += status != CL_SUCCESS;
      cl_command_queue queue = clCreateCommandQueueWithProperties(context_, device_, nullptr, &status);
      failures += status != CL_SUCCESS;
      cl_event event = nullptr;
      cl_uint value = static_cast<cl_uint>(i), seen = 0;
      failures += clEnqueueFillBuffer(queue, buffer, &value, 4, 0, 128, 0, nullptr, &event) != CL_SUCCESS;
      failures += clEnqueueReadBuffer(queue, buffer, CL_TRUE, 64, 4, &seen, 1, &event, nullptr) != CL_SUCCESS;
      failures += seen != value;
      failures += clReleaseEvent(event) != CL_SUCCESS;
      failures += clReleaseCommandQueue(queue) != CL_SUCCESS;
      failures += clReleaseMemObject(buffer) != CL_SUCCESS;
    }
  });
  EXPECT_EQ(failures, 0);
}

TEST_F(ThreadTest, OneQueueFedByAll) {
  for (cl_command_queue_properties properties : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
    Owned<cl_command_queue> queue = makeQueue(properties);
    Owned<cl_program> program = buildProgram("kernel void add(global int* p, int v) { atomic_add(p, v); }");
    cl_int zero = 0, sum = 0;
    Owned<cl_mem> buffer = makeBuffer(4, CL_MEM_COPY_HOST_PTR, &zero);
    std::atomic<int> failures{0};
    onThreads(4, [&](int index) {
      cl_int status = 1, value = index + 1;
      cl_kernel kernel = clCreateKernel(program, "add", &status); // kernels may not be shared while arguments change
      failures += status != CL_SUCCESS;
      cl_mem raw = buffer;
      failures += clSetKernelArg(kernel, 0, sizeof raw, &raw) != CL_SUCCESS;
      failures += clSetKernelArg(kernel, 1, sizeof value, &value) != CL_SUCCESS;
      size_t global = 4;
      for (int i = 0; i < 1000; ++i) {
        failures +=
            clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, nullptr, 0, nullptr, nullptr) != CL_SUCCESS;
        if (i % 100 == 99) failures += clFinish(queue) != CL_SUCCESS;
        if (i % 250 == 0) failures += clEnqueueBarrierWithWaitList(queue, 0, nullptr, nullptr) != CL_SUCCESS;
      }
      failures += clReleaseKernel(kernel) != CL_SUCCESS;
    });
    EXPECT_EQ(failures, 0);
    ASSERT_EQ(clFinish(queue), CL_SUCCESS);
    ASSERT_EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, &sum, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(sum, (1 + 2 + 3 + 4) * 4 * 1000);
  }
}

TEST_F(ThreadTest, EventsWaitedForAndSetByDifferentThreads) {
  std::atomic<int> failures{0};
  for (int round = 0; round < 50; ++round) {
    Owned<cl_event> gate = makeUserEvent(), marker;
    cl_event wait = gate;
    ASSERT_EQ(clEnqueueMarkerWithWaitList(queue_, 1, &wait, marker.out()), CL_SUCCESS);
    onThreads(4, [&](int index) {
      cl_event event = marker;
      if (index == round % 4)
        failures += clSetUserEventStatus(gate, CL_COMPLETE) != CL_SUCCESS;
      else
        failures += clWaitForEvents(1, &event) != CL_SUCCESS;
    });
  }
  EXPECT_EQ(failures, 0);
}

TEST_F(ThreadTest, BuildsOnAllThreads) {
  std::atomic<int> failures{0};
  onThreads(4, [&](int index) {
    for (int i = 0; i < 4; ++i) {
      std::string source = "kernel void k(global int* p) { *p = " + std::to_string(index * 100 + i) + "; }";
      const char* text = source.c_str();
      cl_int status = 1, seen = 0;
      cl_program program = clCreateProgramWithSource(context_, 1, &text, nullptr, &status);
      failures += status != CL_SUCCESS;
      failures += clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr) != CL_SUCCESS;
      cl_kernel kernel = clCreateKernel(program, "k", &status);
      failures += status != CL_SUCCESS;
      cl_mem buffer = clCreateBuffer(context_, 0, 4, nullptr, &status);
      failures += clSetKernelArg(kernel, 0, sizeof buffer, &buffer) != CL_SUCCESS;
      failures += clEnqueueTask(queue_, kernel, 0, nullptr, nullptr) != CL_SUCCESS;
      failures += clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, 4, &seen, 0, nullptr, nullptr) != CL_SUCCESS;
      failures += seen != index * 100 + i;
      clReleaseMemObject(buffer);
      clReleaseKernel(kernel);
      clReleaseProgram(program);
    }
  });
  EXPECT_EQ(failures, 0);
}

} // namespace

} // namespace clotho::test
