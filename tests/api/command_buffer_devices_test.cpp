// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command buffers of several queues and devices (cl_khr_command_buffer_multi_device).
#include "command_buffers.hpp"

#include <algorithm>

namespace clotho::test {

namespace {

/// A context of all devices, and places: place `i` is on device `i` modulo their number, so that the tests say
/// something of one device, too.
class CommandBufferDevicesTest : public CommandBufferApi {
 protected:
  void SetUp() override {
    cl_uint count = 0;
    ASSERT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, 0, nullptr, &count), CL_SUCCESS);
    devices_.resize(count);
    ASSERT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, count, devices_.data(), nullptr), CL_SUCCESS);
    CommandBufferApi::SetUp();
    if (IsSkipped()) return;
    queue_ = {};
    cl_int status = 1;
    context_ = clCreateContext(nullptr, count, devices_.data(), nullptr, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    queue_ = makeQueue();
    program_ = buildProgram(R"(
kernel void step(global uint* words, uint number) {
  uint i = get_global_id(0);
  words[i] = words[i] * 3 + number + i;
}
kernel void put(global uint* words, uint number) { words[get_global_id(0)] = number; }
kernel void wait(global volatile uint* word, uint times) {
  for (uint i = 1; i <= times; i++) word[0] = i;
})");
  }
  Owned<cl_command_queue> queueOn(size_t place, cl_command_queue_properties properties = 0) {
    cl_int status = 1;
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    Owned<cl_command_queue> queue =
        clCreateCommandQueueWithProperties(context_, devices_[place % devices_.size()], list, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return queue;
  }
  TestBuffer remap(cl_command_buffer_khr buffer, bool isAutomatic, const std::vector<cl_command_queue>& queues,
                   const std::vector<cl_mutable_command_khr>& handles = {},
                   std::vector<cl_mutable_command_khr>* copies = nullptr) {
    cl_int status = 1;
    std::vector<cl_mutable_command_khr> out(handles.size());
    TestBuffer copy(*calls_, calls_->clRemapCommandBufferKHR(buffer, isAutomatic ? CL_TRUE : CL_FALSE,
                                                             static_cast<cl_uint>(queues.size()), queues.data(),
                                                             static_cast<cl_uint>(handles.size()),
                                                             handles.empty() ? nullptr : handles.data(),
                                                             handles.empty() ? nullptr : out.data(), &status));
    EXPECT_EQ(status, CL_SUCCESS);
    if (copies) *copies = out;
    return copy;
  }

  std::vector<cl_device_id> devices_;
};

TEST_F(CommandBufferDevicesTest, WhatPlatformAndDevicesOffer) {
  EXPECT_EQ(valueAnswer<cl_platform_command_buffer_capabilities_khr>(
                CLOTHO_INFO(clGetPlatformInfo, platform_, CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR)),
            cl_bitfield{CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR | CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR |
                        CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR});
  for (const cl_device_id device : devices_) {
    const auto synced =
        listAnswer<cl_device_id>(CLOTHO_INFO(clGetDeviceInfo, device, CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR));
    EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetDeviceInfo, device, CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR)),
              synced.size());
    EXPECT_EQ(synced, devices_);
    EXPECT_TRUE(valueAnswer<cl_device_command_buffer_capabilities_khr>(
                    CLOTHO_INFO(clGetDeviceInfo, device, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR)) &
                CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR);
  }
}

TEST_F(CommandBufferDevicesTest, CommandsOfSeveralQueuesFollowSyncPoints) {
  Words model(kWords, 1), second(kWords, 2);
  Owned<cl_mem> words = makeWords(model), other = makeWords(second);
  Owned<cl_kernel> step = kernel("step", words, 0);
  std::vector<Owned<cl_command_queue>> queues;
  std::vector<cl_command_queue> list;
  for (size_t i = 0; i < std::max<size_t>(3, devices_.size()); ++i) {
    queues.push_back(queueOn(i, i % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0));
    list.push_back(queues.back());
  }
  TestBuffer buffer = makeCommandBuffer(list, {CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR, 0});
  cl_sync_point_khr last = 0;
  const auto run = [&](cl_uint i) {
    set(step, words, i);
    Points after;
    if (last) after.push_back(last);
    last = buffer.launch(step, kWords, {.queue = list[i % list.size()], .after = after});
    last = buffer.launch(step, kWords, {.queue = list[i % list.size()], .after = {last}});
    model = stepped(stepped(std::move(model), i), i);
  };
  for (cl_uint i = 0; i < 20; ++i)
    run(i);
  last = buffer.copy(words, other, kBytes, {.queue = list[1], .after = {last}});
  const Words copied = model;
  buffer.barrier({.queue = list[2]});
  last = 0;
  run(21);
  buffer.finalize();
  Owned<cl_event> done;
  buffer.enqueue(done.out());
  EXPECT_EQ(valueAnswer<cl_command_queue>(CLOTHO_INFO(clGetEventInfo, done, CL_EVENT_COMMAND_QUEUE)), nullptr)
      << "of several queues";
  EXPECT_EQ(valueAnswer<cl_command_type>(CLOTHO_INFO(clGetEventInfo, done, CL_EVENT_COMMAND_TYPE)),
            cl_command_type{CL_COMMAND_COMMAND_BUFFER_KHR});
  const cl_event event = done;
  ASSERT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
  EXPECT_EQ(read(words), model);
  EXPECT_EQ(read(other), copied);
}

TEST_F(CommandBufferDevicesTest, HasItsPlaceInAllOfItsQueues) {
  Words model(kWords, 1);
  Owned<cl_mem> words = makeWords(model);
  Owned<cl_kernel> step = kernel("step", words, 4), alone = kernel("step", words, 9);
  Owned<cl_command_queue> first = queueOn(0, CL_QUEUE_PROFILING_ENABLE), second = queueOn(1, CL_QUEUE_PROFILING_ENABLE);
  TestBuffer buffer = makeCommandBuffer({first.get(), second.get()});
  const cl_sync_point_khr point = buffer.launch(step, kWords, {.queue = first});
  buffer.launch(step, kWords, {.queue = second, .after = {point}});
  buffer.finalize();
  const size_t items = kWords;
  Owned<cl_event> done;
  for (int i = 0; i < 10; ++i) {
    const cl_command_queue queue = i % 2 ? first.get() : second.get();
    ASSERT_EQ(clEnqueueNDRangeKernel(queue, alone, 1, nullptr, &items, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    buffer.enqueue(done.out());
    model = stepped(stepped(stepped(std::move(model), 9), 4), 4);
  }
  ASSERT_EQ(clFinish(second), CL_SUCCESS);
  EXPECT_EQ(statusOf(done), CL_COMPLETE) << "the end of each of its queues is behind it";
  EXPECT_EQ(read(words), model);
  cl_ulong begin = 0, end = 0;
  EXPECT_EQ(clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_START, sizeof begin, &begin, nullptr), CL_SUCCESS);
  EXPECT_EQ(clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr), CL_SUCCESS);
  EXPECT_LT(begin, end);
}

TEST_F(CommandBufferDevicesTest, OtherQueuesOfTheSameDevices) {
  Owned<cl_command_queue> first = queueOn(0), second = queueOn(1), third = queueOn(0),
                          fourth = queueOn(1, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Owned<cl_mem> words = makeWords(Words(kWords, 1));
  Owned<cl_kernel> put = kernel("put", words, 6);
  TestBuffer buffer = makeCommandBuffer({first.get(), second.get()});
  buffer.launch(put, kWords, {.queue = second});
  buffer.finalize();
  cl_command_queue right[] = {third, fourth}, swapped[] = {fourth, third}, one[] = {third};
  EXPECT_EQ(calls_->clEnqueueCommandBufferKHR(2, right, buffer, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(calls_->clEnqueueCommandBufferKHR(1, one, buffer, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(calls_->clEnqueueCommandBufferKHR(2, swapped, buffer, 0, nullptr, nullptr),
            devices_.size() > 1 ? CL_INVALID_DEVICE : CL_SUCCESS);
  ASSERT_EQ(clFinish(fourth), CL_SUCCESS);
  EXPECT_EQ(read(words), Words(kWords, 6));
}

TEST_F(CommandBufferDevicesTest, ProfilingIsOfAllQueuesOrNone) {
  Owned<cl_command_queue> timed = queueOn(0, CL_QUEUE_PROFILING_ENABLE), plain = queueOn(1);
  TestBuffer buffer = makeCommandBuffer({timed.get(), plain.get()});
  buffer.barrier({.queue = timed});
  buffer.finalize();
  Owned<cl_event> done;
  buffer.enqueue(done.out());
  ASSERT_EQ(clFinish(timed), CL_SUCCESS);
  cl_ulong time = 0;
  EXPECT_EQ(clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_START, sizeof time, &time, nullptr),
            CL_PROFILING_INFO_NOT_AVAILABLE);
}

TEST_F(CommandBufferDevicesTest, RemappedToOtherQueues) {
  Words model(kWords, 1);
  Owned<cl_mem> words = makeWords(model), copies = makeWords(Words(kWords, 0));
  Owned<cl_kernel> step = kernel("step", words, 5);
  Owned<cl_command_queue> first = queueOn(0), second = queueOn(1), third = queueOn(2, CL_QUEUE_PROFILING_ENABLE);
  cl_mutable_command_khr handle = nullptr;
  TestBuffer buffer =
      makeCommandBuffer({first.get(), second.get()}, {CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR, 0});
  cl_sync_point_khr point = buffer.fill(words, 2, kBytes, {.queue = first});
  point = buffer.launch(step, kWords, {.queue = second, .after = {point}, .handle = &handle});
  point = buffer.launch(step, kWords, {.queue = first, .after = {point}});
  buffer.copy(words, copies, kBytes, {.queue = second, .after = {point}});

  TestBuffer early = remap(buffer, false, {second.get(), third.get()});
  EXPECT_EQ(early.state(), cl_uint{CL_COMMAND_BUFFER_STATE_RECORDING_KHR}) << "as the original";
  early.barrier({.queue = third});
  early.launch(step, kWords, {.queue = third});
  early.finalize();
  buffer.finalize();
  std::vector<cl_mutable_command_khr> handles;
  TestBuffer later = remap(buffer, false, {third.get(), second.get()}, {handle, handle}, &handles);
  EXPECT_EQ(later.state(), cl_uint{CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR});
  EXPECT_EQ(
      listAnswer<cl_command_queue>(CLOTHO_INFO(calls_->clGetCommandBufferInfoKHR, later, CL_COMMAND_BUFFER_QUEUES_KHR)),
      (std::vector<cl_command_queue>{third.get(), second.get()}));
  ASSERT_EQ(handles.size(), 2u);
  EXPECT_EQ(handles[0], handles[1]);
  EXPECT_NE(handles[0], handle);
  EXPECT_EQ(valueAnswer<cl_command_buffer_khr>(
                CLOTHO_INFO(calls_->clGetMutableCommandInfoKHR, handles[0], CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR)),
            static_cast<cl_command_buffer_khr>(later));
  // The copy is updated alone.
  const cl_uint number = 100;
  const khr::cl_mutable_dispatch_arg_khr argument{1, sizeof number, &number};
  khr::cl_mutable_dispatch_config_khr config{};
  config.command = handles[0];
  config.num_args = 1;
  config.arg_list = &argument;
  const void* configs[] = {&config};
  const khr::cl_command_buffer_update_type_khr type = CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR;
  EXPECT_EQ(calls_->clUpdateMutableCommandsKHR(buffer, 1, &type, configs), CL_INVALID_MUTABLE_COMMAND_KHR);
  ASSERT_EQ(calls_->clUpdateMutableCommandsKHR(later, 1, &type, configs), CL_SUCCESS);

  const Words original = stepped(stepped(Words(kWords, 2), 5), 5), updated = stepped(stepped(Words(kWords, 2), 100), 5);
  const auto expectRun = [&](TestBuffer& each, const Words& inWords, const Words& inCopies) {
    Owned<cl_event> done;
    each.enqueue(done.out());
    const cl_event event = done;
    ASSERT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
    EXPECT_EQ(read(words), inWords);
    EXPECT_EQ(read(copies), inCopies);
  };
  expectRun(buffer, original, original);
  expectRun(later, updated, updated);
  expectRun(early, stepped(original, 5), original);
  buffer = {};
  expectRun(later, updated, updated);
}

TEST_F(CommandBufferDevicesTest, WhatIsRecordedToACopyComesAfterItsBarriers) {
  // Two queues become one in order: what was independent in the original stays so, and both come before what waits for
  // both.
  Owned<cl_command_queue> loose = queueOn(0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
                          second = queueOn(1, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), inOrder = queueOn(0);
  constexpr size_t kMany = size_t{1} << 20;
  Owned<cl_mem> a = makeWords(Words(kMany, 0)), b = makeWords(Words(kMany, 0)), seen = makeWords(Words(4, 0));
  const auto lastWord = [&](TestBuffer& buffer, cl_mem from, size_t to, cl_command_queue queue, const Points& after) {
    EXPECT_EQ(calls_->clCommandCopyBufferKHR(buffer, queue, nullptr, from, seen, (kMany - 1) * 4, to * 4, 4,
                                             static_cast<cl_uint>(after.size()), after.empty() ? nullptr : after.data(),
                                             nullptr, nullptr),
              CL_SUCCESS);
  };
  TestBuffer original = makeCommandBuffer({loose.get(), second.get()});
  const cl_sync_point_khr inA = original.fill(a, 7, kMany * 4, {.queue = loose}),
                          inB = original.fill(b, 8, kMany * 4, {.queue = second});
  TestBuffer copy = remap(original, true, {inOrder.get()});
  lastWord(copy, a, 0, nullptr, {inA, inB});
  lastWord(copy, b, 1, nullptr, {});
  original.barrier({.queue = loose});
  TestBuffer behind = remap(original, false, {second.get(), loose.get()});
  lastWord(behind, a, 2, second, {});
  lastWord(behind, b, 3, loose, {});
  copy.finalize();
  behind.finalize();
  for (TestBuffer* each : {&copy, &behind}) {
    const cl_uint zero = 0;
    for (const cl_mem memory : {a.get(), b.get()})
      ASSERT_EQ(clEnqueueFillBuffer(queue_, memory, &zero, 4, 0, kMany * 4, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
    Owned<cl_event> done;
    each->enqueue(done.out());
    const cl_event event = done;
    ASSERT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
  }
  EXPECT_EQ(read(seen), (Words{7, 8, 7, 8}));
}

TEST_F(CommandBufferDevicesTest, WhatIsRecordedToACopyInOrderComesAfterAllOfItsQueue) {
  Owned<cl_command_queue> loose = queueOn(0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), second = queueOn(0),
                          third = queueOn(0), inOrder = queueOn(0);
  Owned<cl_mem> slow = makeWords(Words(1, 0)), quick = makeWords(Words(1, 0)), seen = makeWords(Words(1, 0));
  Owned<cl_kernel> wait = kernel("wait", slow, 30'000'000), put = kernel("put", quick, 8);
  for (const bool isAutomatic : {false, true}) {
    TestBuffer original =
        isAutomatic ? makeCommandBuffer({second.get(), third.get()}) : makeCommandBuffer({loose.get()});
    original.launch(wait, 1, {.queue = isAutomatic ? second.get() : nullptr});
    original.launch(put, 1, {.queue = isAutomatic ? third.get() : nullptr});
    TestBuffer copy = remap(original, isAutomatic, {inOrder.get()});
    copy.copy(slow, seen, 4, {});
    copy.finalize();
    const cl_uint zero = 0;
    for (const cl_mem memory : {slow.get(), seen.get()})
      ASSERT_EQ(clEnqueueFillBuffer(queue_, memory, &zero, 4, 0, 4, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
    Owned<cl_event> done;
    copy.enqueue(done.out());
    const cl_event event = done;
    ASSERT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
    EXPECT_EQ(read(seen), Words(1, 30'000'000)) << (isAutomatic ? "automatic" : "one to one");
  }
}

TEST_F(CommandBufferDevicesTest, RemappedByTheDriver) {
  Owned<cl_mem> words = makeWords(Words(kWords, 0)), other = makeWords(Words(kWords, 0));
  Owned<cl_kernel> put = kernel("put", words, 3);
  std::vector<Owned<cl_command_queue>> queues;
  std::vector<cl_command_queue> list;
  for (size_t i = 0; i < 3; ++i) {
    queues.push_back(queueOn(i));
    list.push_back(queues.back());
  }
  TestBuffer buffer = makeCommandBuffer({list[0], list[1]});
  buffer.launch(put, kWords, {.queue = list[0]});
  buffer.fill(other, 4, kBytes, {.queue = list[1]});
  buffer.finalize();
  for (const std::vector<cl_command_queue>& chosen : {std::vector<cl_command_queue>{list[2]}, list}) {
    TestBuffer copy = remap(buffer, true, chosen);
    EXPECT_EQ(info<cl_uint>(copy, CL_COMMAND_BUFFER_NUM_QUEUES_KHR), chosen.size());
    Owned<cl_event> done;
    copy.enqueue(done.out());
    const cl_event event = done;
    ASSERT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
    EXPECT_EQ(read(words), Words(kWords, 3));
    EXPECT_EQ(read(other), Words(kWords, 4));
    const cl_uint zero = 0;
    for (const cl_mem each : {words.get(), other.get()})
      ASSERT_EQ(clEnqueueFillBuffer(queue_, each, &zero, 4, 0, kBytes, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  }
}

TEST_F(CommandBufferDevicesTest, ErrorsOfRemapping) {
  Owned<cl_mem> words = makeWords(Words(kWords, 0));
  Owned<cl_kernel> put = kernel("put", words, 3);
  Owned<cl_command_queue> queue = queueOn(0);
  Owned<cl_context> context = makeContext();
  cl_int status = 1;
  Owned<cl_command_queue> foreign = clCreateCommandQueueWithProperties(context, device_, nullptr, &status);
  cl_mutable_command_khr handle = nullptr, other = nullptr;
  TestBuffer buffer = makeCommandBuffer({queue.get()}), second = makeCommandBuffer({queue.get()});
  buffer.launch(put, kWords, {.handle = &handle});
  second.launch(put, kWords, {.handle = &other});
  const auto code = [&](cl_command_buffer_khr from, bool isAutomatic, cl_uint count, const cl_command_queue* list,
                        cl_uint handles, const cl_mutable_command_khr* in, cl_mutable_command_khr* out) {
    cl_int result = 1;
    const cl_command_buffer_khr made =
        calls_->clRemapCommandBufferKHR(from, isAutomatic ? CL_TRUE : CL_FALSE, count, list, handles, in, out, &result);
    EXPECT_EQ(made == nullptr, result != CL_SUCCESS);
    if (made) EXPECT_EQ(calls_->clReleaseCommandBufferKHR(made), CL_SUCCESS);
    return result;
  };
  const cl_command_queue one = queue, wrong = foreign, none = nullptr, two[] = {queue, queue};
  cl_mutable_command_khr out = nullptr;
  EXPECT_EQ(code(buffer, false, 1, &one, 1, &handle, &out), CL_SUCCESS);
  EXPECT_EQ(code(buffer, true, 2, two, 0, nullptr, nullptr), CL_SUCCESS);
  out = nullptr;
  EXPECT_EQ(code(nullptr, false, 1, &one, 0, nullptr, nullptr), CL_INVALID_COMMAND_BUFFER_KHR);
  EXPECT_EQ(code(buffer, false, 0, &one, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code(buffer, false, 1, nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code(buffer, false, 2, two, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code(buffer, false, 1, &one, 1, nullptr, &out), CL_INVALID_VALUE);
  EXPECT_EQ(code(buffer, false, 1, &one, 1, &handle, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code(buffer, false, 1, &one, 0, &handle, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code(buffer, false, 1, &one, 0, nullptr, &out), CL_INVALID_VALUE);
  EXPECT_EQ(code(buffer, false, 1, &one, 1, &other, &out), CL_INVALID_VALUE);
  EXPECT_EQ(code(buffer, false, 1, &none, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(code(buffer, false, 1, &wrong, 0, nullptr, nullptr), CL_INVALID_CONTEXT);
  EXPECT_EQ(out, nullptr) << "left as it was";
  if (devices_.size() < 2) return;
  // A kernel that is not built for the other device.
  const char* source = "kernel void put(global uint* words, uint number) { words[get_global_id(0)] = number; }";
  Owned<cl_program> program = clCreateProgramWithSource(context_, 1, &source, nullptr, &status);
  ASSERT_EQ(clBuildProgram(program, 1, devices_.data(), nullptr, nullptr, nullptr), CL_SUCCESS);
  Owned<cl_kernel> single = clCreateKernel(program, "put", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  set(single, words, 1);
  buffer.launch(single, kWords);
  Owned<cl_command_queue> far = queueOn(1);
  const cl_command_queue otherDevice = far, both[] = {far, queue};
  EXPECT_EQ(code(buffer, false, 1, &otherDevice, 0, nullptr, nullptr), CL_INVALID_PROGRAM_EXECUTABLE);
  EXPECT_EQ(code(buffer, true, 2, both, 0, nullptr, nullptr), CL_SUCCESS) << "there is a queue on which it runs";
}

} // namespace

} // namespace clotho::test
