// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What command buffers keep alive and for how long, what becomes of failures, and what queries tell.
#include "command_buffers.hpp"

#include <atomic>
#include <chrono>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace clotho::test {

namespace {

class CommandBufferLifeTest : public CommandBufferApi {
 protected:
  static bool soon(const std::atomic<int>& count, int wanted) {
    for (int i = 0; i < 5000 && count < wanted; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return count == wanted;
  }
  static void CL_CALLBACK countMemory(cl_mem, void* counter) { ++*static_cast<std::atomic<int>*>(counter); }
  static void CL_CALLBACK countContext(cl_context, void* counter) { ++*static_cast<std::atomic<int>*>(counter); }
  cl_uint refsOf(cl_command_buffer_khr buffer) { return info<cl_uint>(buffer, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR); }
};

TEST_F(CommandBufferLifeTest, CountsItsReferences) {
  TestBuffer buffer = makeCommandBuffer();
  EXPECT_EQ(refsOf(buffer), 1u);
  ASSERT_EQ(calls_->clRetainCommandBufferKHR(buffer), CL_SUCCESS);
  EXPECT_EQ(refsOf(buffer), 2u);
  ASSERT_EQ(calls_->clReleaseCommandBufferKHR(buffer), CL_SUCCESS);
  EXPECT_EQ(refsOf(buffer), 1u);
  const cl_command_buffer_khr raw = buffer.take();
  ASSERT_EQ(calls_->clReleaseCommandBufferKHR(raw), CL_SUCCESS);
  EXPECT_EQ(calls_->clReleaseCommandBufferKHR(raw), CL_INVALID_COMMAND_BUFFER_KHR);
  EXPECT_EQ(calls_->clRetainCommandBufferKHR(raw), CL_INVALID_COMMAND_BUFFER_KHR);
}

TEST_F(CommandBufferLifeTest, QueriesTellWhatItWasMadeWith) {
  Owned<cl_command_queue> second = makeQueue();
  const std::vector<cl_command_buffer_properties_khr> list = {CL_COMMAND_BUFFER_FLAGS_KHR,
                                                              CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
  TestBuffer buffer = makeCommandBuffer({queue_.get(), second.get()}, list), plain = makeCommandBuffer();
  EXPECT_EQ(info<cl_uint>(buffer, CL_COMMAND_BUFFER_NUM_QUEUES_KHR), 2u);
  EXPECT_EQ(listAnswer<cl_command_queue>(
                CLOTHO_INFO(calls_->clGetCommandBufferInfoKHR, buffer, CL_COMMAND_BUFFER_QUEUES_KHR)),
            (std::vector<cl_command_queue>{queue_.get(), second.get()}));
  EXPECT_EQ(info<cl_context>(buffer, CL_COMMAND_BUFFER_CONTEXT_KHR), context_.get());
  EXPECT_EQ(listAnswer<cl_command_buffer_properties_khr>(
                CLOTHO_INFO(calls_->clGetCommandBufferInfoKHR, buffer, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR)),
            list);
  EXPECT_TRUE(
      answer(CLOTHO_INFO(calls_->clGetCommandBufferInfoKHR, plain, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR)).empty());
  checkInfoProtocol(
      [&](cl_uint name, size_t size, void* value, size_t* returned) {
        return calls_->clGetCommandBufferInfoKHR(buffer, name, size, value, returned);
      },
      CL_COMMAND_BUFFER_STATE_KHR);
}

TEST_F(CommandBufferLifeTest, KeepsWhatItsCommandsUse) {
  std::atomic<int> destroyed{0}, contexts{0};
  Owned<cl_mem> argument = makeWords(Words(kWords, 2)), source = makeWords(Words(kWords, 7)),
                target = makeWords(Words(kWords, 0));
  for (const cl_mem each : {argument.get(), source.get(), target.get()})
    ASSERT_EQ(clSetMemObjectDestructorCallback(each, countMemory, &destroyed), CL_SUCCESS);
  ASSERT_EQ(clSetContextDestructorCallback(context_, countContext, &contexts), CL_SUCCESS);
  TestBuffer buffer = makeCommandBuffer();
  {
    Owned<cl_kernel> step = kernel("step", argument, 3);
    buffer.launch(step, kWords);
  }
  buffer.copy(source, target, kBytes, {});
  buffer.finalize();
  for (Owned<cl_mem>* each : {&argument, &source, &target})
    *each = {};
  program_ = {};
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(destroyed, 0);
  for (int i = 0; i < 3; ++i)
    buffer.enqueue();
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(destroyed, 0);

  // All at once, the command buffer among it, while it waits: what is enqueued runs to its end.
  Owned<cl_event> gate = makeUserEvent();
  Owned<cl_event> done;
  buffer.enqueue(done.out(), {gate.get()});
  queue_ = {};
  context_ = {};
  buffer = {};
  EXPECT_EQ(destroyed, 0);
  EXPECT_GT(statusOf(done), CL_COMPLETE);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  const cl_event event = done;
  ASSERT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
  EXPECT_TRUE(soon(destroyed, 3)) << destroyed;
  done = {};
  gate = {};
  EXPECT_TRUE(soon(contexts, 1));
  context_ = makeContext(); // for TearDown
  queue_ = makeQueue();
}

TEST_F(CommandBufferLifeTest, ReleasedWhileItsGraphRuns) {
  Owned<cl_command_queue> loose = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  std::atomic<int> destroyed{0};
  Owned<cl_mem> sum = makeWords({0}), seen = makeWords({0});
  ASSERT_EQ(clSetMemObjectDestructorCallback(sum, countMemory, &destroyed), CL_SUCCESS);
  for (int round = 0; round < 20; ++round) {
    TestBuffer buffer = makeCommandBuffer({loose.get()});
    Owned<cl_kernel> count = kernel("count", sum, 1);
    Points all;
    for (int i = 0; i < 10; ++i)
      all.push_back(buffer.launch(count, 3));
    buffer.copy(sum, seen, 4, {.after = all});
    buffer.finalize();
    buffer.enqueue();
    buffer = {};
    ASSERT_EQ(clEnqueueBarrierWithWaitList(loose, 0, nullptr, nullptr), CL_SUCCESS);
  }
  sum = {};
  ASSERT_EQ(clFinish(loose), CL_SUCCESS);
  EXPECT_EQ(read(seen), Words{20 * 10 * 3});
  EXPECT_TRUE(soon(destroyed, 1));
}

TEST_F(CommandBufferLifeTest, AFailureEndsTheSequence) {
  CLOTHO_NEEDS(survivesFaults());
  Owned<cl_mem> words = makeWords(Words(kWords, 1));
  Owned<cl_kernel> put = kernel("put", words, 5), fault = kernel("fault", words, 0x1230);
  for (const size_t faultItems : {size_t{1}, size_t{1} << 18}) {
    TestBuffer buffer = makeCommandBuffer();
    set(put, words, 5);
    buffer.launch(put, kWords);
    buffer.launch(fault, faultItems);
    set(put, words, 6);
    buffer.launch(put, kWords);
    buffer.finalize();
    for (int times = 0; times < 2; ++times) {
      Owned<cl_event> failed, after;
      buffer.enqueue(failed.out());
      const cl_event wait = failed;
      ASSERT_EQ(clEnqueueMarkerWithWaitList(queue_, 1, &wait, after.out()), CL_SUCCESS);
      EXPECT_EQ(clWaitForEvents(1, &wait), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
      EXPECT_EQ(statusOf(failed), CL_OUT_OF_RESOURCES);
      ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
      EXPECT_EQ(statusOf(after), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
      EXPECT_EQ(read(words), Words(kWords, 5)) << "what comes after the failure does not run";
    }
  }
}

TEST_F(CommandBufferLifeTest, AFailureEndsWhatWaitsForIt) {
  CLOTHO_NEEDS(survivesFaults());
  Owned<cl_command_queue> loose = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Owned<cl_mem> words = makeWords(Words(kWords, 1)), other = makeWords(Words(kWords, 1));
  Owned<cl_kernel> put = kernel("put", words, 5), fault = kernel("fault", words, 0x1230);
  TestBuffer buffer = makeCommandBuffer({loose.get()});
  const cl_sync_point_khr bad = buffer.launch(fault, 1);
  const cl_sync_point_khr never = buffer.launch(put, kWords, {.after = {bad}});
  set(put, other, 9);
  buffer.launch(put, kWords);
  buffer.barrier({.after = {never}});
  buffer.finalize();
  for (int times = 0; times < 3; ++times) {
    Owned<cl_event> failed;
    buffer.enqueue(failed.out());
    const cl_event wait = failed;
    EXPECT_EQ(clWaitForEvents(1, &wait), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    EXPECT_EQ(statusOf(failed), CL_OUT_OF_RESOURCES) << "the first failure's status";
    EXPECT_EQ(read(words), Words(kWords, 1));
    EXPECT_EQ(read(other), Words(kWords, 9));
  }
}

TEST_F(CommandBufferLifeTest, FailsWithItsWaitList) {
  Owned<cl_mem> words = makeWords(Words(kWords, 1));
  Owned<cl_kernel> put = kernel("put", words, 5);
  Owned<cl_command_queue> loose = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  for (const cl_command_queue queue : {queue_.get(), loose.get()}) {
    TestBuffer buffer = makeCommandBuffer({queue});
    buffer.launch(put, kWords);
    buffer.launch(put, kWords);
    buffer.finalize();
    Owned<cl_event> gate = makeUserEvent(), done;
    buffer.enqueue(done.out(), {gate.get()});
    ASSERT_EQ(clSetUserEventStatus(gate, -77), CL_SUCCESS);
    ASSERT_EQ(clFinish(queue), CL_SUCCESS);
    EXPECT_EQ(statusOf(done), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    EXPECT_EQ(read(words), Words(kWords, 1));
  }
}

TEST_F(CommandBufferLifeTest, AForkedChildRefusesWhatItInherits) {
  Owned<cl_mem> words = makeWords(Words(kWords, 1));
  Owned<cl_kernel> step = kernel("step", words, 1);
  cl_mutable_command_khr handle = nullptr;
  TestBuffer buffer = makeMutable();
  buffer.launch(step, kWords, {.handle = &handle});
  buffer.finalize();
  buffer.enqueue();
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    cl_uint value = 0;
    const bool isRefused =
        calls_->clEnqueueCommandBufferKHR(0, nullptr, buffer, 0, nullptr, nullptr) == CL_INVALID_COMMAND_BUFFER_KHR &&
        calls_->clReleaseCommandBufferKHR(buffer) == CL_INVALID_COMMAND_BUFFER_KHR &&
        calls_->clGetMutableCommandInfoKHR(handle, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, sizeof value, &value, nullptr) ==
            CL_INVALID_MUTABLE_COMMAND_KHR;
    _exit(isRefused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  buffer.enqueue();
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
}

} // namespace

} // namespace clotho::test
