// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all functions that enqueue a command refuse: queues, wait lists and failed dependencies; and what each of them
// refuses that the tests of its own file leave out.
#include "fixture.hpp"

#include <limits>

namespace clotho::test {

namespace {

/// A function that enqueues, with arguments that are right but for those given.
struct Enqueue {
  const char* name;
  std::function<cl_int(cl_command_queue, cl_uint, const cl_event*)> call;
};

class ErrorsEnqueueTest : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    a_ = makeBuffer(4096);
    b_ = makeBuffer(4096);
    kernel_ = makeKernel("kernel void k(global int* p) { p[get_global_id(0)] = 1; }", "k");
    cl_mem raw = a_;
    ASSERT_EQ(clSetKernelArg(kernel_, 0, sizeof raw, &raw), CL_SUCCESS);
    otherContext_ = makeContext();
    cl_int status = 1;
    otherBuffer_ = clCreateBuffer(otherContext_, 0, 4096, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    otherEvent_ = clCreateUserEvent(otherContext_, &status);
    ASSERT_EQ(status, CL_SUCCESS);
  }
  void TearDown() override {
    clSetUserEventStatus(otherEvent_, CL_COMPLETE);
    Api::TearDown();
  }
  std::vector<Enqueue> all();

  static constexpr size_t kZero[3] = {0, 0, 0}, kOne[3] = {1, 1, 1};
  static void CL_CALLBACK nothing(void*) {}
  unsigned char host_[64] = {};
  Owned<cl_mem> a_, b_, otherBuffer_;
  Owned<cl_kernel> kernel_;
  Owned<cl_context> otherContext_;
  Owned<cl_event> otherEvent_;
};

std::vector<Enqueue> ErrorsEnqueueTest::all() {
  std::vector<Enqueue> all = {
      {"clEnqueueReadBuffer",
       [&](cl_command_queue queue, cl_uint count, const cl_event* list) {
         return clEnqueueReadBuffer(queue, a_, CL_TRUE, 0, 4, host_, count, list, nullptr);
       }},
      {"clEnqueueWriteBuffer",
       [&](cl_command_queue queue, cl_uint count, const cl_event* list) {
         return clEnqueueWriteBuffer(queue, a_, CL_TRUE, 0, 4, host_, count, list, nullptr);
       }},
      {"clEnqueueReadBufferRect",
       [&](cl_command_queue queue, cl_uint count, const cl_event* list) {
         return clEnqueueReadBufferRect(queue, a_, CL_TRUE, kZero, kZero, kOne, 0, 0, 0, 0, host_, count, list,
                                        nullptr);
       }},
      {"clEnqueueWriteBufferRect",
       [&](cl_command_queue queue, cl_uint count, const cl_event* list) {
         return clEnqueueWriteBufferRect(queue, a_, CL_TRUE, kZero, kZero, kOne, 0, 0, 0, 0, host_, count, list,
                                         nullptr);
       }},
      {"clEnqueueCopyBuffer",
       [&](cl_command_queue queue, cl_uint count, const cl_event* list) {
         return clEnqueueCopyBuffer(queue, a_, b_, 0, 0, 4, count, list, nullptr);
       }},
      {"clEnqueueCopyBufferRect",
       [&](cl_command_queue queue, cl_uint count, const cl_event* list) {
         return clEnqueueCopyBufferRect(queue, a_, b_, kZero, kZero, kOne, 0, 0, 0, 0, count, list, nullptr);
       }},
      {"clEnqueueFillBuffer",
       [&](cl_command_queue queue, cl_uint count, const cl_event* list) {
         return clEnqueueFillBuffer(queue, a_, host_, 4, 0, 4, count, list, nullptr);
       }},
      {"clEnqueueMapBuffer",
       [&](cl_command_queue queue, cl_uint count, const cl_event* list) {
         cl_int status = 1;
         void* pointer = clEnqueueMapBuffer(queue, b_, CL_TRUE, CL_MAP_READ, 0, 4, count, list, nullptr, &status);
         EXPECT_EQ(pointer == nullptr, status != CL_SUCCESS);
         return status;
       }},
      {"clEnqueueUnmapMemObject",
       [&](cl_command_queue queue, cl_uint count, const cl_event* list) {
         cl_int status = 1;
         void* pointer = clEnqueueMapBuffer(queue_, a_, CL_TRUE, CL_MAP_READ, 0, 4, 0, nullptr, nullptr, &status);
         EXPECT_EQ(status, CL_SUCCESS);
         status = clEnqueueUnmapMemObject(queue, a_, pointer, count, list, nullptr);
         // What was refused has left the map as it was.
         if (status != CL_SUCCESS)
           EXPECT_EQ(clEnqueueUnmapMemObject(queue_, a_, pointer, 0, nullptr, nullptr), CL_SUCCESS);
         return status;
       }},
      {"clEnqueueMigrateMemObjects",
       [&](cl_command_queue queue, cl_uint count, const cl_event* list) {
         cl_mem raw = a_;
         return clEnqueueMigrateMemObjects(queue, 1, &raw, 0, count, list, nullptr);
       }},
      {"clEnqueueNDRangeKernel",
       [&](cl_command_queue queue, cl_uint count, const cl_event* list) {
         return clEnqueueNDRangeKernel(queue, kernel_, 1, nullptr, kOne, nullptr, count, list, nullptr);
       }},
      {"clEnqueueTask", [&](cl_command_queue queue, cl_uint count,
                            const cl_event* list) { return clEnqueueTask(queue, kernel_, count, list, nullptr); }},
      {"clEnqueueMarkerWithWaitList",
       [&](cl_command_queue queue, cl_uint count, const cl_event* list) {
         return clEnqueueMarkerWithWaitList(queue, count, list, nullptr);
       }},
      {"clEnqueueBarrierWithWaitList",
       [&](cl_command_queue queue, cl_uint count, const cl_event* list) {
         return clEnqueueBarrierWithWaitList(queue, count, list, nullptr);
       }},
  };
  if (hasNativeKernels())
    all.push_back({"clEnqueueNativeKernel", [&](cl_command_queue queue, cl_uint count, const cl_event* list) {
                     return clEnqueueNativeKernel(queue, nothing, nullptr, 0, 0, nullptr, nullptr, count, list,
                                                  nullptr);
                   }});
  return all;
}

TEST_F(ErrorsEnqueueTest, RightArgumentsAreTaken) {
  for (const Enqueue& enqueue : all())
    EXPECT_EQ(enqueue.call(queue_, 0, nullptr), CL_SUCCESS) << enqueue.name;
}

TEST_F(ErrorsEnqueueTest, Queues) {
  Foreign<cl_command_queue> foreign(device_);
  Owned<cl_command_queue> owned = makeQueue();
  cl_command_queue gone = owned;
  ASSERT_EQ(clReleaseCommandQueue(owned.take()), CL_SUCCESS);
  for (const Enqueue& enqueue : all()) {
    EXPECT_EQ(enqueue.call(foreign, 0, nullptr), CL_INVALID_COMMAND_QUEUE) << enqueue.name;
    EXPECT_EQ(enqueue.call(gone, 0, nullptr), CL_INVALID_COMMAND_QUEUE) << enqueue.name << ", released";
  }
}

TEST_F(ErrorsEnqueueTest, QueuesOnDevices) {
  if (!hasDeviceQueues()) GTEST_SKIP() << "the device has no queues of its own";
  const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                      0};
  cl_int status = 1;
  Owned<cl_command_queue> queue = clCreateCommandQueueWithProperties(context_, device_, list, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  for (const Enqueue& enqueue : all())
    EXPECT_EQ(enqueue.call(queue, 0, nullptr), CL_INVALID_COMMAND_QUEUE) << enqueue.name;
}

TEST_F(ErrorsEnqueueTest, WaitLists) {
  Owned<cl_event> good = makeUserEvent();
  ASSERT_EQ(clSetUserEventStatus(good, CL_COMPLETE), CL_SUCCESS);
  Foreign<cl_event> foreign(device_);
  const cl_event right[] = {good}, null[] = {good, nullptr}, wrong[] = {good, foreign};
  for (const Enqueue& enqueue : all()) {
    EXPECT_EQ(enqueue.call(queue_, 1, right), CL_SUCCESS) << enqueue.name;
    EXPECT_EQ(enqueue.call(queue_, 1, nullptr), CL_INVALID_EVENT_WAIT_LIST) << enqueue.name << ", no list";
    EXPECT_EQ(enqueue.call(queue_, 0, right), CL_INVALID_EVENT_WAIT_LIST) << enqueue.name << ", no length";
    EXPECT_EQ(enqueue.call(queue_, 2, null), CL_INVALID_EVENT_WAIT_LIST) << enqueue.name << ", a null event";
    EXPECT_EQ(enqueue.call(queue_, 2, wrong), CL_INVALID_EVENT_WAIT_LIST) << enqueue.name << ", no event";
  }
}

TEST_F(ErrorsEnqueueTest, EventsOfAnotherContext) {
  const cl_event list[] = {otherEvent_};
  for (const Enqueue& enqueue : all())
    EXPECT_EQ(enqueue.call(queue_, 1, list), CL_INVALID_CONTEXT) << enqueue.name;
}

TEST_F(ErrorsEnqueueTest, ObjectsOfAnotherContext) {
  cl_int status = 1;
  Owned<cl_command_queue> other = clCreateCommandQueueWithProperties(otherContext_, device_, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  for (const Enqueue& enqueue : all()) {
    std::string name = enqueue.name;
    bool hasObjects = name != "clEnqueueNativeKernel" && name != "clEnqueueMarkerWithWaitList" &&
                      name != "clEnqueueBarrierWithWaitList";
    EXPECT_EQ(enqueue.call(other, 0, nullptr), hasObjects ? CL_INVALID_CONTEXT : CL_SUCCESS) << name;
  }
  void* argument = nullptr;
  const cl_mem memory[] = {otherBuffer_};
  const void* places[] = {&argument};
  EXPECT_EQ(clEnqueueNativeKernel(queue_, nothing, static_cast<void*>(&argument), sizeof argument, 1, memory, places, 0,
                                  nullptr, nullptr),
            hasNativeKernels() ? CL_INVALID_CONTEXT : CL_INVALID_OPERATION);
}

TEST_F(ErrorsEnqueueTest, BlockingCallsAfterAFailure) {
  Owned<cl_event> failed = makeUserEvent();
  ASSERT_EQ(clSetUserEventStatus(failed, -5), CL_SUCCESS);
  const cl_event list[] = {failed};
  for (const Enqueue& enqueue : all()) {
    std::string name = enqueue.name;
    bool blocks = name.find("Read") != name.npos || name.find("Write") != name.npos || name == "clEnqueueMapBuffer";
    EXPECT_EQ(enqueue.call(queue_, 1, list), blocks ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS)
        << name;
  }
}

TEST_F(ErrorsEnqueueTest, RectanglesKeepToHostAccess) {
  struct {
    cl_mem_flags flags;
    cl_int read, write;
  } cases[] = {{CL_MEM_HOST_WRITE_ONLY, CL_INVALID_OPERATION, CL_SUCCESS},
               {CL_MEM_HOST_READ_ONLY, CL_SUCCESS, CL_INVALID_OPERATION},
               {CL_MEM_HOST_NO_ACCESS, CL_INVALID_OPERATION, CL_INVALID_OPERATION}};
  for (const auto& c : cases) {
    Owned<cl_mem> buffer = makeBuffer(64, c.flags);
    EXPECT_EQ(
        clEnqueueReadBufferRect(queue_, buffer, CL_TRUE, kZero, kZero, kOne, 0, 0, 0, 0, host_, 0, nullptr, nullptr),
        c.read)
        << c.flags;
    EXPECT_EQ(
        clEnqueueWriteBufferRect(queue_, buffer, CL_TRUE, kZero, kZero, kOne, 0, 0, 0, 0, host_, 0, nullptr, nullptr),
        c.write)
        << c.flags;
  }
}

// Slices that are whole rows but too few, and enough bytes but no whole rows: either is wrong by itself.
TEST_F(ErrorsEnqueueTest, SlicePitches) {
  const size_t region[3] = {8, 4, 2};
  for (size_t slice : {24, 33, 39}) {
    EXPECT_EQ(
        clEnqueueReadBufferRect(queue_, a_, CL_TRUE, kZero, kZero, region, 8, slice, 0, 0, host_, 0, nullptr, nullptr),
        CL_INVALID_VALUE)
        << slice;
    EXPECT_EQ(
        clEnqueueWriteBufferRect(queue_, a_, CL_TRUE, kZero, kZero, region, 8, slice, 0, 0, host_, 0, nullptr, nullptr),
        CL_INVALID_VALUE)
        << slice;
    EXPECT_EQ(
        clEnqueueReadBufferRect(queue_, a_, CL_TRUE, kZero, kZero, region, 0, 0, 8, slice, host_, 0, nullptr, nullptr),
        CL_INVALID_VALUE)
        << slice;
    EXPECT_EQ(
        clEnqueueWriteBufferRect(queue_, a_, CL_TRUE, kZero, kZero, region, 0, 0, 8, slice, host_, 0, nullptr, nullptr),
        CL_INVALID_VALUE)
        << slice;
    EXPECT_EQ(clEnqueueCopyBufferRect(queue_, a_, b_, kZero, kZero, region, 8, slice, 0, 0, 0, nullptr, nullptr),
              CL_INVALID_VALUE)
        << slice;
    EXPECT_EQ(clEnqueueCopyBufferRect(queue_, a_, b_, kZero, kZero, region, 0, 0, 8, slice, 0, nullptr, nullptr),
              CL_INVALID_VALUE)
        << slice;
  }
}

TEST_F(ErrorsEnqueueTest, ReleasedBuffers) {
  Owned<cl_mem> owned = makeBuffer(64);
  cl_mem gone = owned;
  ASSERT_EQ(clReleaseMemObject(owned.take()), CL_SUCCESS);
  EXPECT_EQ(clEnqueueReadBuffer(queue_, gone, CL_TRUE, 0, 4, host_, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueWriteBuffer(queue_, gone, CL_TRUE, 0, 4, host_, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueCopyBuffer(queue_, gone, a_, 0, 0, 4, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueCopyBuffer(queue_, a_, gone, 0, 0, 4, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueFillBuffer(queue_, gone, host_, 4, 0, 4, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueMigrateMemObjects(queue_, 1, &gone, 0, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
}

// A block of arguments that no memory can hold; it is never read.
TEST_F(ErrorsEnqueueTest, NativeArgumentsThatDoNotFit) {
  CLOTHO_NEEDS(hasNativeKernels());
  if (kSanitized) GTEST_SKIP();
  size_t tooMuch = std::numeric_limits<ptrdiff_t>::max() / 2;
  EXPECT_EQ(clEnqueueNativeKernel(queue_, nothing, host_, tooMuch, 0, nullptr, nullptr, 0, nullptr, nullptr),
            CL_OUT_OF_HOST_MEMORY);
}

TEST_F(ErrorsEnqueueTest, Kernels) {
  Foreign<cl_kernel> foreign(device_);
  cl_int status = 1;
  Owned<cl_kernel> unset = clCloneKernel(makeKernel("kernel void k(global int* p) { *p = 1; }", "k"), &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, foreign, 1, nullptr, kOne, nullptr, 0, nullptr, nullptr), CL_INVALID_KERNEL);
  EXPECT_EQ(clEnqueueTask(queue_, foreign, 0, nullptr, nullptr), CL_INVALID_KERNEL);
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, unset, 1, nullptr, kOne, nullptr, 0, nullptr, nullptr),
            CL_INVALID_KERNEL_ARGS);
  EXPECT_EQ(clEnqueueTask(queue_, unset, 0, nullptr, nullptr), CL_INVALID_KERNEL_ARGS);
}

} // namespace

} // namespace clotho::test
