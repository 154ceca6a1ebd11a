// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Commands that free shared virtual memory (section 5.6).
#include "svm.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace clotho::test {

namespace {

class SvmFreeTest : public SharedApi {};

struct Freed {
  std::atomic<int> calls{0};
  cl_command_queue queue = nullptr;
  std::vector<void*> pointers;
  std::thread::id thread{};
  cl_context context = nullptr;
};

void CL_CALLBACK freeThem(cl_command_queue queue, cl_uint count, void* pointers[], void* data) {
  auto& freed = *static_cast<Freed*>(data);
  freed.queue = queue;
  freed.pointers.assign(pointers, pointers + count);
  freed.thread = std::this_thread::get_id();
  // A function of OpenCL's, which would hang if a lock were held.
  clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof freed.context, &freed.context, nullptr);
  for (void* pointer : freed.pointers)
    clSVMFree(freed.context, pointer);
  ++freed.calls;
}

TEST_F(SvmFreeTest, FreeWithCallback) {
  void* pointers[] = {clSVMAlloc(context_, 0, 64, 0), clSVMAlloc(context_, 0, 5 << 20, 0)};
  const std::vector<void*> copy(std::begin(pointers), std::end(pointers));
  Owned<cl_event> gate = makeUserEvent(), event;
  const cl_event waits[] = {gate};
  Freed freed;
  ASSERT_EQ(clEnqueueSVMFree(queue_, 2, pointers, freeThem, &freed, 1, waits, event.out()), CL_SUCCESS);
  pointers[0] = pointers[1] = nullptr; // the array is ours again
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(freed.calls, 0); // when the command runs, not when it is enqueued
  clSetUserEventStatus(gate, CL_COMPLETE);
  const cl_event done[] = {event};
  ASSERT_EQ(clWaitForEvents(1, done), CL_SUCCESS);
  EXPECT_EQ(freed.calls, 1); // it is part of the command
  EXPECT_EQ(freed.queue, queue_.get());
  EXPECT_EQ(freed.context, context_.get());
  EXPECT_EQ(freed.pointers, copy);
  EXPECT_NE(freed.thread, std::this_thread::get_id());
}

TEST_F(SvmFreeTest, FreeOfNothing) {
  Owned<cl_event> event;
  EXPECT_EQ(clEnqueueSVMFree(queue_, 0, nullptr, nullptr, nullptr, 0, nullptr, event.out()), CL_SUCCESS);
  Freed freed;
  EXPECT_EQ(clEnqueueSVMFree(queue_, 0, nullptr, freeThem, &freed, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(freed.calls, 1);
  EXPECT_TRUE(freed.pointers.empty());
}

TEST_F(SvmFreeTest, FreeWhoseDependencyFails) {
  Svm<cl_uint> memory = allocate(4);
  Owned<cl_event> gate = makeUserEvent(), event;
  const cl_event waits[] = {gate};
  void* pointers[] = {memory.get()};
  Freed freed;
  ASSERT_EQ(clEnqueueSVMFree(queue_, 1, pointers, freeThem, &freed, 1, waits, event.out()), CL_SUCCESS);
  ASSERT_EQ(clEnqueueSVMFree(queue_, 1, pointers, nullptr, nullptr, 1, waits, nullptr), CL_SUCCESS);
  clSetUserEventStatus(gate, -5);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(statusOf(event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(freed.calls, 0);
  map(memory.get(), 16); // it is still there
  memory[0] = 1;
  unmap(memory.get());
}

TEST_F(SvmFreeTest, LongChainsOfFrees) {
  Owned<cl_event> gate = makeUserEvent();
  const cl_event waits[] = {gate};
  for (int i = 0; i < 20000; ++i) {
    void* memory[] = {clSVMAlloc(context_, 0, 64, 0)};
    ASSERT_EQ(clEnqueueSVMFree(queue_, 1, memory, nullptr, nullptr, i == 0, i == 0 ? waits : nullptr, nullptr),
              CL_SUCCESS);
  }
  clSetUserEventStatus(gate, CL_COMPLETE);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  // They are free indeed: there is not that much memory at once.
  for (int i = 0; i < 2000; ++i) {
    void* memory[] = {clSVMAlloc(context_, 0, size_t{64} << 20, 0)};
    ASSERT_NE(memory[0], nullptr) << i;
    ASSERT_EQ(clEnqueueSVMFree(queue_, 1, memory, nullptr, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  }
}

} // namespace

} // namespace clotho::test
