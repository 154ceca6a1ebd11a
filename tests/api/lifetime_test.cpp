// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What commands keep alive, and for how long.
#include "fixture.hpp"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace clotho::test {

namespace {

class LifetimeTest : public Api {
 protected:
  static bool soon(const std::atomic<int>& count, int wanted) {
    for (int i = 0; i < 5000 && count < wanted; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return count == wanted;
  }
  static void CL_CALLBACK count(cl_mem, void* counter) { ++*static_cast<std::atomic<int>*>(counter); }
  static void CL_CALLBACK countContext(cl_context, void* counter) { ++*static_cast<std::atomic<int>*>(counter); }

  void launchesKeepArguments(cl_command_queue_properties properties, cl_int gateStatus);
  void queueOutlivesItsHandle(cl_command_queue_properties properties);
};

/// Launches with equal arguments, which may share one hold on them, between others.
void LifetimeTest::launchesKeepArguments(cl_command_queue_properties properties, cl_int gateStatus) {
  std::atomic<int> destroyed{0};
  alignas(128) cl_uint first[32] = {}, second[32] = {};
  Owned<cl_command_queue> queue = makeQueue(properties);
  Owned<cl_mem> a = makeBuffer(sizeof first, CL_MEM_USE_HOST_PTR, first);
  Owned<cl_mem> b = makeBuffer(sizeof second, CL_MEM_USE_HOST_PTR, second);
  for (cl_mem buffer : {a.get(), b.get()})
    ASSERT_EQ(clSetMemObjectDestructorCallback(buffer, count, &destroyed), CL_SUCCESS);
  Owned<cl_kernel> kernel = makeKernel("kernel void add(global uint* p) { atomic_inc(p); }", "add");

  Owned<cl_event> gate = makeUserEvent();
  const size_t one = 1;
  cl_uint launched[2] = {0, 0};
  auto launch = [&](int which, int times) {
    cl_mem buffer = which ? b : a;
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS);
    for (int i = 0; i < times; ++i, ++launched[which]) {
      cl_event wait = gate;
      // Out of order each waits for the gate; in order the first does it for all.
      bool waits = launched[0] + launched[1] == 0 || properties;
      ASSERT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, &one, waits, waits ? &wait : nullptr, nullptr),
                CL_SUCCESS);
    }
  };
  launch(0, 5);
  launch(1, 1);
  launch(0, 1);
  launch(1, 20);
  ASSERT_EQ(clEnqueueBarrierWithWaitList(queue, 0, nullptr, nullptr), CL_SUCCESS);
  launch(1, 2);
  kernel = {};
  for (Owned<cl_mem>* buffer : {&a, &b})
    EXPECT_EQ(clReleaseMemObject(buffer->take()), CL_SUCCESS);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(destroyed, 0) << "no launch has run yet";

  ASSERT_EQ(clSetUserEventStatus(gate, gateStatus), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  EXPECT_TRUE(soon(destroyed, 2)) << destroyed;
  // A failure passes to who waits for the event, not to who comes later in the queue.
  cl_uint failed = gateStatus == CL_COMPLETE ? 0 : 1;
  if (isFar()) return; // the sums are elsewhere, and gone with their buffers
  EXPECT_EQ(first[0], failed && properties ? 0 : launched[0] - failed);
  EXPECT_EQ(second[0], failed && properties ? 0 : launched[1]);
}

TEST_F(LifetimeTest, LaunchesKeepArguments) { launchesKeepArguments(0, CL_COMPLETE); }
TEST_F(LifetimeTest, LaunchesKeepArgumentsOutOfOrder) {
  launchesKeepArguments(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_COMPLETE);
}
TEST_F(LifetimeTest, FailedLaunchesLetGo) { launchesKeepArguments(0, -7); }
TEST_F(LifetimeTest, FailedLaunchesLetGoOutOfOrder) {
  launchesKeepArguments(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, -7);
}

TEST_F(LifetimeTest, ManyRunningLaunchesKeepArguments) {
  Owned<cl_kernel> kernel = makeKernel("kernel void add(global uint* p) { atomic_inc(p); }", "add");
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> destroyed{0};
    alignas(128) cl_uint sum[32] = {};
    Owned<cl_mem> buffer = makeBuffer(sizeof sum, CL_MEM_USE_HOST_PTR, sum);
    ASSERT_EQ(clSetMemObjectDestructorCallback(buffer, count, &destroyed), CL_SUCCESS);
    cl_mem argument = buffer;
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof argument, &argument), CL_SUCCESS);
    const size_t one = 1;
    for (int i = 0; i < 200; ++i)
      ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clReleaseMemObject(buffer.take()), CL_SUCCESS);
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
    if (!isFar()) EXPECT_EQ(sum[0], 200u);
    ASSERT_TRUE(soon(destroyed, 1)) << destroyed;
  }
}

// A clone in the place of a kernel that is gone must not be taken for it: its launches hold other arguments.
TEST_F(LifetimeTest, LaunchesOfClonesKeepTheirOwnArguments) {
  constexpr int kKernels = 40; // more than there are free places from before
  std::atomic<int> destroyed{0}, kept{0};
  Owned<cl_program> program = buildProgram("kernel void add(global uint* p) { atomic_inc(p); }");
  Owned<cl_mem> first = makeBuffer(4), second = makeBuffer(4);
  ASSERT_EQ(clSetMemObjectDestructorCallback(first, count, &destroyed), CL_SUCCESS);
  ASSERT_EQ(clSetMemObjectDestructorCallback(second, count, &kept), CL_SUCCESS);
  Owned<cl_event> gate = makeUserEvent();
  auto newKernel = [&](cl_mem buffer) {
    Owned<cl_kernel> kernel = clCreateKernel(program, "add", nullptr);
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS);
    return kernel;
  };
  auto launch = [&](cl_command_queue queue, cl_kernel kernel) {
    const size_t one = 1;
    cl_event wait = gate;
    EXPECT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, &one, 1, &wait, nullptr), CL_SUCCESS);
  };
  Owned<cl_kernel> original = newKernel(second);
  std::vector<Owned<cl_command_queue>> queues;
  {
    Owned<cl_kernel> passing = newKernel(first);
    for (int i = 0; i < kKernels; ++i) {
      queues.push_back(makeQueue());
      launch(queues.back(), passing);
    }
  }
  std::vector<Owned<cl_kernel>> clones;
  for (cl_command_queue queue : queues) {
    clones.emplace_back(clCloneKernel(original, nullptr));
    launch(queue, clones.back());
  }
  EXPECT_EQ(clReleaseMemObject(first.take()), CL_SUCCESS);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  for (cl_command_queue queue : queues)
    EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  EXPECT_TRUE(soon(destroyed, 1)) << "a launch still holds the first kernel's buffer";
  EXPECT_EQ(kept, 0) << "the second buffer has been released too often";
  // Not before its callback has run may what that writes to be gone.
  clones.clear();
  original = {};
  EXPECT_EQ(clReleaseMemObject(second.take()), CL_SUCCESS);
  EXPECT_TRUE(soon(kept, 1));
}

/// The application releases a queue whose commands have not run; their events still know it; in the end it is gone, and
/// the context that it held.
void LifetimeTest::queueOutlivesItsHandle(cl_command_queue_properties properties) {
  std::atomic<int> destroyed{0};
  Owned<cl_context> context = makeContext();
  ASSERT_EQ(clSetContextDestructorCallback(context, countContext, &destroyed), CL_SUCCESS);
  cl_int status;
  Owned<cl_event> gate = clCreateUserEvent(context, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
  Owned<cl_command_queue> queue = clCreateCommandQueueWithProperties(context, device_, list, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_event> events[10];
  for (Owned<cl_event>& event : events) {
    cl_event wait = gate;
    ASSERT_EQ(clEnqueueMarkerWithWaitList(queue, 1, &wait, event.out()), CL_SUCCESS);
  }
  ASSERT_EQ(clEnqueueBarrierWithWaitList(queue, 0, nullptr, nullptr), CL_SUCCESS);
  cl_command_queue known = queue;
  EXPECT_EQ(clReleaseCommandQueue(queue.take()), CL_SUCCESS);
  EXPECT_EQ(clReleaseContext(context.take()), CL_SUCCESS);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  gate = {};
  cl_event last = events[9];
  EXPECT_EQ(clWaitForEvents(1, &last), CL_SUCCESS);
  EXPECT_EQ(valueAnswer<cl_command_queue>(CLOTHO_INFO(clGetEventInfo, last, CL_EVENT_COMMAND_QUEUE)), known);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(destroyed, 0) << "an event is left";
  for (Owned<cl_event>& event : events)
    event = {};
  EXPECT_TRUE(soon(destroyed, 1));
}

TEST_F(LifetimeTest, QueueOutlivesItsHandle) { queueOutlivesItsHandle(0); }
TEST_F(LifetimeTest, QueueOutlivesItsHandleOutOfOrder) {
  queueOutlivesItsHandle(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

} // namespace

} // namespace clotho::test
