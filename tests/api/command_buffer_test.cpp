// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command buffers (cl_khr_command_buffer): what is recorded runs, as often as it is enqueued, and in which order.
#include "command_buffers.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <thread>

namespace clotho::test {

namespace {

class CommandBufferTest : public CommandBufferApi {
 protected:
  static bool soon(const std::atomic<int>& count, int wanted) {
    for (int i = 0; i < 5000 && count < wanted; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return count == wanted;
  }
};

TEST_F(CommandBufferTest, RunsInOrderAsOftenAsItIsEnqueued) {
  Words model(kWords, 5);
  Owned<cl_mem> words = makeWords(model);
  Owned<cl_kernel> step = kernel("step", words, 1);
  TestBuffer buffer = makeCommandBuffer();
  EXPECT_EQ(buffer.state(), cl_uint{CL_COMMAND_BUFFER_STATE_RECORDING_KHR});
  for (cl_uint i = 0; i < 100; ++i) {
    set(step, words, i);
    buffer.launch(step, kWords);
  }
  buffer.finalize();
  EXPECT_EQ(buffer.state(), cl_uint{CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR});
  for (int times = 0; times < 3; ++times) {
    buffer.enqueue();
    for (cl_uint i = 0; i < 100; ++i)
      model = stepped(std::move(model), i);
  }
  EXPECT_EQ(read(words), model);
}

TEST_F(CommandBufferTest, HasItsPlaceInAQueueInOrder) {
  Words model(kWords, 1);
  Owned<cl_mem> words = makeWords(model);
  Owned<cl_kernel> step = kernel("step", words, 7);
  TestBuffer buffer = makeCommandBuffer();
  buffer.launch(step, kWords);
  buffer.launch(step, kWords);
  buffer.finalize();
  const size_t items = kWords;
  set(step, words, 9); // what is recorded keeps its arguments
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, step, 1, nullptr, &items, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    buffer.enqueue();
    model = stepped(stepped(stepped(std::move(model), 9), 7), 7);
  }
  EXPECT_EQ(read(words), model);
}

TEST_F(CommandBufferTest, LargeAndSmallCommandsKeepTheirOrder) {
  // Large launches are shared by threads, small ones are run together by one: in turns and in runs.
  constexpr size_t kMany = size_t{1} << 18;
  Words model(kMany, 3);
  Owned<cl_mem> words = makeWords(model), other = makeBuffer(kMany * sizeof(cl_uint));
  Owned<cl_kernel> step = kernel("step", words, 0);
  TestBuffer buffer = makeCommandBuffer();
  const auto run = [&](cl_uint number, size_t items) {
    set(step, words, number);
    buffer.launch(step, items);
    for (cl_uint i = 0; i < items; ++i)
      model[i] = model[i] * 3 + number + i;
  };
  for (cl_uint round = 0; round < 3; ++round) {
    run(round, kMany);
    for (cl_uint i = 0; i < 150; ++i)
      run(i, 16);
    buffer.copy(words, other, kMany * sizeof(cl_uint), {});
    buffer.copy(other, words, kMany * sizeof(cl_uint), {});
    run(round, kMany);
    run(round, kMany);
  }
  buffer.barrier({});
  buffer.finalize();
  Words before = model;
  buffer.enqueue();
  EXPECT_TRUE(read(words) == model);
}

TEST_F(CommandBufferTest, AllKindsOfCommandsOfBuffers) {
  Owned<cl_mem> a = makeWords(Words(kWords, 0)), b = makeWords(Words(kWords, 0)), c = makeWords(Words(kWords, 0));
  TestBuffer buffer = makeCommandBuffer();
  buffer.fill(a, 5, kBytes, {});
  buffer.copy(a, b, kBytes / 2, {});
  const size_t origin[3] = {0, 0, 0}, target[3] = {4, 1, 0}, region[3] = {8, 3, 1};
  ASSERT_EQ(calls_->clCommandCopyBufferRectKHR(buffer, nullptr, nullptr, a, c, origin, target, region, 16, 0, 32, 0, 0,
                                               nullptr, nullptr, nullptr),
            CL_SUCCESS);
  buffer.barrier({});
  buffer.finalize();
  buffer.enqueue();
  Words half(kWords, 0), rect(kWords, 0);
  std::fill_n(half.begin(), kWords / 2, 5);
  for (size_t row = 1; row <= 3; ++row)
    rect[row * 8 + 1] = rect[row * 8 + 2] = 5;
  EXPECT_EQ(read(a), Words(kWords, 5));
  EXPECT_EQ(read(b), half);
  EXPECT_EQ(read(c), rect);
}

TEST_F(CommandBufferTest, CommandsOfImages) {
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc shape{};
  shape.image_type = CL_MEM_OBJECT_IMAGE2D;
  shape.image_width = 8;
  shape.image_height = 2;
  cl_int status = 1;
  Owned<cl_mem> image = clCreateImage(context_, CL_MEM_READ_WRITE, &format, &shape, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_mem> second = clCreateImage(context_, CL_MEM_READ_WRITE, &format, &shape, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Words texels(16);
  for (cl_uint i = 0; i < 16; ++i)
    texels[i] = i * 0x01020304;
  Owned<cl_mem> from = makeWords(texels), to = makeWords(Words(16, 0));
  Owned<cl_kernel> invert = makeKernel("kernel void invert(read_only image2d_t from, write_only image2d_t to) {"
                                       "  int2 at = {get_global_id(0), get_global_id(1)};"
                                       "  write_imageui(to, at, 255 - read_imageui(from, at)); }",
                                       "invert");
  const cl_mem in = image, out = second;
  ASSERT_EQ(clSetKernelArg(invert, 0, sizeof in, &in), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(invert, 1, sizeof out, &out), CL_SUCCESS);
  const size_t origin[3] = {0, 0, 0}, all[3] = {8, 2, 1}, corner[3] = {7, 1, 0}, one[3] = {1, 1, 1};
  const cl_uint colour[4] = {1, 2, 3, 4};
  const size_t sizes[2] = {8, 2};
  TestBuffer buffer = makeCommandBuffer();
  ASSERT_EQ(calls_->clCommandCopyBufferToImageKHR(buffer, nullptr, nullptr, from, image, 0, origin, all, 0, nullptr,
                                                  nullptr, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(
      calls_->clCommandFillImageKHR(buffer, nullptr, nullptr, image, colour, corner, one, 0, nullptr, nullptr, nullptr),
      CL_SUCCESS);
  ASSERT_EQ(calls_->clCommandNDRangeKernelKHR(buffer, nullptr, nullptr, invert, 2, nullptr, sizes, nullptr, 0, nullptr,
                                              nullptr, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(calls_->clCommandCopyImageKHR(buffer, nullptr, nullptr, second, image, origin, corner, one, 0, nullptr,
                                          nullptr, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(calls_->clCommandCopyImageToBufferKHR(buffer, nullptr, nullptr, image, to, origin, all, 0, 0, nullptr,
                                                  nullptr, nullptr),
            CL_SUCCESS);
  buffer.finalize();
  Words expected = texels;
  expected[15] = ~texels[0];
  for (int times = 0; times < 3; ++times) {
    buffer.enqueue();
    EXPECT_EQ(read(to), expected);
    ASSERT_EQ(clEnqueueFillBuffer(queue_, to, &colour[0], 4, 0, 64, 0, nullptr, nullptr), CL_SUCCESS);
  }
  Words inverted(16);
  ASSERT_EQ(clEnqueueReadImage(queue_, second, CL_TRUE, origin, all, 0, 0, inverted.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  for (cl_uint i = 0; i < 15; ++i)
    EXPECT_EQ(inverted[i], ~texels[i]);
  EXPECT_EQ(inverted[15], 0xfbfcfdfeU) << "of the colour";
}

TEST_F(CommandBufferTest, KernelsOfImagesGetTheirVersions) {
  // Versions for formats are built once launches have done as much work as that takes, and replays are launches, too.
  const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
  cl_image_desc shape{};
  shape.image_type = CL_MEM_OBJECT_IMAGE2D;
  shape.image_width = shape.image_height = 256;
  cl_int status = 1;
  Owned<cl_mem> image = clCreateImage(context_, CL_MEM_READ_WRITE, &format, &shape, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_mem> words = makeWords(Words(size_t{256} * 256, 0));
  Owned<cl_kernel> sum = makeKernel("kernel void sum(read_only image2d_t from, global uint* to) {"
                                    "  int2 at = {get_global_id(0), get_global_id(1)};"
                                    "  to[at.y * 256 + at.x] += read_imageui(from, at).x; }",
                                    "sum");
  const cl_mem in = image, out = words;
  ASSERT_EQ(clSetKernelArg(sum, 0, sizeof in, &in), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(sum, 1, sizeof out, &out), CL_SUCCESS);
  const size_t origin[3] = {0, 0, 0}, all[3] = {256, 256, 1}, sizes[2] = {256, 256};
  const cl_uint colour[4] = {3, 0, 0, 0};
  ASSERT_EQ(clEnqueueFillImage(queue_, image, colour, origin, all, 0, nullptr, nullptr), CL_SUCCESS);
  TestBuffer buffer = makeCommandBuffer();
  ASSERT_EQ(calls_->clCommandNDRangeKernelKHR(buffer, nullptr, nullptr, sum, 2, nullptr, sizes, nullptr, 0, nullptr,
                                              nullptr, nullptr),
            CL_SUCCESS);
  buffer.finalize();
  constexpr cl_uint kTimes = 64;
  for (cl_uint i = 0; i < kTimes; ++i) {
    buffer.enqueue();
    ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  }
  EXPECT_TRUE(read(words) == Words(size_t{256} * 256, 3 * kTimes));
}

TEST_F(CommandBufferTest, VersionsCountAsTheLaunchDoes) {
  // Its lanes go along dimension 1, which is dimension 0 of its code; a version is made of the launch as it was asked
  // for.
  const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
  cl_image_desc shape{};
  shape.image_type = CL_MEM_OBJECT_IMAGE2D;
  shape.image_width = 7;
  shape.image_height = 1;
  cl_int status = 1;
  Owned<cl_mem> image = clCreateImage(context_, CL_MEM_READ_WRITE, &format, &shape, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  constexpr size_t kWidth = 128, kHeight = 512;
  Words numbers(kWidth * kHeight), sums(numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<cl_uint>(i) / 3;
    sums[i] = numbers[i] + 7;
  }
  Owned<cl_mem> from = makeWords(numbers), to = makeWords(Words(numbers.size(), 0));
  Owned<cl_kernel> add = makeKernel("kernel void add(read_only image2d_t image, global const uint* from,"
                                    "                global uint* to) {"
                                    "  int x = get_global_id(0), y = get_global_id(1);"
                                    "  to[x * 512 + y] = from[x * 512 + y] + get_image_width(image); }",
                                    "add");
  const cl_mem arguments[] = {image, from, to};
  for (cl_uint i = 0; i < 3; ++i)
    ASSERT_EQ(clSetKernelArg(add, i, sizeof(cl_mem), &arguments[i]), CL_SUCCESS);
  const size_t sizes[2] = {kWidth, kHeight};
  TestBuffer buffer = makeCommandBuffer();
  ASSERT_EQ(calls_->clCommandNDRangeKernelKHR(buffer, nullptr, nullptr, add, 2, nullptr, sizes, nullptr, 0, nullptr,
                                              nullptr, nullptr),
            CL_SUCCESS);
  buffer.finalize();
  const cl_uint zero = 0;
  for (cl_uint i = 0; i < 64; ++i) {
    ASSERT_EQ(clEnqueueFillBuffer(queue_, to, &zero, sizeof zero, 0, sums.size() * sizeof zero, 0, nullptr, nullptr),
              CL_SUCCESS);
    buffer.enqueue();
    ASSERT_TRUE(read(to) == sums) << "replay " << i;
    std::this_thread::sleep_for(std::chrono::milliseconds(1)); // a version is built meanwhile
  }
}

TEST_F(CommandBufferTest, SharedMemory) {
  CLOTHO_NEEDS(hasSharedMemory());
  auto* memory = static_cast<cl_uint*>(clSVMAlloc(context_, CL_MEM_READ_WRITE, 2 * kBytes, 0));
  ASSERT_NE(memory, nullptr);
  cl_uint* const second = memory + kWords;
  Owned<cl_kernel> step = kernel("step", nullptr, 0);
  const cl_uint number = 4, pattern = 11;
  ASSERT_EQ(clSetKernelArgSVMPointer(step, 0, memory), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(step, 1, sizeof number, &number), CL_SUCCESS);
  TestBuffer buffer = makeCommandBuffer();
  ASSERT_EQ(calls_->clCommandSVMMemFillKHR(buffer, nullptr, nullptr, memory, &pattern, sizeof pattern, kBytes, 0,
                                           nullptr, nullptr, nullptr),
            CL_SUCCESS);
  buffer.launch(step, kWords);
  ASSERT_EQ(
      calls_->clCommandSVMMemcpyKHR(buffer, nullptr, nullptr, second, memory, kBytes, 0, nullptr, nullptr, nullptr),
      CL_SUCCESS);
  buffer.finalize();
  for (int times = 0; times < 2; ++times) {
    buffer.enqueue();
    ASSERT_EQ(clEnqueueSVMMap(queue_, CL_TRUE, CL_MAP_READ, memory, 2 * kBytes, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(Words(second, second + kWords), stepped(Words(kWords, pattern), number));
    ASSERT_EQ(clEnqueueSVMUnmap(queue_, memory, 0, nullptr, nullptr), CL_SUCCESS);
  }
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  clSVMFree(context_, memory);
}

TEST_F(CommandBufferTest, WhatDoesNothing) {
  Owned<cl_mem> words = makeWords(Words(kWords, 2));
  Owned<cl_kernel> step = kernel("step", words, 1);
  TestBuffer empty = makeCommandBuffer();
  empty.finalize();
  TestBuffer idle = makeCommandBuffer();
  idle.barrier({});
  idle.copy(words, words, 0, {});
  idle.launch(step, 0);
  idle.barrier({});
  idle.finalize();
  for (TestBuffer* each : {&empty, &idle}) {
    Owned<cl_event> done;
    each->enqueue(done.out());
    const cl_event event = done;
    EXPECT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
    EXPECT_EQ(statusOf(done), CL_COMPLETE);
  }
  EXPECT_EQ(read(words), Words(kWords, 2));
}

TEST_F(CommandBufferTest, NonUniformRangesAndOffsets) {
  Owned<cl_mem> words = makeWords(Words(kWords, 0));
  Owned<cl_kernel> sizes = kernel("sizes", words, 0);
  const size_t offset = 5, global = 50, local = 16;
  TestBuffer buffer = makeCommandBuffer();
  ASSERT_EQ(calls_->clCommandNDRangeKernelKHR(buffer, nullptr, nullptr, sizes, 1, &offset, &global, &local, 0, nullptr,
                                              nullptr, nullptr),
            CL_INVALID_WORK_GROUP_SIZE)
      << "programs of OpenCL C 1.2 have uniform work-groups only";
  Owned<cl_program> later = buildProgram("kernel void sizes(global uint* words, uint number) {"
                                         "  words[get_global_linear_id()] = get_local_size(0) + number; }",
                                         "-cl-std=CL3.0");
  cl_int status = 1;
  sizes = clCreateKernel(later, "sizes", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  set(sizes, words, 100);
  ASSERT_EQ(calls_->clCommandNDRangeKernelKHR(buffer, nullptr, nullptr, sizes, 1, &offset, &global, &local, 0, nullptr,
                                              nullptr, nullptr),
            CL_SUCCESS);
  buffer.finalize();
  buffer.enqueue();
  Words expected(kWords, 0);
  for (size_t i = 0; i < global; ++i)
    expected[i] = i < 48 ? 116 : 102;
  EXPECT_EQ(read(words), expected);
}

TEST_F(CommandBufferTest, Printf) {
  Owned<cl_mem> words = makeWords({40, 0});
  Owned<cl_kernel> say = kernel("say", words, 1), step = kernel("step", words, 0);
  TestBuffer buffer = makeCommandBuffer();
  buffer.launch(step, 1);
  buffer.launch(say, 1);
  buffer.launch(say, 1);
  buffer.launch(step, 1);
  buffer.finalize();
  testing::internal::CaptureStdout();
  buffer.enqueue();
  buffer.enqueue();
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "1:120\n1:121\n1:1098\n1:1099\n");
}

TEST_F(CommandBufferTest, KernelsThatEnqueueKernels) {
  CLOTHO_NEEDS(hasDeviceQueues());
  // A command is over when all that its kernel has enqueued is.
  const cl_queue_properties onDevice[] = {
      CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT, 0};
  cl_int status = 1;
  Owned<cl_command_queue> children = clCreateCommandQueueWithProperties(context_, device_, onDevice, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_program> program = buildProgram("kernel void spread(global uint* words, uint number) {"
                                           "  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL,"
                                           "                 ndrange_1D(64), ^{ words[get_global_id(0)] += number; });"
                                           "}",
                                           "-cl-std=CL3.0");
  Owned<cl_kernel> spread = clCreateKernel(program, "spread", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Words model(kWords, 1);
  Owned<cl_mem> words = makeWords(model);
  set(spread, words, 10);
  Owned<cl_kernel> step = kernel("step", words, 2);
  TestBuffer buffer = makeCommandBuffer();
  for (int i = 0; i < 5; ++i) {
    buffer.launch(step, kWords);
    buffer.launch(spread, 1);
  }
  buffer.launch(step, kWords);
  buffer.finalize();
  for (int times = 0; times < 3; ++times) {
    buffer.enqueue();
    for (int i = 0; i < 5; ++i) {
      model = stepped(std::move(model), 2);
      for (cl_uint& word : model)
        word += 10;
    }
    model = stepped(std::move(model), 2);
  }
  EXPECT_EQ(read(words), model);
}

TEST_F(CommandBufferTest, OutOfOrderFollowsItsSyncPoints) {
  // A random graph: each command steps one of the buffers, after the last that did so and some others.
  Owned<cl_command_queue> loose = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  constexpr size_t kBuffers = 5;
  std::vector<Owned<cl_mem>> words;
  std::vector<Words> models(kBuffers, Words(kWords, 1));
  std::vector<cl_sync_point_khr> last(kBuffers, 0);
  for (const Words& model : models)
    words.push_back(makeWords(model));
  Owned<cl_kernel> step = kernel("step", words[0], 0);
  std::mt19937 random(3);
  TestBuffer buffer = makeCommandBuffer({loose.get()});
  std::vector<cl_uint> numbers;
  std::vector<size_t> places;
  for (cl_uint i = 0; i < 300; ++i) {
    const size_t which = random() % kBuffers;
    Points after;
    if (last[which]) after.push_back(last[which]);
    while (i > 0 && random() % 3 == 0)
      after.push_back(static_cast<cl_sync_point_khr>(1 + random() % i));
    if (random() % 40 == 0) {
      // Without sync points it is after all.
      last.assign(kBuffers, buffer.barrier({}));
      after = {last[which]};
      numbers.push_back(0);
      places.push_back(kBuffers);
      ++i;
    }
    set(step, words[which], i);
    last[which] = buffer.launch(step, kWords, {.after = after});
    EXPECT_EQ(last[which], i + 1);
    numbers.push_back(i);
    places.push_back(which);
  }
  buffer.finalize();
  for (int times = 0; times < 4; ++times) {
    buffer.enqueue();
    ASSERT_EQ(clEnqueueBarrierWithWaitList(loose, 0, nullptr, nullptr), CL_SUCCESS);
    for (size_t i = 0; i < numbers.size(); ++i)
      if (places[i] < kBuffers) models[places[i]] = stepped(std::move(models[places[i]]), numbers[i]);
  }
  ASSERT_EQ(clFinish(loose), CL_SUCCESS);
  for (size_t i = 0; i < kBuffers; ++i)
    EXPECT_EQ(read(words[i]), models[i]) << i;
}

TEST_F(CommandBufferTest, BarriersOrderWhatIsOutOfOrder) {
  Owned<cl_command_queue> loose = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Owned<cl_mem> sum = makeWords({0}), copies = makeWords(Words(4, 0));
  Owned<cl_kernel> count = kernel("count", sum, 1);
  TestBuffer buffer = makeCommandBuffer({loose.get()});
  const auto copyTo = [&](size_t place) {
    ASSERT_EQ(calls_->clCommandCopyBufferKHR(buffer, nullptr, nullptr, sum, copies, 0, place * 4, 4, 0, nullptr,
                                             nullptr, nullptr),
              CL_SUCCESS);
  };
  for (int i = 0; i < 50; ++i)
    buffer.launch(count, 10);
  buffer.barrier({});
  copyTo(0);
  buffer.barrier({});
  const cl_sync_point_khr first = buffer.launch(count, 1000);
  buffer.launch(count, 100, {.after = {first}});
  buffer.barrier({.after = {first + 1}}); // holds back what is later, though it waits for one alone
  copyTo(1);
  copyTo(2);
  buffer.finalize();
  buffer.enqueue();
  ASSERT_EQ(clFinish(loose), CL_SUCCESS);
  EXPECT_EQ(read(copies), (Words{500, 1600, 1600, 0}));
}

TEST_F(CommandBufferTest, OtherQueuesInThePlaceOfItsOwn) {
  Words model(kWords, 1);
  Owned<cl_mem> words = makeWords(model);
  Owned<cl_kernel> step = kernel("step", words, 2);
  Owned<cl_command_queue> loose = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
  TestBuffer buffer = makeCommandBuffer();
  for (int i = 0; i < 10; ++i)
    buffer.launch(step, kWords); // in order, since it was recorded to a queue in order
  buffer.finalize();
  cl_command_queue queue = loose;
  Owned<cl_event> done;
  ASSERT_EQ(calls_->clEnqueueCommandBufferKHR(1, &queue, buffer, 0, nullptr, done.out()), CL_SUCCESS);
  EXPECT_EQ(valueAnswer<cl_command_queue>(CLOTHO_INFO(clGetEventInfo, done, CL_EVENT_COMMAND_QUEUE)), queue);
  ASSERT_EQ(clFinish(loose), CL_SUCCESS);
  for (int i = 0; i < 10; ++i)
    model = stepped(std::move(model), 2);
  EXPECT_EQ(read(words), model);
}

TEST_F(CommandBufferTest, EventWithItsTimes) {
  Owned<cl_mem> words = makeWords(Words(kWords, 1));
  Owned<cl_kernel> step = kernel("step", words, 2);
  for (const cl_command_queue_properties order :
       {cl_command_queue_properties{0}, cl_command_queue_properties{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}}) {
    Owned<cl_command_queue> queue = makeQueue(CL_QUEUE_PROFILING_ENABLE | order);
    TestBuffer buffer = makeCommandBuffer({queue.get()});
    for (int i = 0; i < 5; ++i)
      buffer.launch(step, kWords);
    buffer.finalize();
    Owned<cl_event> gate = makeUserEvent(), done;
    buffer.enqueue(done.out(), {gate.get()});
    EXPECT_EQ(valueAnswer<cl_command_type>(CLOTHO_INFO(clGetEventInfo, done, CL_EVENT_COMMAND_TYPE)),
              cl_command_type{CL_COMMAND_COMMAND_BUFFER_KHR});
    EXPECT_EQ(valueAnswer<cl_command_queue>(CLOTHO_INFO(clGetEventInfo, done, CL_EVENT_COMMAND_QUEUE)), queue.get());
    EXPECT_GT(statusOf(done), CL_RUNNING);
    cl_ulong times[5] = {};
    EXPECT_EQ(clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_END, sizeof(cl_ulong), times, nullptr),
              CL_PROFILING_INFO_NOT_AVAILABLE);
    ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    const cl_event event = done;
    ASSERT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
    const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                       CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END,
                                       CL_PROFILING_COMMAND_COMPLETE};
    for (int i = 0; i < 5; ++i)
      ASSERT_EQ(clGetEventProfilingInfo(done, names[i], sizeof(cl_ulong), &times[i], nullptr), CL_SUCCESS);
    EXPECT_TRUE(std::is_sorted(std::begin(times), std::end(times)));
    EXPECT_LT(times[0], times[3]);
  }
}

TEST_F(CommandBufferTest, SeveralAtOnceWithSimultaneousUse) {
  for (const bool isInOrder : {true, false}) {
    Owned<cl_command_queue> loose = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    Owned<cl_mem> sum = makeWords({0});
    Owned<cl_kernel> count = kernel("count", sum, 1);
    TestBuffer buffer = makeCommandBuffer({isInOrder ? queue_.get() : loose.get()},
                                          {CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0});
    for (int i = 0; i < 8; ++i)
      buffer.launch(count, 5);
    buffer.finalize();
    Owned<cl_event> gate = makeUserEvent();
    cl_command_queue queue = loose;
    const cl_event wait = gate;
    for (int i = 0; i < 50; ++i)
      ASSERT_EQ(calls_->clEnqueueCommandBufferKHR(1, &queue, buffer, 1, &wait, nullptr), CL_SUCCESS);
    ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    ASSERT_EQ(clFinish(loose), CL_SUCCESS);
    EXPECT_EQ(read(sum), Words{50 * 8 * 5});
  }
}

TEST_F(CommandBufferTest, ThreadsThatEnqueueAtOnce) {
  Owned<cl_mem> sum = makeWords({0});
  Owned<cl_kernel> count = kernel("count", sum, 1);
  Owned<cl_command_queue> loose = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  TestBuffer buffer =
      makeCommandBuffer({loose.get()}, {CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0});
  // A diamond, so that there are several nodes.
  const cl_sync_point_khr top = buffer.launch(count, 1);
  const cl_sync_point_khr left = buffer.launch(count, 1, {.after = {top}});
  const cl_sync_point_khr right = buffer.launch(count, 1, {.after = {top}});
  buffer.launch(count, 1, {.after = {left, right}});
  buffer.finalize();
  constexpr int kThreads = 4, kTimes = 100;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < kTimes; ++k) {
        Owned<cl_event> done;
        buffer.enqueue(done.out());
        const cl_event event = done;
        if (k % 10 == 0) EXPECT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  ASSERT_EQ(clFinish(loose), CL_SUCCESS);
  EXPECT_EQ(read(sum), Words{kThreads * kTimes * 4});
}

} // namespace

} // namespace clotho::test
