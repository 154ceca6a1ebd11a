// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fixture.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace clotho::test {

namespace {

class EventTest : public Api {
 protected:
  /// Waits for what a callback does on another thread.
  template <class Predicate> static bool soon(Predicate&& predicate) {
    for (int i = 0; i < 5000; ++i) {
      if (predicate()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return predicate();
  }
};

TEST_F(EventTest, UserEventErrors) {
  cl_int status;
  Foreign<cl_context> foreignContext(device_);
  EXPECT_EQ(clCreateUserEvent(foreignContext, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
  Owned<cl_event> event = makeUserEvent();
  EXPECT_EQ(statusOf(event), CL_SUBMITTED);
  for (cl_int bad : {CL_QUEUED, CL_SUBMITTED, CL_RUNNING, 17})
    EXPECT_EQ(clSetUserEventStatus(event, bad), CL_INVALID_VALUE);
  EXPECT_EQ(clSetUserEventStatus(event, -3), CL_SUCCESS);
  EXPECT_EQ(statusOf(event), -3);
  EXPECT_EQ(clSetUserEventStatus(event, CL_COMPLETE), CL_INVALID_OPERATION);
  EXPECT_EQ(statusOf(event), -3);
  Foreign<cl_event> foreign(device_);
  EXPECT_EQ(clSetUserEventStatus(foreign, CL_COMPLETE), CL_INVALID_EVENT);
  Owned<cl_event> marker;
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue_, 0, nullptr, marker.out()), CL_SUCCESS);
  EXPECT_EQ(clSetUserEventStatus(marker, CL_COMPLETE), CL_INVALID_EVENT) << "not a user event";
}

TEST_F(EventTest, Info) {
  Owned<cl_event> user = makeUserEvent(), marker;
  EXPECT_EQ(valueAnswer<cl_command_queue>(CLOTHO_INFO(clGetEventInfo, user, CL_EVENT_COMMAND_QUEUE)), nullptr);
  EXPECT_EQ(valueAnswer<cl_context>(CLOTHO_INFO(clGetEventInfo, user, CL_EVENT_CONTEXT)), context_.get());
  EXPECT_EQ(valueAnswer<cl_command_type>(CLOTHO_INFO(clGetEventInfo, user, CL_EVENT_COMMAND_TYPE)),
            cl_uint{CL_COMMAND_USER});
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetEventInfo, user, CL_EVENT_REFERENCE_COUNT)), 1u);
  cl_event wait = user;
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue_, 1, &wait, marker.out()), CL_SUCCESS);
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetEventInfo, user, CL_EVENT_REFERENCE_COUNT)), 1u)
      << "a wait list is no reference of the application's";
  EXPECT_EQ(valueAnswer<cl_command_queue>(CLOTHO_INFO(clGetEventInfo, marker, CL_EVENT_COMMAND_QUEUE)), queue_.get());
  EXPECT_EQ(valueAnswer<cl_command_type>(CLOTHO_INFO(clGetEventInfo, marker, CL_EVENT_COMMAND_TYPE)),
            cl_uint{CL_COMMAND_MARKER});
  EXPECT_GT(statusOf(marker), CL_COMPLETE);
  checkInfoProtocol([&](cl_uint name, size_t size, void* value,
                        size_t* ret) { return clGetEventInfo(marker, name, size, value, ret); },
                    CL_EVENT_COMMAND_TYPE);
  Foreign<cl_event> foreign(device_);
  EXPECT_EQ(clGetEventInfo(foreign, CL_EVENT_CONTEXT, 0, nullptr, nullptr), CL_INVALID_EVENT);
  EXPECT_EQ(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
  wait = marker;
  EXPECT_EQ(clWaitForEvents(1, &wait), CL_SUCCESS);
  EXPECT_EQ(statusOf(marker), CL_COMPLETE);
}

TEST_F(EventTest, ReferencesAreChecked) {
  Owned<cl_event> owned = makeUserEvent();
  cl_event event = owned.take();
  EXPECT_EQ(clRetainEvent(event), CL_SUCCESS);
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetEventInfo, event, CL_EVENT_REFERENCE_COUNT)), 2u);
  EXPECT_EQ(clReleaseEvent(event), CL_SUCCESS);
  EXPECT_EQ(clReleaseEvent(event), CL_SUCCESS);
  EXPECT_EQ(clReleaseEvent(event), CL_INVALID_EVENT);
  EXPECT_EQ(clRetainEvent(event), CL_INVALID_EVENT);
}

TEST_F(EventTest, WaitErrors) {
  Owned<cl_event> good = makeUserEvent();
  ASSERT_EQ(clSetUserEventStatus(good, CL_COMPLETE), CL_SUCCESS);
  cl_event list[2] = {good, nullptr};
  EXPECT_EQ(clWaitForEvents(0, list), CL_INVALID_VALUE);
  Foreign<cl_event> foreign(device_);
  list[1] = foreign;
  EXPECT_EQ(clWaitForEvents(2, list), CL_INVALID_EVENT);
  Owned<cl_context> context = makeContext();
  cl_int status;
  Owned<cl_event> other = clCreateUserEvent(context, &status);
  ASSERT_EQ(clSetUserEventStatus(other, CL_COMPLETE), CL_SUCCESS);
  list[1] = other;
  EXPECT_EQ(clWaitForEvents(2, list), CL_INVALID_CONTEXT);
  Owned<cl_event> failed = makeUserEvent();
  ASSERT_EQ(clSetUserEventStatus(failed, -9), CL_SUCCESS);
  list[1] = failed;
  EXPECT_EQ(clWaitForEvents(2, list), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

TEST_F(EventTest, WaitBlocksUntilAnotherThreadActs) {
  Owned<cl_event> event = makeUserEvent();
  std::atomic<bool> set{false};
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    set = true;
    clSetUserEventStatus(event, CL_COMPLETE);
  });
  cl_event wait = event;
  EXPECT_EQ(clWaitForEvents(1, &wait), CL_SUCCESS);
  EXPECT_TRUE(set);
  other.join();
}

TEST_F(EventTest, CallbackErrors) {
  Owned<cl_event> event = makeUserEvent();
  auto nothing = [](cl_event, cl_int, void*) {};
  EXPECT_EQ(clSetEventCallback(event, CL_COMPLETE, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clSetEventCallback(event, CL_QUEUED, nothing, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clSetEventCallback(event, -1, nothing, nullptr), CL_INVALID_VALUE);
  Foreign<cl_event> foreign(device_);
  EXPECT_EQ(clSetEventCallback(foreign, CL_COMPLETE, nothing, nullptr), CL_INVALID_EVENT);
}

struct Calls {
  std::atomic<int> submitted{0}, running{0}, complete{0};
  std::atomic<cl_int> last{1};
};

void CL_CALLBACK countCall(cl_event, cl_int status, void* data) {
  Calls& calls = *static_cast<Calls*>(data);
  calls.last = status;
  (status == CL_SUBMITTED ? calls.submitted : status == CL_RUNNING ? calls.running : calls.complete)++;
}

TEST_F(EventTest, CallbacksForEachState) {
  static Calls calls;
  Owned<cl_event> gate = makeUserEvent(), event;
  Owned<cl_mem> buffer = makeBuffer(64);
  cl_event wait = gate;
  cl_uint value = 1;
  ASSERT_EQ(clEnqueueFillBuffer(queue_, buffer, &value, 4, 0, 64, 1, &wait, event.out()), CL_SUCCESS);
  for (cl_int state : {CL_SUBMITTED, CL_RUNNING, CL_COMPLETE})
    ASSERT_EQ(clSetEventCallback(event, state, countCall, &calls), CL_SUCCESS);
  EXPECT_TRUE(soon([&] { return calls.submitted == 1; })) << "reached already";
  EXPECT_EQ(calls.running + calls.complete, 0);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_TRUE(soon([&] { return calls.complete == 1; }));
  EXPECT_EQ(calls.running, 1);
  ASSERT_EQ(clSetEventCallback(event, CL_COMPLETE, countCall, &calls), CL_SUCCESS);
  EXPECT_TRUE(soon([&] { return calls.complete == 2; })) << "registered after the end";
}

TEST_F(EventTest, FailureReachesTheCompleteCallback) {
  static Calls calls;
  Owned<cl_event> event = makeUserEvent();
  ASSERT_EQ(clSetEventCallback(event, CL_COMPLETE, countCall, &calls), CL_SUCCESS);
  ASSERT_EQ(clSetUserEventStatus(event, -77), CL_SUCCESS);
  EXPECT_TRUE(soon([&] { return calls.last == -77; }));
}

// An error takes the place of every state that the command did not reach.
TEST_F(EventTest, FailureReachesCallbacksOfStatesThatNeverCame) {
  struct Told {
    std::atomic<cl_int> status{1};
    static void CL_CALLBACK set(cl_event, cl_int status, void* data) { static_cast<Told*>(data)->status = status; }
  };
  constexpr cl_int kPassedOn = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  static Told user, running, complete, late;
  Owned<cl_event> gate = makeUserEvent(), event;
  cl_event wait = gate;
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue_, 1, &wait, event.out()), CL_SUCCESS);
  ASSERT_EQ(clSetEventCallback(gate, CL_RUNNING, Told::set, &user), CL_SUCCESS);
  ASSERT_EQ(clSetEventCallback(event, CL_RUNNING, Told::set, &running), CL_SUCCESS);
  ASSERT_EQ(clSetEventCallback(event, CL_COMPLETE, Told::set, &complete), CL_SUCCESS);
  ASSERT_EQ(clSetUserEventStatus(gate, -5), CL_SUCCESS);
  EXPECT_TRUE(soon([&] { return complete.status != 1 && running.status != 1 && user.status != 1; }));
  EXPECT_EQ(user.status, -5);
  EXPECT_EQ(running.status, kPassedOn);
  EXPECT_EQ(complete.status, kPassedOn);
  ASSERT_EQ(clSetEventCallback(event, CL_RUNNING, Told::set, &late), CL_SUCCESS);
  EXPECT_TRUE(soon([&] { return late.status != 1; }));
  EXPECT_EQ(late.status, kPassedOn);
}

TEST_F(EventTest, CallbackRunsThoughTheEventWasReleased) {
  static Calls calls;
  Owned<cl_event> gate = makeUserEvent(), event;
  cl_event wait = gate;
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue_, 1, &wait, event.out()), CL_SUCCESS);
  ASSERT_EQ(clSetEventCallback(event, CL_COMPLETE, countCall, &calls), CL_SUCCESS);
  EXPECT_EQ(clReleaseEvent(event.take()), CL_SUCCESS);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_TRUE(soon([&] { return calls.complete == 1; }));
}

struct FromCallback {
  cl_command_queue queue;
  cl_mem buffer;
  cl_uint value = 1234;
  std::atomic<cl_event> done{nullptr};
};

TEST_F(EventTest, CallbackMayEnqueueAndSetUserEvents) {
  Owned<cl_mem> buffer = makeBuffer(4);
  static FromCallback data;
  data.queue = queue_;
  data.buffer = buffer;
  auto enqueue = [](cl_event, cl_int, void*) {
    cl_event event = nullptr;
    EXPECT_EQ(clEnqueueWriteBuffer(data.queue, data.buffer, CL_FALSE, 0, 4, &data.value, 0, nullptr, &event),
              CL_SUCCESS);
    EXPECT_EQ(clFlush(data.queue), CL_SUCCESS);
    data.done = event;
  };
  Owned<cl_event> gate = makeUserEvent();
  ASSERT_EQ(clSetEventCallback(gate, CL_COMPLETE, enqueue, nullptr), CL_SUCCESS);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  ASSERT_TRUE(soon([&] { return data.done.load() != nullptr; }));
  Owned<cl_event> done = data.done.load();
  cl_event wait = done;
  EXPECT_EQ(clWaitForEvents(1, &wait), CL_SUCCESS);
  cl_uint seen = 0;
  EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, 4, &seen, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(seen, 1234u);

  static cl_event second;
  Owned<cl_event> first = makeUserEvent(), last = makeUserEvent();
  second = last;
  auto set = [](cl_event, cl_int, void*) { clSetUserEventStatus(second, CL_COMPLETE); };
  ASSERT_EQ(clSetEventCallback(first, CL_COMPLETE, set, nullptr), CL_SUCCESS);
  ASSERT_EQ(clSetUserEventStatus(first, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(clWaitForEvents(1, &second), CL_SUCCESS);
}

TEST_F(EventTest, Profiling) {
  Owned<cl_command_queue> profiled = makeQueue(CL_QUEUE_PROFILING_ENABLE);
  Owned<cl_mem> buffer = makeBuffer(1 << 20);
  cl_uint value = 3;
  Owned<cl_event> event;
  cl_ulong before = 0, after = 0, host;
  ASSERT_EQ(clGetDeviceAndHostTimer(device_, &before, &host), CL_SUCCESS);
  ASSERT_EQ(clEnqueueFillBuffer(profiled, buffer, &value, 4, 0, 1 << 20, 0, nullptr, event.out()), CL_SUCCESS);
  cl_event wait = event;
  ASSERT_EQ(clWaitForEvents(1, &wait), CL_SUCCESS);
  ASSERT_EQ(clGetDeviceAndHostTimer(device_, &after, &host), CL_SUCCESS);
  cl_ulong last = before;
  for (cl_profiling_info name : {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START,
                                 CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_COMPLETE}) {
    cl_ulong time = valueAnswer<cl_ulong>(CLOTHO_INFO(clGetEventProfilingInfo, event, name));
    EXPECT_GE(time, last) << "the states come in order, on the device's clock";
    last = time;
  }
  EXPECT_LE(last, after);
  checkInfoProtocol([&](cl_uint name, size_t size, void* out,
                        size_t* ret) { return clGetEventProfilingInfo(event, name, size, out, ret); },
                    CL_PROFILING_COMMAND_END);
}

// In a queue out of order a marker for all earlier commands is prepared before it is enqueued, which must not show.
TEST_F(EventTest, MarkersAreQueuedWhenTheyAreEnqueued) {
  Owned<cl_command_queue> queue = makeQueue(CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  for (bool isBarrier : {false, true, false}) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    cl_ulong before = 0, host = 0;
    ASSERT_EQ(clGetDeviceAndHostTimer(device_, &before, &host), CL_SUCCESS);
    Owned<cl_event> event;
    ASSERT_EQ(isBarrier ? clEnqueueBarrierWithWaitList(queue, 0, nullptr, event.out())
                        : clEnqueueMarkerWithWaitList(queue, 0, nullptr, event.out()),
              CL_SUCCESS);
    cl_event wait = event;
    ASSERT_EQ(clWaitForEvents(1, &wait), CL_SUCCESS);
    cl_ulong last = before;
    for (cl_profiling_info name : {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START,
                                   CL_PROFILING_COMMAND_END}) {
      cl_ulong time = valueAnswer<cl_ulong>(CLOTHO_INFO(clGetEventProfilingInfo, event, name));
      EXPECT_GE(time, last) << std::hex << name;
      last = time;
    }
  }
}

TEST_F(EventTest, ProfilingNotAvailable) {
  auto code = [](cl_event event) {
    cl_ulong time;
    return clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr);
  };
  Owned<cl_event> user = makeUserEvent(), plain, pending, failed;
  EXPECT_EQ(code(user), CL_PROFILING_INFO_NOT_AVAILABLE);
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue_, 0, nullptr, plain.out()), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(code(plain), CL_PROFILING_INFO_NOT_AVAILABLE) << "the queue has no profiling";
  Owned<cl_command_queue> profiled = makeQueue(CL_QUEUE_PROFILING_ENABLE);
  cl_event wait = user;
  ASSERT_EQ(clEnqueueMarkerWithWaitList(profiled, 1, &wait, pending.out()), CL_SUCCESS);
  EXPECT_EQ(code(pending), CL_PROFILING_INFO_NOT_AVAILABLE) << "not complete";
  ASSERT_EQ(clSetUserEventStatus(user, -1), CL_SUCCESS);
  ASSERT_EQ(clFinish(profiled), CL_SUCCESS);
  EXPECT_EQ(code(pending), CL_PROFILING_INFO_NOT_AVAILABLE) << "failed";
  Foreign<cl_event> foreign(device_);
  EXPECT_EQ(code(foreign), CL_INVALID_EVENT);
}

} // namespace

} // namespace clotho::test
