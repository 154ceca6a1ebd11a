// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cl_khr_semaphore.
#include "semaphores.hpp"

#include <array>
#include <atomic>
#include <random>
#include <thread>
#include <utility>

namespace clotho::test {

namespace {

constexpr cl_int kFailed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;

class SemaphoreTest : public SemaphoreApi {
 protected:
  bool isDone(cl_event event) { return statusOf(event) <= CL_COMPLETE; }
  void end(cl_event userEvent, cl_int status = CL_COMPLETE) {
    ASSERT_EQ(clSetUserEventStatus(userEvent, status), CL_SUCCESS);
  }
  /// Two devices that are parts of the first one; none where it has not enough compute units.
  std::vector<cl_device_id> makeParts();
};

std::vector<cl_device_id> SemaphoreTest::makeParts() {
  const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1,
                                                 CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  std::vector<cl_device_id> parts(2);
  if (clCreateSubDevices(device_, halves, 2, parts.data(), nullptr) != CL_SUCCESS) parts.clear();
  return parts;
}

} // namespace

// --- The object ---

TEST_F(SemaphoreTest, Queries) {
  const Properties properties = {CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR,
                                 reinterpret_cast<cl_semaphore_properties_khr>(device_),
                                 CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR,
                                 CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                                 CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR,
                                 CL_SEMAPHORE_TYPE_KHR,
                                 CL_SEMAPHORE_TYPE_BINARY_KHR,
                                 0};
  const Semaphore semaphore = make(properties);
  const auto ask = [&](cl_semaphore_info_khr name) -> InfoCall {
    return [&, name](size_t size, void* value, size_t* sizeReturned) {
      return info_(semaphore.get(), name, size, value, sizeReturned);
    };
  };
  EXPECT_EQ(valueAnswer<cl_context>(ask(CL_SEMAPHORE_CONTEXT_KHR)), context_.get());
  EXPECT_EQ(valueAnswer<cl_uint>(ask(CL_SEMAPHORE_REFERENCE_COUNT_KHR)), 1u);
  EXPECT_EQ(listAnswer<cl_semaphore_properties_khr>(ask(CL_SEMAPHORE_PROPERTIES_KHR)), properties);
  EXPECT_EQ(valueAnswer<cl_semaphore_type_khr>(ask(CL_SEMAPHORE_TYPE_KHR)),
            cl_semaphore_type_khr{CL_SEMAPHORE_TYPE_BINARY_KHR});
  EXPECT_EQ(payload(semaphore), 0u);
  EXPECT_EQ(listAnswer<cl_device_id>(ask(CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR)), std::vector<cl_device_id>{device_});
  EXPECT_TRUE(listAnswer<cl_external_semaphore_handle_type_khr>(ask(CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR)).empty());
  EXPECT_EQ(valueAnswer<cl_bool>(ask(CL_SEMAPHORE_EXPORTABLE_KHR)), cl_bool{CL_FALSE});
  checkInfoProtocol([&](cl_uint name, size_t size, void* value,
                        size_t* sizeReturned) { return info_(semaphore.get(), name, size, value, sizeReturned); },
                    CL_SEMAPHORE_TYPE_KHR);
}

TEST_F(SemaphoreTest, IsForAllDevicesUnlessItSays) {
  if (contextDevices() > 1) GTEST_SKIP() << "the context has several devices";
  const Semaphore semaphore = make();
  EXPECT_EQ(listAnswer<cl_device_id>(CLOTHO_INFO(info_, semaphore.get(), CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR)),
            std::vector<cl_device_id>{device_});
}

TEST_F(SemaphoreTest, PlatformAndDevicesHaveBinaryOnes) {
  const std::vector<cl_semaphore_type_khr> types = {CL_SEMAPHORE_TYPE_BINARY_KHR};
  EXPECT_EQ(
      listAnswer<cl_semaphore_type_khr>(CLOTHO_INFO(clGetPlatformInfo, platform_, CL_PLATFORM_SEMAPHORE_TYPES_KHR)),
      types);
  EXPECT_EQ(listAnswer<cl_semaphore_type_khr>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_SEMAPHORE_TYPES_KHR)),
            types);
}

TEST_F(SemaphoreTest, References) {
  Semaphore owned = make();
  cl_semaphore_khr semaphore = owned.release();
  EXPECT_EQ(retain_(semaphore), CL_SUCCESS);
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(info_, semaphore, CL_SEMAPHORE_REFERENCE_COUNT_KHR)), 2u);
  EXPECT_EQ(release_(semaphore), CL_SUCCESS);
  EXPECT_EQ(release_(semaphore), CL_SUCCESS);
  size_t size = 0;
  for (cl_semaphore_khr gone : {semaphore, cl_semaphore_khr{nullptr}, reinterpret_cast<cl_semaphore_khr>(&size),
                                reinterpret_cast<cl_semaphore_khr>(context_.get())}) {
    EXPECT_EQ(release_(gone), CL_INVALID_SEMAPHORE_KHR);
    EXPECT_EQ(retain_(gone), CL_INVALID_SEMAPHORE_KHR);
    EXPECT_EQ(info_(gone, CL_SEMAPHORE_TYPE_KHR, 0, nullptr, &size), CL_INVALID_SEMAPHORE_KHR);
    EXPECT_EQ(signal_(queue_, 1, &gone, nullptr, 0, nullptr, nullptr), CL_INVALID_SEMAPHORE_KHR);
    EXPECT_EQ(wait_(queue_, 1, &gone, nullptr, 0, nullptr, nullptr), CL_INVALID_SEMAPHORE_KHR);
    EXPECT_EQ(exported_(gone, device_, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, 0, nullptr, nullptr), CL_INVALID_SEMAPHORE_KHR);
    EXPECT_EQ(reimport_(gone, nullptr, -1), CL_INVALID_SEMAPHORE_KHR);
  }
}

TEST_F(SemaphoreTest, CreateErrors) {
  cl_int status = 1;
  Foreign<cl_context> foreign(context_.get());
  EXPECT_EQ(create_(foreign, binary().data(), &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
  EXPECT_EQ(create_(nullptr, binary().data(), &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
  EXPECT_EQ(create_(context_, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(create_(context_, nullptr, nullptr), nullptr);

  const auto device = reinterpret_cast<cl_semaphore_properties_khr>(device_);
  constexpr auto kType = CL_SEMAPHORE_TYPE_KHR, kBinary = CL_SEMAPHORE_TYPE_BINARY_KHR;
  constexpr auto kDevices = CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, kExports = CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR;
  make({0}, CL_INVALID_VALUE);
  make({kDevices, device, 0, 0}, CL_INVALID_VALUE);
  make({kType, kBinary, 0x1234, 1, 0}, CL_INVALID_PROPERTY);
  make({0x1234, 1, 0}, CL_INVALID_PROPERTY);
  make({kType, 0, 0}, CL_INVALID_PROPERTY);
  make({kType, 2, 0}, CL_INVALID_PROPERTY);
  make({kType, ~cl_semaphore_properties_khr{0}, 0}, CL_INVALID_PROPERTY);
  // What comes behind the second name is not read.
  make({kType, kBinary, kType}, CL_INVALID_PROPERTY);
  make({kType, kBinary, kDevices, device, 0, kDevices}, CL_INVALID_PROPERTY);
  make({kType, kBinary, kDevices, 0, 0}, CL_INVALID_DEVICE);
  make({kType, kBinary, kDevices, device, device, 0, 0}, CL_INVALID_DEVICE);
  Foreign<cl_device_id> foreignDevice(device_);
  make({kType, kBinary, kDevices, reinterpret_cast<cl_semaphore_properties_khr>(cl_device_id(foreignDevice)), 0, 0},
       CL_INVALID_DEVICE);
  // No device exports.
  make(binary({kExports, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, 0}), CL_INVALID_PROPERTY);
  make(binary({kExports, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, 0}), CL_INVALID_VALUE);
  // Types that no device imports are not known.
  make(binary({CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, 0}), CL_INVALID_PROPERTY);
}

TEST_F(SemaphoreTest, ContextsOfSeveralDevices) {
  const std::vector<cl_device_id> parts = makeParts();
  if (parts.empty()) GTEST_SKIP() << "the device has one compute unit";
  cl_int status = 1;
  Owned<cl_context> context = clCreateContext(nullptr, 2, parts.data(), nullptr, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  std::array<Owned<cl_command_queue>, 2> queues;
  for (size_t i = 0; i < 2; ++i)
    queues[i] = clCreateCommandQueueWithProperties(context, parts[i], nullptr, &status);
  const auto makeFor = [&](const std::vector<cl_device_id>& devices) {
    Properties properties = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR};
    for (cl_device_id device : devices)
      properties.push_back(reinterpret_cast<cl_semaphore_properties_khr>(device));
    properties.insert(properties.end(), {0, 0});
    return Semaphore(create_(context, properties.data(), &status), Release{release_});
  };
  const Properties noDevice = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
  EXPECT_EQ(create_(context, noDevice.data(), &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_PROPERTY);
  EXPECT_EQ(makeFor({parts[0], parts[1]}), nullptr);
  EXPECT_EQ(status, CL_INVALID_DEVICE);
  EXPECT_EQ(makeFor({device_}), nullptr); // a device, but not of the context
  EXPECT_EQ(status, CL_INVALID_DEVICE);

  const Semaphore second = makeFor({parts[1]});
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(listAnswer<cl_device_id>(CLOTHO_INFO(info_, second.get(), CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR)),
            std::vector<cl_device_id>{parts[1]});
  cl_semaphore_khr raw = second.get();
  EXPECT_EQ(signal_(queues[0], 1, &raw, nullptr, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(wait_(queues[0], 1, &raw, nullptr, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
  // The queue's device is none of the semaphore's context.
  EXPECT_EQ(signal_(queue_, 1, &raw, nullptr, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
  for (cl_device_id other : {parts[0], device_})
    EXPECT_EQ(exported_(raw, other, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, 0, nullptr, nullptr), CL_INVALID_DEVICE);
  signal(queues[1], {raw});
  EXPECT_EQ(statusAtEnd(wait(queues[1], {raw})), CL_COMPLETE);
  for (cl_device_id part : parts)
    EXPECT_EQ(clReleaseDevice(part), CL_SUCCESS);
}

TEST_F(SemaphoreTest, EnqueueErrors) {
  const Semaphore semaphore = make();
  cl_semaphore_khr raw = semaphore.get();
  Owned<cl_context> otherContext = makeContext();
  cl_int status = 1;
  Owned<cl_command_queue> otherQueue = clCreateCommandQueueWithProperties(otherContext, device_, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_event> otherEvent = clCreateUserEvent(otherContext, &status), failed = makeUserEvent();
  end(failed, -1);
  Foreign<cl_command_queue> foreignQueue(queue_.get());
  Foreign<cl_event> foreignEvent(failed.get());
  cl_event events[] = {failed, otherEvent, foreignEvent};
  for (auto call : {signal_, wait_}) {
    EXPECT_EQ(call(foreignQueue, 1, &raw, nullptr, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
    EXPECT_EQ(call(nullptr, 1, &raw, nullptr, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
    EXPECT_EQ(call(queue_, 0, &raw, nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
    EXPECT_EQ(call(queue_, 1, nullptr, nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
    EXPECT_EQ(call(otherQueue, 1, &raw, nullptr, 0, nullptr, nullptr), CL_INVALID_CONTEXT);
    EXPECT_EQ(call(queue_, 1, &raw, nullptr, 1, &events[1], nullptr), CL_INVALID_CONTEXT);
    EXPECT_EQ(call(queue_, 1, &raw, nullptr, 1, nullptr, nullptr), CL_INVALID_EVENT_WAIT_LIST);
    EXPECT_EQ(call(queue_, 1, &raw, nullptr, 0, events, nullptr), CL_INVALID_EVENT_WAIT_LIST);
    EXPECT_EQ(call(queue_, 1, &raw, nullptr, 1, &events[2], nullptr), CL_INVALID_EVENT_WAIT_LIST);
    EXPECT_EQ(call(queue_, 1, &raw, nullptr, 1, &events[0], nullptr), kFailed);
    const std::array<cl_semaphore_khr, 2> oneIsNull = {raw, nullptr};
    EXPECT_EQ(call(queue_, 2, oneIsNull.data(), nullptr, 0, nullptr, nullptr), CL_INVALID_SEMAPHORE_KHR);
  }
  // None of these counts as a signal or a wait.
  EXPECT_EQ(payload(semaphore), 0u);
  signal(queue_, {raw});
  EXPECT_EQ(statusAtEnd(wait(queue_, {raw})), CL_COMPLETE);
  end(otherEvent);
}

TEST_F(SemaphoreTest, NoneIsExported) {
  const Semaphore semaphore = make();
  int fd = 7;
  size_t size = 7;
  for (cl_uint type : {CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, 0})
    EXPECT_EQ(exported_(semaphore.get(), device_, type, sizeof fd, &fd, &size), CL_INVALID_VALUE);
  Foreign<cl_device_id> foreign(device_);
  for (cl_device_id device : {cl_device_id(foreign), cl_device_id{nullptr}})
    EXPECT_EQ(exported_(semaphore.get(), device, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, sizeof fd, &fd, &size),
              CL_INVALID_DEVICE);
  EXPECT_EQ(fd, 7);
  EXPECT_EQ(size, 7u);
}

// --- Signals and waits ---

TEST_F(SemaphoreTest, PayloadFollowsTheCommands) {
  const Semaphore semaphore = make();
  Owned<cl_command_queue> other = makeQueue();
  Owned<cl_event> beforeSignal = makeUserEvent(), beforeWait = makeUserEvent();
  Owned<cl_event> signalled = signal(queue_, {semaphore.get()}, {beforeSignal});
  Owned<cl_event> waited = wait(other, {semaphore.get()}, {beforeWait});
  EXPECT_EQ(payload(semaphore), 0u);
  end(beforeSignal);
  EXPECT_EQ(statusAtEnd(signalled), CL_COMPLETE);
  EXPECT_EQ(payload(semaphore), 1u);
  EXPECT_FALSE(isDone(waited));
  end(beforeWait);
  EXPECT_EQ(statusAtEnd(waited), CL_COMPLETE);
  EXPECT_EQ(payload(semaphore), 0u);
}

TEST_F(SemaphoreTest, WaitsBeforeTheirSignals) {
  const Semaphore semaphore = make();
  Owned<cl_command_queue> first = makeQueue(), second = makeQueue();
  Owned<cl_event> one = wait(first, {semaphore.get()}), two = wait(second, {semaphore.get()});
  ASSERT_EQ(clFlush(first), CL_SUCCESS);
  EXPECT_FALSE(isDone(one));
  EXPECT_EQ(statusAtEnd(signal(queue_, {semaphore.get()})), CL_COMPLETE);
  EXPECT_EQ(statusAtEnd(one), CL_COMPLETE);
  EXPECT_FALSE(isDone(two));
  EXPECT_EQ(payload(semaphore), 0u);
  signal(queue_, {semaphore.get()});
  EXPECT_EQ(statusAtEnd(two), CL_COMPLETE);
  EXPECT_EQ(payload(semaphore), 0u);
}

// Once the wait is enqueued the semaphore may be signalled again, and the wait still waits for the signal before it.
TEST_F(SemaphoreTest, MayBeSignalledAgainBeforeTheWaitIsDone) {
  const Semaphore semaphore = make();
  std::array<Owned<cl_command_queue>, 4> queues;
  for (auto& queue : queues)
    queue = makeQueue();
  Owned<cl_event> beforeFirst = makeUserEvent();
  Owned<cl_event> firstSignal = signal(queues[0], {semaphore.get()}, {beforeFirst});
  Owned<cl_event> firstWait = wait(queues[1], {semaphore.get()});
  Owned<cl_event> secondSignal = signal(queues[2], {semaphore.get()});
  Owned<cl_event> secondWait = wait(queues[3], {semaphore.get()});
  EXPECT_EQ(statusAtEnd(secondSignal), CL_COMPLETE);
  EXPECT_EQ(statusAtEnd(secondWait), CL_COMPLETE);
  EXPECT_FALSE(isDone(firstWait));
  end(beforeFirst);
  EXPECT_EQ(statusAtEnd(firstWait), CL_COMPLETE);
  EXPECT_EQ(payload(semaphore), 0u);
}

TEST_F(SemaphoreTest, SeveralInOneCommand) {
  std::array<Semaphore, 3> semaphores = {make(), make(), make()};
  const Semaphores all = {semaphores[0].get(), semaphores[1].get(), semaphores[2].get()};
  Owned<cl_command_queue> other = makeQueue();
  Owned<cl_event> waited = wait(other, all);
  signal(queue_, {all[1]});
  EXPECT_EQ(statusAtEnd(signal(queue_, {all[2]})), CL_COMPLETE);
  EXPECT_FALSE(isDone(waited));
  signal(queue_, {all[0]});
  EXPECT_EQ(statusAtEnd(waited), CL_COMPLETE);
  // And all at once, with values that binary ones do not need.
  const std::array<cl_semaphore_payload_khr, 3> values = {1, 2, 3};
  ASSERT_EQ(signal_(queue_, 3, all.data(), values.data(), 0, nullptr, nullptr), CL_SUCCESS);
  for (cl_semaphore_khr each : all)
    EXPECT_EQ(statusAtEnd(wait(other, {each})), CL_COMPLETE);
}

// What the specification leaves undefined: nothing waits for what cannot come.
TEST_F(SemaphoreTest, TheSameTwiceInOneCommandIsOnce) {
  const Semaphore semaphore = make();
  EXPECT_EQ(statusAtEnd(signal(queue_, {semaphore.get(), semaphore.get()})), CL_COMPLETE);
  EXPECT_EQ(statusAtEnd(wait(queue_, {semaphore.get(), semaphore.get()})), CL_COMPLETE);
  EXPECT_EQ(payload(semaphore), 0u);
}

// A signal that no command has waited for is replaced by the next one; this is undefined as well.
TEST_F(SemaphoreTest, SignalledTwiceIsSignalled) {
  const Semaphore semaphore = make();
  Owned<cl_command_queue> other = makeQueue();
  Owned<cl_event> before = makeUserEvent();
  EXPECT_EQ(statusAtEnd(signal(queue_, {semaphore.get()})), CL_COMPLETE);
  EXPECT_EQ(payload(semaphore), 1u);
  Owned<cl_event> second = signal(queue_, {semaphore.get()}, {before});
  EXPECT_EQ(payload(semaphore), 0u);
  Owned<cl_event> waited = wait(other, {semaphore.get()}), more = wait(other, {semaphore.get()});
  EXPECT_FALSE(isDone(waited));
  end(before);
  EXPECT_EQ(statusAtEnd(waited), CL_COMPLETE);
  EXPECT_FALSE(isDone(more));
  EXPECT_EQ(payload(semaphore), 0u);
  signal(queue_, {semaphore.get()});
  EXPECT_EQ(statusAtEnd(more), CL_COMPLETE);
}

TEST_F(SemaphoreTest, OutOfOrder) {
  const Semaphore semaphore = make();
  Owned<cl_command_queue> queue = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Owned<cl_event> waited = wait(queue, {semaphore.get()}), behind, beside;
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue, 0, nullptr, behind.out()), CL_SUCCESS);
  const cl_uint zero = 0;
  Owned<cl_mem> buffer = makeBuffer(sizeof zero);
  ASSERT_EQ(clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, sizeof zero, 0, nullptr, beside.out()),
            CL_SUCCESS);
  EXPECT_EQ(statusAtEnd(beside), CL_COMPLETE); // nothing holds it back
  EXPECT_FALSE(isDone(behind));
  EXPECT_EQ(statusAtEnd(signal(queue, {semaphore.get()})), CL_COMPLETE);
  EXPECT_EQ(statusAtEnd(behind), CL_COMPLETE);
  // A barrier before a signal and one behind a wait hold what is on the other side.
  const Semaphore gate = make();
  Owned<cl_event> user = makeUserEvent(), late;
  cl_event before = user;
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue, 1, &before, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueBarrierWithWaitList(queue, 0, nullptr, nullptr), CL_SUCCESS);
  Owned<cl_event> signalled = signal(queue, {gate.get()});
  Owned<cl_command_queue> other = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  wait(other, {gate.get()});
  ASSERT_EQ(clEnqueueBarrierWithWaitList(other, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueFillBuffer(other, buffer, &zero, sizeof zero, 0, sizeof zero, 0, nullptr, late.out()), CL_SUCCESS);
  ASSERT_EQ(clFlush(other), CL_SUCCESS);
  EXPECT_FALSE(isDone(signalled));
  EXPECT_FALSE(isDone(late));
  end(user);
  EXPECT_EQ(statusAtEnd(late), CL_COMPLETE);
}

TEST_F(SemaphoreTest, EventsOfTheCommands) {
  const Semaphore semaphore = make();
  Owned<cl_command_queue> queue = makeQueue(CL_QUEUE_PROFILING_ENABLE);
  Owned<cl_event> signalled = signal(queue, {semaphore.get()}), waited = wait(queue, {semaphore.get()});
  std::atomic<int> calls{0};
  const auto count = [](cl_event, cl_int status, void* calls) {
    if (status == CL_COMPLETE) ++*static_cast<std::atomic<int>*>(calls);
  };
  ASSERT_EQ(clSetEventCallback(waited, CL_COMPLETE, count, &calls), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  const auto typeOf = [](cl_event event) {
    return valueAnswer<cl_command_type>(CLOTHO_INFO(clGetEventInfo, event, CL_EVENT_COMMAND_TYPE));
  };
  EXPECT_EQ(typeOf(signalled), cl_command_type{CL_COMMAND_SEMAPHORE_SIGNAL_KHR});
  EXPECT_EQ(typeOf(waited), cl_command_type{CL_COMMAND_SEMAPHORE_WAIT_KHR});
  for (cl_event event : {signalled.get(), waited.get()}) {
    EXPECT_EQ(statusOf(event), CL_COMPLETE);
    cl_ulong last = 1;
    for (cl_profiling_info name : {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START,
                                   CL_PROFILING_COMMAND_END}) {
      const auto time = valueAnswer<cl_ulong>(CLOTHO_INFO(clGetEventProfilingInfo, event, name));
      EXPECT_GE(time, last);
      last = time;
    }
  }
  while (calls == 0)
    std::this_thread::yield();
}

TEST_F(SemaphoreTest, LivesUntilItsCommandsAreDone) {
  Semaphore semaphore = make();
  cl_semaphore_khr raw = semaphore.get();
  Owned<cl_event> before = makeUserEvent();
  Owned<cl_command_queue> other = makeQueue();
  Owned<cl_event> waited = wait(other, {raw});
  signal(queue_, {raw}, {before});
  semaphore.reset();
  end(before);
  EXPECT_EQ(statusAtEnd(waited), CL_COMPLETE);
  ASSERT_EQ(clFinish(other), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
}

// --- Failures ---

TEST_F(SemaphoreTest, WaitsFailWithTheirSignal) {
  const Semaphore semaphore = make();
  Owned<cl_command_queue> other = makeQueue();
  for (bool waitsFirst : {false, true}) {
    Owned<cl_event> before = makeUserEvent(), signalled, waited;
    if (waitsFirst) waited = wait(other, {semaphore.get()});
    signalled = signal(queue_, {semaphore.get()}, {before});
    if (!waitsFirst) waited = wait(other, {semaphore.get()});
    end(before, -5);
    EXPECT_EQ(statusAtEnd(signalled), kFailed);
    EXPECT_EQ(statusAtEnd(waited), kFailed);
    EXPECT_EQ(payload(semaphore), 0u);
    // It is as good as before.
    Owned<cl_event> again = signal(queue_, {semaphore.get()});
    EXPECT_EQ(statusAtEnd(again), CL_COMPLETE);
    EXPECT_EQ(payload(semaphore), 1u);
    EXPECT_EQ(statusAtEnd(wait(other, {semaphore.get()})), CL_COMPLETE);
  }
}

TEST_F(SemaphoreTest, SignalsThatFailedBeforeTheWaitDoNotCount) {
  const Semaphore semaphore = make();
  Owned<cl_command_queue> other = makeQueue();
  Owned<cl_event> before = makeUserEvent();
  Owned<cl_event> signalled = signal(queue_, {semaphore.get()}, {before});
  end(before, -5);
  EXPECT_EQ(statusAtEnd(signalled), kFailed);
  Owned<cl_event> waited = wait(other, {semaphore.get()});
  EXPECT_FALSE(isDone(waited));
  signal(queue_, {semaphore.get()});
  EXPECT_EQ(statusAtEnd(waited), CL_COMPLETE);
}

TEST_F(SemaphoreTest, WaitsThatFailLeaveItSignalled) {
  const Semaphore semaphore = make();
  Owned<cl_command_queue> other = makeQueue(), third = makeQueue();
  for (int round = 0; round < 3; ++round) {
    Owned<cl_event> before = makeUserEvent();
    Owned<cl_event> signalled = signal(queue_, {semaphore.get()}), pending;
    Owned<cl_event> failing = wait(other, {semaphore.get()}, {before});
    if (round == 1) pending = wait(third, {semaphore.get()}); // gets the signal in its place
    EXPECT_EQ(statusAtEnd(signalled), CL_COMPLETE);
    Owned<cl_event> newer;
    if (round == 2) newer = signal(queue_, {semaphore.get()}); // the failed wait gives nothing back then
    end(before, -5);
    EXPECT_EQ(statusAtEnd(failing), kFailed);
    if (newer) EXPECT_EQ(statusAtEnd(newer), CL_COMPLETE);
    EXPECT_EQ(statusAtEnd(pending ? std::move(pending) : wait(third, {semaphore.get()})), CL_COMPLETE);
    EXPECT_EQ(payload(semaphore), 0u);
    Owned<cl_event> late = wait(third, {semaphore.get()});
    EXPECT_FALSE(isDone(late));
    signal(queue_, {semaphore.get()});
    EXPECT_EQ(statusAtEnd(late), CL_COMPLETE);
  }
}

// --- Many ---

TEST_F(SemaphoreTest, LongChains) {
  constexpr int kLinks = 20'000;
  for (cl_int last : {CL_COMPLETE, -3}) {
    Owned<cl_command_queue> queue = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    Owned<cl_event> start = makeUserEvent(), end;
    std::vector<Semaphore> semaphores;
    Owned<cl_event> previous = signal(queue, {semaphores.emplace_back(make()).get()}, {start});
    for (int i = 0; i < kLinks; ++i) {
      Owned<cl_event> waited = wait(queue, {semaphores.back().get()});
      previous = signal(queue, {semaphores.emplace_back(make()).get()}, {waited});
    }
    this->end(start, last);
    EXPECT_EQ(statusAtEnd(previous), last == CL_COMPLETE ? CL_COMPLETE : kFailed);
    EXPECT_EQ(payload(semaphores.back()), last == CL_COMPLETE ? 1u : 0u);
    ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  }
}

// The model: the n-th wait waits for the n-th signal, whichever was enqueued first and whatever may run first.
TEST_F(SemaphoreTest, RandomOrders) {
  struct Command {
    Owned<cl_event> gate, event;
    bool isOpen = false;
  };
  std::mt19937 random(20); // NOLINT(cert-msc51-cpp): the same each time
  for (int round = 0; round < 60; ++round) {
    const Semaphore semaphore = make();
    Owned<cl_command_queue> queue = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    std::array<std::vector<Command>, 2> commands; // signals, waits
    auto& [signals, waits] = commands;
    const auto isOver = [&](size_t kind, size_t n) {
      const bool opens = commands[kind][n].isOpen;
      return kind == 0 ? opens : opens && n < signals.size() && signals[n].isOpen;
    };
    const auto expectModel = [&] {
      for (size_t kind : {0, 1})
        for (size_t n = 0; n < commands[kind].size(); ++n) {
          if (isOver(kind, n))
            ASSERT_EQ(statusAtEnd(commands[kind][n].event), CL_COMPLETE);
          else
            ASSERT_GT(statusOf(commands[kind][n].event), CL_COMPLETE);
        }
    };
    constexpr size_t kPairs = 8;
    for (size_t open = 0; open < 2 * kPairs;) {
      const size_t kind = random() % 2;
      auto& list = commands[kind];
      const bool mayGrow = kind == 1 || signals.size() <= waits.size(); // at most one signal without a wait
      if (list.size() < kPairs && mayGrow && random() % 2 == 0) {
        Command& added = list.emplace_back();
        added.gate = makeUserEvent();
        added.event =
            kind == 0 ? signal(queue, {semaphore.get()}, {added.gate}) : wait(queue, {semaphore.get()}, {added.gate});
      } else if (!list.empty()) {
        Command& chosen = list[random() % list.size()];
        if (std::exchange(chosen.isOpen, true)) continue;
        end(chosen.gate);
        ++open;
      }
      expectModel();
    }
    ASSERT_EQ(clFinish(queue), CL_SUCCESS);
    EXPECT_EQ(payload(semaphore), 0u);
  }
}

} // namespace clotho::test
