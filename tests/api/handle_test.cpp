// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A handle is valid as long as its object lives, whatever keeps that (docs/architecture/objects.md).
#include "fixture.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

namespace clotho::test {

namespace {

class HandleTest : public Api {
 protected:
  template <class Predicate> static bool soon(Predicate&& predicate) {
    for (int i = 0; i < 5000 && !predicate(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return predicate();
  }
  static void CL_CALLBACK countContext(cl_context, void* counter) { ++*static_cast<std::atomic<int>*>(counter); }
  static void CL_CALLBACK countMemory(cl_mem, void* counter) { ++*static_cast<std::atomic<int>*>(counter); }

  Owned<cl_command_queue> queueIn(cl_context context, cl_command_queue_properties properties) {
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    cl_int status = 1;
    Owned<cl_command_queue> queue = clCreateCommandQueueWithProperties(context, device_, list, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return queue;
  }
  static Owned<cl_event> userEventIn(cl_context context) {
    cl_int status = 1;
    Owned<cl_event> event = clCreateUserEvent(context, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return event;
  }
  static cl_command_queue queueOf(cl_event event) {
    return valueAnswer<cl_command_queue>(CLOTHO_INFO(clGetEventInfo, event, CL_EVENT_COMMAND_QUEUE));
  }

  void queueComesBack(cl_command_queue_properties properties, bool isRetained);
};

struct FromCallback {
  std::promise<void> over;
  cl_int info = 1, queueInfo = 1, profiling = 1, retained = 1, registered = 1;
  cl_uint references = 99;
  cl_event event = nullptr;
  std::atomic<int> second{0};
};

// The callback gets the event so that it can ask what came of the command.
TEST_F(HandleTest, ACallbackMayUseItsReleasedEvent) {
  FromCallback data;
  Owned<cl_command_queue> queue = makeQueue(CL_QUEUE_PROFILING_ENABLE);
  Owned<cl_event> gate = makeUserEvent(), event;
  cl_event wait = gate;
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue, 1, &wait, event.out()), CL_SUCCESS);
  const cl_event known = event;
  auto callback = [](cl_event own, cl_int, void* user) {
    auto& seen = *static_cast<FromCallback*>(user);
    cl_int status = 1;
    cl_command_queue itsQueue = nullptr;
    cl_ulong time = 0;
    seen.event = own;
    seen.info = clGetEventInfo(own, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    clGetEventInfo(own, CL_EVENT_REFERENCE_COUNT, sizeof seen.references, &seen.references, nullptr);
    clGetEventInfo(own, CL_EVENT_COMMAND_QUEUE, sizeof itsQueue, static_cast<void*>(&itsQueue), nullptr);
    cl_command_queue_properties properties = 0;
    seen.queueInfo = clGetCommandQueueInfo(itsQueue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, nullptr);
    seen.profiling = clGetEventProfilingInfo(own, CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr);
    auto again = [](cl_event, cl_int, void* user) { ++static_cast<FromCallback*>(user)->second; };
    seen.registered = clSetEventCallback(own, CL_COMPLETE, again, user);
    seen.retained = clRetainEvent(own);
    seen.over.set_value();
  };
  ASSERT_EQ(clSetEventCallback(event, CL_COMPLETE, callback, &data), CL_SUCCESS);
  ASSERT_EQ(clReleaseEvent(event.take()), CL_SUCCESS);
  ASSERT_EQ(clReleaseCommandQueue(queue.take()), CL_SUCCESS);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  ASSERT_EQ(data.over.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
  EXPECT_EQ(data.event, known);
  EXPECT_EQ(data.info, CL_SUCCESS);
  EXPECT_EQ(data.references, 0u) << "the application has released it";
  EXPECT_EQ(data.queueInfo, CL_SUCCESS) << "the event keeps the queue";
  EXPECT_EQ(data.profiling, CL_SUCCESS);
  EXPECT_EQ(data.registered, CL_SUCCESS);
  EXPECT_TRUE(soon([&] { return data.second == 1; }));
  ASSERT_EQ(data.retained, CL_SUCCESS);
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetEventInfo, known, CL_EVENT_REFERENCE_COUNT)), 1u);
  EXPECT_EQ(clReleaseEvent(known), CL_SUCCESS);
  EXPECT_EQ(clReleaseEvent(known), CL_INVALID_EVENT);
}

TEST_F(HandleTest, ContextsGotByAQuery) {
  std::atomic<int> destroyed{0};
  Owned<cl_context> owned = makeContext();
  ASSERT_EQ(clSetContextDestructorCallback(owned, countContext, &destroyed), CL_SUCCESS);
  Owned<cl_command_queue> queue = queueIn(owned, 0);
  ASSERT_EQ(clReleaseContext(owned.take()), CL_SUCCESS);

  auto context = valueAnswer<cl_context>(CLOTHO_INFO(clGetCommandQueueInfo, queue, CL_QUEUE_CONTEXT));
  EXPECT_EQ(clReleaseContext(context), CL_INVALID_CONTEXT) << "the queue's reference is not the application's";
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetContextInfo, context, CL_CONTEXT_REFERENCE_COUNT)), 0u);
  cl_int status = 1;
  Owned<cl_mem> buffer = clCreateBuffer(context, 0, 64, nullptr, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  ASSERT_EQ(clRetainContext(context), CL_SUCCESS);
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetContextInfo, context, CL_CONTEXT_REFERENCE_COUNT)), 1u);
  queue = {};
  buffer = {};
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(destroyed, 0) << "retained";
  EXPECT_EQ(clReleaseContext(context), CL_SUCCESS);
  EXPECT_TRUE(soon([&] { return destroyed == 1; }));
  EXPECT_EQ(clRetainContext(context), CL_INVALID_CONTEXT);
}

TEST_F(HandleTest, BuffersGotByAQuery) {
  std::atomic<int> destroyed{0};
  Owned<cl_mem> owned = makeBuffer(256);
  ASSERT_EQ(clSetMemObjectDestructorCallback(owned, countMemory, &destroyed), CL_SUCCESS);
  cl_buffer_region region{0, 64};
  cl_int status = 1;
  Owned<cl_mem> part = clCreateSubBuffer(owned, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  ASSERT_EQ(clReleaseMemObject(owned.take()), CL_SUCCESS);
  auto whole = valueAnswer<cl_mem>(CLOTHO_INFO(clGetMemObjectInfo, part, CL_MEM_ASSOCIATED_MEMOBJECT));
  EXPECT_EQ(clReleaseMemObject(whole), CL_INVALID_MEM_OBJECT);
  cl_uint value = 5, seen = 0;
  EXPECT_EQ(clEnqueueWriteBuffer(queue_, whole, CL_TRUE, 200, 4, &value, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clRetainMemObject(whole), CL_SUCCESS);
  part = {};
  EXPECT_EQ(clEnqueueReadBuffer(queue_, whole, CL_TRUE, 200, 4, &seen, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(seen, 5u);
  EXPECT_EQ(destroyed, 0);
  EXPECT_EQ(clReleaseMemObject(whole), CL_SUCCESS);
  EXPECT_TRUE(soon([&] { return destroyed == 1; }));
}

// An image of a buffer keeps the buffer, and an image of that image both.
TEST_F(HandleTest, ImagesGotByAQuery) {
  std::atomic<int> destroyed{0};
  const cl_image_format format{CL_RGBA, CL_UNORM_INT8}, seenAs{CL_sRGBA, CL_UNORM_INT8};
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = desc.image_height = 8;
  Owned<cl_mem> buffer = makeBuffer(256);
  ASSERT_EQ(clSetMemObjectDestructorCallback(buffer, countMemory, &destroyed), CL_SUCCESS);
  desc.mem_object = buffer;
  cl_int status = 1;
  Owned<cl_mem> image = clCreateImage(context_, 0, &format, &desc, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  ASSERT_EQ(clSetMemObjectDestructorCallback(image, countMemory, &destroyed), CL_SUCCESS);
  desc.mem_object = image;
  Owned<cl_mem> view = clCreateImage(context_, 0, &seenAs, &desc, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  ASSERT_EQ(clReleaseMemObject(buffer.take()), CL_SUCCESS);
  ASSERT_EQ(clReleaseMemObject(image.take()), CL_SUCCESS);
  auto parent = valueAnswer<cl_mem>(CLOTHO_INFO(clGetMemObjectInfo, view, CL_MEM_ASSOCIATED_MEMOBJECT));
  EXPECT_EQ(clReleaseMemObject(parent), CL_INVALID_MEM_OBJECT);
  auto whole = valueAnswer<cl_mem>(CLOTHO_INFO(clGetImageInfo, parent, CL_IMAGE_BUFFER));
  cl_uint value = 5, seen = 0;
  EXPECT_EQ(clEnqueueWriteBuffer(queue_, whole, CL_TRUE, 64, 4, &value, 0, nullptr, nullptr), CL_SUCCESS);
  const size_t origin[] = {0, 2, 0}, one[] = {1, 1, 1};
  EXPECT_EQ(clEnqueueReadImage(queue_, view, CL_TRUE, origin, one, 0, 0, &seen, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(seen, 5u) << "the third row";
  EXPECT_EQ(destroyed, 0);
  view = {};
  EXPECT_TRUE(soon([&] { return destroyed == 2; }));
}

TEST_F(HandleTest, ProgramsGotByAQuery) {
  Owned<cl_kernel> kernel = makeKernel("kernel void one() {} kernel void two() {}", "one"); // its program is released
  auto program = valueAnswer<cl_program>(CLOTHO_INFO(clGetKernelInfo, kernel, CL_KERNEL_PROGRAM));
  EXPECT_EQ(clReleaseProgram(program), CL_INVALID_PROGRAM);
  ASSERT_EQ(clRetainProgram(program), CL_SUCCESS);
  kernel = {};
  cl_int status = 1;
  Owned<cl_kernel> other = clCreateKernel(program, "two", &status);
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(clReleaseProgram(program), CL_SUCCESS);
  EXPECT_EQ(clReleaseProgram(program), CL_INVALID_PROGRAM);
}

/// The application releases a queue and uses it again by way of an event: commands keep their order, clFinish waits for
/// those of before, and in the end the queue is gone.
void HandleTest::queueComesBack(cl_command_queue_properties properties, bool isRetained) {
  std::atomic<int> destroyed{0};
  alignas(128) cl_uint bytes[32] = {};
  Owned<cl_context> context = makeContext();
  ASSERT_EQ(clSetContextDestructorCallback(context, countContext, &destroyed), CL_SUCCESS);
  Owned<cl_event> gate = userEventIn(context), first, last, barrier;
  Owned<cl_command_queue> owned = queueIn(context, properties);
  cl_int status = 1;
  Owned<cl_mem> buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof bytes, bytes, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  cl_uint value = 1;
  cl_event wait = gate;
  ASSERT_EQ(clEnqueueFillBuffer(owned, buffer, &value, 4, 0, sizeof bytes, 1, &wait, first.out()), CL_SUCCESS);
  ASSERT_EQ(clEnqueueBarrierWithWaitList(owned, 0, nullptr, nullptr), CL_SUCCESS);
  const cl_command_queue queue = owned;
  ASSERT_EQ(clReleaseCommandQueue(owned.take()), CL_SUCCESS);
  EXPECT_EQ(clReleaseCommandQueue(queue), CL_INVALID_COMMAND_QUEUE);

  ASSERT_EQ(queueOf(first), queue);
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetCommandQueueInfo, queue, CL_QUEUE_REFERENCE_COUNT)), 0u);
  if (isRetained) ASSERT_EQ(clRetainCommandQueue(queue), CL_SUCCESS);
  value = 2;
  for (size_t i = 0; i < 4; ++i) // apart, since they may run at once
    ASSERT_EQ(clEnqueueFillBuffer(queue, buffer, &value, 4, i * 32, 32, 0, nullptr, last.out()), CL_SUCCESS);
  EXPECT_GT(statusOf(last), CL_COMPLETE) << "it overtook what was there before";
  std::atomic<bool> finished{false};
  std::thread finisher([&] {
    EXPECT_EQ(clFinish(queue), CL_SUCCESS);
    finished = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(finished);
  EXPECT_GT(statusOf(last), CL_COMPLETE);
  EXPECT_EQ(bytes[0], 0u);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  finisher.join();
  EXPECT_EQ(statusOf(first), CL_COMPLETE);
  EXPECT_EQ(statusOf(last), CL_COMPLETE);
  if (!isFar()) EXPECT_EQ(bytes[31], 2u);

  // Once more, now that nothing is left from before.
  value = 3;
  ASSERT_EQ(clEnqueueFillBuffer(queue, buffer, &value, 4, 0, sizeof bytes, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueBarrierWithWaitList(queue, 0, nullptr, barrier.out()), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  if (!isFar()) EXPECT_EQ(bytes[31], 3u);
  if (isRetained) EXPECT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
  gate = {};
  first = {};
  last = {};
  barrier = {};
  buffer = {};
  EXPECT_EQ(clReleaseContext(context.take()), CL_SUCCESS);
  EXPECT_TRUE(soon([&] { return destroyed == 1; })) << "the queue is left";
}

TEST_F(HandleTest, AQueueComesBack) { queueComesBack(0, true); }
TEST_F(HandleTest, AQueueComesBackOutOfOrder) { queueComesBack(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, true); }
TEST_F(HandleTest, AReleasedQueueIsUsed) { queueComesBack(0, false); }
TEST_F(HandleTest, AReleasedQueueIsUsedOutOfOrder) { queueComesBack(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, false); }

// Commands end while the application retains and releases their queue, and its last reference may be among those.
TEST_F(HandleTest, QueuesComeAndGoWhileCommandsEnd) {
  for (cl_command_queue_properties properties : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
    std::atomic<int> destroyed{0}, failures{0};
    Owned<cl_context> context = makeContext();
    ASSERT_EQ(clSetContextDestructorCallback(context, countContext, &destroyed), CL_SUCCESS);
    for (int round = 0; round < 20; ++round) {
      Owned<cl_command_queue> owned = queueIn(context, properties);
      Owned<cl_event> gate = userEventIn(context), pin;
      cl_event wait = gate;
      ASSERT_EQ(clEnqueueMarkerWithWaitList(owned, 1, &wait, pin.out()), CL_SUCCESS);
      const cl_command_queue queue = owned;
      ASSERT_EQ(clReleaseCommandQueue(owned.take()), CL_SUCCESS);
      std::vector<std::thread> threads;
      for (int t = 0; t < 3; ++t)
        threads.emplace_back([&, t] {
          for (int i = 0; i < 100; ++i) {
            const bool isRetained = (i + t) % 3 != 0;
            if (isRetained) failures += clRetainCommandQueue(queue) != CL_SUCCESS;
            failures += clEnqueueMarkerWithWaitList(queue, 0, nullptr, nullptr) != CL_SUCCESS;
            if (i % 7 == 0) failures += clEnqueueBarrierWithWaitList(queue, 0, nullptr, nullptr) != CL_SUCCESS;
            if (isRetained) failures += clReleaseCommandQueue(queue) != CL_SUCCESS;
            if (t == 0 && i == 50) failures += clSetUserEventStatus(gate, CL_COMPLETE) != CL_SUCCESS;
          }
          failures += clFinish(queue) != CL_SUCCESS;
        });
      for (std::thread& thread : threads)
        thread.join();
    }
    EXPECT_EQ(failures, 0);
    EXPECT_EQ(clReleaseContext(context.take()), CL_SUCCESS);
    EXPECT_TRUE(soon([&] { return destroyed == 1; })) << "a queue is left";
  }
}

// The first reference of the application's comes back and goes on several threads at once.
TEST_F(HandleTest, RetainedFromNothingByMany) {
  std::atomic<int> destroyed{0}, failures{0};
  Owned<cl_mem> owned = makeBuffer(256);
  ASSERT_EQ(clSetMemObjectDestructorCallback(owned, countMemory, &destroyed), CL_SUCCESS);
  cl_buffer_region region{0, 64};
  Owned<cl_mem> part = clCreateSubBuffer(owned, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr);
  const cl_mem whole = owned.take();
  ASSERT_EQ(clReleaseMemObject(whole), CL_SUCCESS);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) {
        failures += clRetainMemObject(whole) != CL_SUCCESS;
        failures += clReleaseMemObject(whole) != CL_SUCCESS;
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetMemObjectInfo, whole, CL_MEM_REFERENCE_COUNT)), 0u);
  EXPECT_EQ(destroyed, 0);
  part = {};
  EXPECT_TRUE(soon([&] { return destroyed == 1; }));
  EXPECT_EQ(clRetainMemObject(whole), CL_INVALID_MEM_OBJECT);
}

/// A thread that waits, and what it got. It is left behind when it never comes back.
struct Waiter {
  /// Returns when the thread most probably is in the call. Under load it may not be.
  template <class Call> explicit Waiter(Call call) {
    std::promise<void> started;
    std::promise<cl_int> promise;
    std::future<void> isStarted = started.get_future();
    result = promise.get_future();
    std::thread([call, started = std::move(started), promise = std::move(promise)]() mutable {
      started.set_value();
      promise.set_value(call());
    }).detach();
    isStarted.wait();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  bool isBack() { return result.wait_for(std::chrono::seconds(20)) == std::future_status::ready; }
  std::future<cl_int> result;
};

// Section 5.11, clReleaseEvent: host threads that wait go on waiting after the application has released the event.
TEST_F(HandleTest, WaitingKeepsAUserEvent) {
  int inTime = 0;
  for (int round = 0; round < 50; ++round) {
    const cl_event event = makeUserEvent().take();
    Waiter waiter([event] { return clWaitForEvents(1, &event); });
    ASSERT_EQ(clReleaseEvent(event), CL_SUCCESS);
    const cl_int set = clSetUserEventStatus(event, CL_COMPLETE);
    ASSERT_TRUE(waiter.isBack());
    const cl_int waited = waiter.result.get();
    // A thread that came too late found nothing, and nothing was there for the status either.
    EXPECT_TRUE(waited == set || waited == CL_INVALID_EVENT) << waited << ", " << set;
    inTime += waited == CL_SUCCESS;
  }
  EXPECT_GT(inTime, 0);
}

// The place of a command's event is used again as soon as it is done, and a waiter that was asleep must not look there.
TEST_F(HandleTest, WaitingKeepsACommand) {
  int inTime = 0;
  for (int round = 0; round < 200; ++round) {
    Owned<cl_event> gate = makeUserEvent();
    const cl_event wait = gate;
    cl_event event = nullptr;
    ASSERT_EQ(clEnqueueMarkerWithWaitList(queue_, 1, &wait, &event), CL_SUCCESS);
    ASSERT_EQ(clEnqueueMarkerWithWaitList(queue_, 0, nullptr, nullptr), CL_SUCCESS); // the queue knows this one
    Waiter waiter([event] { return clWaitForEvents(1, &event); });
    ASSERT_EQ(clReleaseEvent(event), CL_SUCCESS);
    ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    std::vector<Owned<cl_event>> others;
    for (int i = 0; i < 64; ++i)
      others.push_back(makeUserEvent());
    // A thread that came too late may wait for one of these in its stead. One that was asleep would never see it.
    waiter.result.wait_for(std::chrono::milliseconds(100));
    for (cl_event other : others)
      ASSERT_EQ(clSetUserEventStatus(other, CL_COMPLETE), CL_SUCCESS);
    ASSERT_TRUE(waiter.isBack()) << "round " << round;
    const cl_int waited = waiter.result.get();
    EXPECT_TRUE(waited == CL_SUCCESS || waited == CL_INVALID_EVENT) << waited;
    inTime += waited == CL_SUCCESS;
  }
  EXPECT_GT(inTime, 0);
}

TEST_F(HandleTest, FinishingKeepsAQueue) {
  int inTime = 0;
  for (int round = 0; round < 20; ++round) {
    const cl_command_queue queue = makeQueue(round % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0).take();
    Owned<cl_event> gate = makeUserEvent();
    const cl_event wait = gate;
    ASSERT_EQ(clEnqueueMarkerWithWaitList(queue, 1, &wait, nullptr), CL_SUCCESS);
    Waiter waiter([queue] { return clFinish(queue); });
    ASSERT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
    ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    ASSERT_TRUE(waiter.isBack());
    const cl_int waited = waiter.result.get();
    EXPECT_TRUE(waited == CL_SUCCESS || waited == CL_INVALID_COMMAND_QUEUE) << waited;
    inTime += waited == CL_SUCCESS;
  }
  EXPECT_GT(inTime, 0);
}

// An event is not deleted while a command has to wait for it (section 5.11, clReleaseEvent), or a callback.
TEST_F(HandleTest, CommandsAndCallbacksKeepAUserEvent) {
  cl_event gate = makeUserEvent().take();
  Owned<cl_event> markers[2];
  for (Owned<cl_event>& marker : markers)
    ASSERT_EQ(clEnqueueMarkerWithWaitList(queue_, 1, &gate, marker.out()), CL_SUCCESS);
  ASSERT_EQ(clReleaseEvent(gate), CL_SUCCESS);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  cl_event last = markers[1];
  EXPECT_EQ(clWaitForEvents(1, &last), CL_SUCCESS);
  EXPECT_EQ(clRetainEvent(gate), CL_INVALID_EVENT) << "nothing keeps it any more";

  std::atomic<int> called{0};
  gate = makeUserEvent().take();
  auto count = [](cl_event, cl_int, void* counter) { ++*static_cast<std::atomic<int>*>(counter); };
  ASSERT_EQ(clSetEventCallback(gate, CL_COMPLETE, count, &called), CL_SUCCESS);
  ASSERT_EQ(clReleaseEvent(gate), CL_SUCCESS);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_TRUE(soon([&] { return called == 1; }));
}

} // namespace

} // namespace clotho::test
