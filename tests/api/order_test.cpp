// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What order commands run in, and what a failure does to those that wait for it.
#include "fixture.hpp"

#include <chrono>
#include <memory>
#include <thread>

namespace clotho::test {

namespace {

class OrderTest : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    free_ = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    buffer_ = makeBuffer(4);
    write(queue_, 0, {}, CL_TRUE);
  }
  void TearDown() override {
    if (free_) EXPECT_EQ(clFinish(free_), CL_SUCCESS);
    Api::TearDown();
  }
  Owned<cl_event> write(cl_command_queue queue, cl_uint value, std::vector<cl_event> waits = {},
                        cl_bool blocking = CL_FALSE) {
    Owned<cl_event> event;
    values_.push_back(std::make_unique<cl_uint>(value));
    EXPECT_EQ(clEnqueueWriteBuffer(queue, buffer_, blocking, 0, 4, values_.back().get(),
                                   static_cast<cl_uint>(waits.size()), waits.empty() ? nullptr : waits.data(),
                                   event.out()),
              CL_SUCCESS);
    return event;
  }
  cl_uint value() {
    cl_uint seen = ~0u;
    Owned<cl_command_queue> queue = makeQueue();
    EXPECT_EQ(clEnqueueReadBuffer(queue, buffer_, CL_TRUE, 0, 4, &seen, 0, nullptr, nullptr), CL_SUCCESS);
    return seen;
  }
  static void complete(cl_event event) { EXPECT_EQ(clSetUserEventStatus(event, CL_COMPLETE), CL_SUCCESS); }
  static void waitFor(cl_event event) { EXPECT_EQ(clWaitForEvents(1, &event), CL_SUCCESS); }
  static void aMoment() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

  Owned<cl_command_queue> free_;
  Owned<cl_mem> buffer_;
  std::vector<std::unique_ptr<cl_uint>> values_;
};

TEST_F(OrderTest, InOrderQueueKeepsItsOrder) {
  Owned<cl_event> gate = makeUserEvent();
  Owned<cl_event> first = write(queue_, 1, {gate});
  Owned<cl_event> second = write(queue_, 2);
  aMoment();
  EXPECT_GT(statusOf(first), CL_RUNNING);
  EXPECT_GT(statusOf(second), CL_RUNNING) << "waits behind the first";
  EXPECT_EQ(value(), 0u);
  complete(gate);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(value(), 2u);
}

TEST_F(OrderTest, OutOfOrderQueueOvertakes) {
  Owned<cl_event> gate = makeUserEvent();
  Owned<cl_event> held = write(free_, 1, {gate});
  Owned<cl_event> quick = write(free_, 2);
  waitFor(quick);
  EXPECT_EQ(value(), 2u);
  EXPECT_GT(statusOf(held), CL_RUNNING);
  complete(gate);
  waitFor(held);
  EXPECT_EQ(value(), 1u);
}

TEST_F(OrderTest, WaitListsOrderAcrossQueues) {
  Owned<cl_event> gate = makeUserEvent();
  Owned<cl_event> a = write(queue_, 1, {gate});
  Owned<cl_event> b = write(free_, 2, {a});
  Owned<cl_command_queue> third = makeQueue();
  Owned<cl_event> c = write(third, 3, {a, b});
  aMoment();
  EXPECT_EQ(value(), 0u);
  complete(gate);
  waitFor(c);
  EXPECT_EQ(value(), 3u);
}

TEST_F(OrderTest, LongWaitList) {
  std::vector<Owned<cl_event>> gates;
  std::vector<cl_event> waits;
  for (int i = 0; i < 50; ++i)
    waits.push_back(gates.emplace_back(makeUserEvent()));
  Owned<cl_event> last = write(free_, 5, waits);
  for (int i = 49; i > 0; --i)
    complete(gates[static_cast<size_t>(i)]);
  aMoment();
  EXPECT_GT(statusOf(last), CL_RUNNING) << "one is still missing";
  complete(gates[0]);
  waitFor(last);
  EXPECT_EQ(value(), 5u);
}

// A chain much longer than any stack that recursion would have.
TEST_F(OrderTest, LongChainsEndWithoutRecursion) {
  constexpr cl_uint kLength = 50'000;
  Owned<cl_event> gate = makeUserEvent(), last;
  cl_event wait = gate;
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue_, 1, &wait, nullptr), CL_SUCCESS);
  for (cl_uint i = 0; i < kLength; ++i)
    ASSERT_EQ(clEnqueueMarkerWithWaitList(queue_, 0, nullptr, i + 1 == kLength ? last.out() : nullptr), CL_SUCCESS);
  complete(gate);
  waitFor(last);
  Owned<cl_event> failing = makeUserEvent();
  Owned<cl_event> previous;
  wait = failing;
  for (cl_uint i = 0; i < kLength; ++i) {
    Owned<cl_event> next;
    ASSERT_EQ(clEnqueueMarkerWithWaitList(free_, 1, &wait, next.out()), CL_SUCCESS);
    previous = std::move(next);
    wait = previous;
  }
  ASSERT_EQ(clSetUserEventStatus(failing, -5), CL_SUCCESS);
  EXPECT_EQ(clWaitForEvents(1, &wait), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

TEST_F(OrderTest, FailureReachesAllThatWait) {
  Owned<cl_event> gate = makeUserEvent();
  Owned<cl_event> a = write(free_, 1, {gate});
  Owned<cl_event> b = write(free_, 2, {a});
  Owned<cl_event> independent = write(free_, 3);
  ASSERT_EQ(clSetUserEventStatus(gate, -123), CL_SUCCESS);
  EXPECT_EQ(clFinish(free_), CL_SUCCESS) << "clFinish returns though commands failed";
  EXPECT_EQ(statusOf(a), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(statusOf(b), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(statusOf(independent), CL_COMPLETE);
  EXPECT_EQ(value(), 3u);
  cl_event wait = b;
  EXPECT_EQ(clWaitForEvents(1, &wait), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

TEST_F(OrderTest, FailureDoesNotStopAnInOrderQueue) {
  Owned<cl_event> gate = makeUserEvent();
  Owned<cl_event> a = write(queue_, 1, {gate});
  Owned<cl_event> b = write(queue_, 2);
  ASSERT_EQ(clSetUserEventStatus(gate, -1), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_LT(statusOf(a), 0);
  EXPECT_EQ(statusOf(b), CL_COMPLETE);
  EXPECT_EQ(value(), 2u);
}

TEST_F(OrderTest, MarkerWaitsForAllBeforeAndHoldsNothingBack) {
  Owned<cl_event> gate = makeUserEvent(), marker;
  Owned<cl_event> held = write(free_, 1, {gate});
  ASSERT_EQ(clEnqueueMarkerWithWaitList(free_, 0, nullptr, marker.out()), CL_SUCCESS);
  Owned<cl_event> later = write(free_, 2);
  waitFor(later);
  EXPECT_GT(statusOf(marker), CL_RUNNING);
  complete(gate);
  waitFor(marker);
  EXPECT_EQ(statusOf(held), CL_COMPLETE);
}

TEST_F(OrderTest, MarkerWithAListWaitsForThatAlone) {
  Owned<cl_event> gate = makeUserEvent(), marker;
  Owned<cl_event> held = write(free_, 1, {gate});
  Owned<cl_event> quick = write(free_, 2);
  cl_event wait = quick;
  ASSERT_EQ(clEnqueueMarkerWithWaitList(free_, 1, &wait, marker.out()), CL_SUCCESS);
  waitFor(marker);
  EXPECT_GT(statusOf(held), CL_RUNNING);
  complete(gate);
}

TEST_F(OrderTest, BarrierHoldsLaterCommandsBack) {
  Owned<cl_event> gate = makeUserEvent(), barrier;
  Owned<cl_event> held = write(free_, 1, {gate});
  ASSERT_EQ(clEnqueueBarrierWithWaitList(free_, 0, nullptr, barrier.out()), CL_SUCCESS);
  Owned<cl_event> later = write(free_, 2);
  aMoment();
  EXPECT_GT(statusOf(later), CL_RUNNING);
  complete(gate);
  waitFor(later);
  EXPECT_EQ(statusOf(held), CL_COMPLETE);
  EXPECT_EQ(statusOf(barrier), CL_COMPLETE);
  EXPECT_EQ(value(), 2u);
  EXPECT_EQ(valueAnswer<cl_command_type>(CLOTHO_INFO(clGetEventInfo, barrier, CL_EVENT_COMMAND_TYPE)),
            cl_uint{CL_COMMAND_BARRIER});
}

TEST_F(OrderTest, BarrierWithAListHoldsBackTooButWaitsForItAlone) {
  Owned<cl_event> gate = makeUserEvent(), other = makeUserEvent(), barrier;
  Owned<cl_event> held = write(free_, 1, {other});
  cl_event wait = gate;
  ASSERT_EQ(clEnqueueBarrierWithWaitList(free_, 1, &wait, barrier.out()), CL_SUCCESS);
  Owned<cl_event> later = write(free_, 2);
  aMoment();
  EXPECT_GT(statusOf(later), CL_RUNNING);
  complete(gate);
  waitFor(later);
  EXPECT_GT(statusOf(held), CL_RUNNING) << "not on the barrier's list";
  complete(other);
  waitFor(held);
}

TEST_F(OrderTest, OldMarkersAndBarriers) {
  Owned<cl_event> gate = makeUserEvent(), marker;
  Owned<cl_event> held = write(free_, 1, {gate});
  ASSERT_EQ(clEnqueueMarker(free_, marker.out()), CL_SUCCESS);
  ASSERT_EQ(clEnqueueBarrier(free_), CL_SUCCESS);
  Owned<cl_event> second = makeUserEvent();
  cl_event wait = second;
  ASSERT_EQ(clEnqueueWaitForEvents(free_, 1, &wait), CL_SUCCESS);
  Owned<cl_event> later = write(free_, 2);
  complete(gate);
  waitFor(marker);
  aMoment();
  EXPECT_GT(statusOf(later), CL_RUNNING);
  complete(second);
  waitFor(later);
}

TEST_F(OrderTest, SyncErrors) {
  Foreign<cl_command_queue> foreignQueue(device_);
  Foreign<cl_event> foreign(device_);
  cl_event bad = foreign;
  Owned<cl_context> context = makeContext();
  cl_int status;
  Owned<cl_event> otherEvent = clCreateUserEvent(context, &status);
  cl_event other = otherEvent, event = nullptr;
  EXPECT_EQ(clEnqueueMarkerWithWaitList(foreignQueue, 0, nullptr, &event), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueMarkerWithWaitList(queue_, 1, nullptr, &event), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(clEnqueueMarkerWithWaitList(queue_, 0, &other, &event), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(clEnqueueMarkerWithWaitList(queue_, 1, &bad, &event), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(clEnqueueMarkerWithWaitList(queue_, 1, &other, &event), CL_INVALID_CONTEXT);
  EXPECT_EQ(clEnqueueBarrierWithWaitList(foreignQueue, 0, nullptr, &event), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueBarrierWithWaitList(queue_, 1, nullptr, &event), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(clEnqueueBarrierWithWaitList(queue_, 1, &bad, &event), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(clEnqueueBarrierWithWaitList(queue_, 1, &other, &event), CL_INVALID_CONTEXT);
  EXPECT_EQ(clEnqueueMarker(foreignQueue, &event), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueMarker(queue_, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueBarrier(foreignQueue), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueWaitForEvents(foreignQueue, 1, &other), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueWaitForEvents(queue_, 0, &other), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueWaitForEvents(queue_, 1, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueWaitForEvents(queue_, 1, &bad), CL_INVALID_EVENT);
  EXPECT_EQ(clEnqueueWaitForEvents(queue_, 1, &other), CL_INVALID_CONTEXT);
  EXPECT_EQ(event, nullptr);
}

} // namespace

} // namespace clotho::test
