// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the functions of command buffers refuse.
#include "command_buffers.hpp"

namespace clotho::test {

namespace {

class CommandBufferErrorsTest : public CommandBufferApi {
 protected:
  void SetUp() override {
    CommandBufferApi::SetUp();
    if (IsSkipped()) return;
    a_ = makeWords(Words(kWords, 0));
    b_ = makeWords(Words(kWords, 0));
    put_ = kernel("put", a_, 1);
    otherContext_ = makeContext();
    cl_int status = 1;
    otherQueue_ = clCreateCommandQueueWithProperties(otherContext_, device_, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    otherBuffer_ = clCreateBuffer(otherContext_, CL_MEM_READ_WRITE, kBytes, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc shape{};
    shape.image_type = CL_MEM_OBJECT_IMAGE2D;
    shape.image_width = shape.image_height = 4;
    image_ = clCreateImage(context_, CL_MEM_READ_WRITE, &format, &shape, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    otherImage_ = clCreateImage(otherContext_, CL_MEM_READ_WRITE, &format, &shape, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
  }

  cl_int createCode(const std::vector<cl_command_queue>& queues,
                    const std::vector<cl_command_buffer_properties_khr>& list = {}) {
    cl_int status = 1;
    const cl_command_buffer_khr made =
        calls_->clCreateCommandBufferKHR(static_cast<cl_uint>(queues.size()), queues.empty() ? nullptr : queues.data(),
                                         list.empty() ? nullptr : list.data(), &status);
    EXPECT_EQ(made == nullptr, status != CL_SUCCESS);
    if (made) EXPECT_EQ(calls_->clReleaseCommandBufferKHR(made), CL_SUCCESS);
    return status;
  }

  /// The parameters that all commands have in common.
  struct Common {
    cl_command_buffer_khr buffer;
    cl_command_queue queue = nullptr;
    const khr::cl_command_properties_khr* properties = nullptr;
    cl_uint count = 0;
    const cl_sync_point_khr* points = nullptr;
    cl_mutable_command_khr* handle = nullptr;
  };
  using Record = std::function<cl_int(const Common&)>;

  /// Every function that records a command, with parameters of its own that are right.
  std::vector<std::pair<const char*, Record>> commands() {
    static constexpr size_t kOrigin[3] = {0, 0, 0}, kRegion[3] = {4, 1, 1}, kSize = kWords;
    static const cl_uint kPattern[4] = {1, 2, 3, 4};
    static cl_uint host[kWords * 2];
    std::vector<std::pair<const char*, Record>> all = {
        {"barrier",
         [this](const Common& c) {
           return calls_->clCommandBarrierWithWaitListKHR(c.buffer, c.queue, c.properties, c.count, c.points, nullptr,
                                                          c.handle);
         }},
        {"copy buffer",
         [this](const Common& c) {
           return calls_->clCommandCopyBufferKHR(c.buffer, c.queue, c.properties, a_, b_, 0, 0, 4, c.count, c.points,
                                                 nullptr, c.handle);
         }},
        {"copy rect",
         [this](const Common& c) {
           return calls_->clCommandCopyBufferRectKHR(c.buffer, c.queue, c.properties, a_, b_, kOrigin, kOrigin, kRegion,
                                                     0, 0, 0, 0, c.count, c.points, nullptr, c.handle);
         }},
        {"copy buffer to image",
         [this](const Common& c) {
           return calls_->clCommandCopyBufferToImageKHR(c.buffer, c.queue, c.properties, a_, image_, 0, kOrigin,
                                                        kRegion, c.count, c.points, nullptr, c.handle);
         }},
        {"copy image",
         [this](const Common& c) {
           static constexpr size_t kBelow[3] = {0, 1, 0};
           return calls_->clCommandCopyImageKHR(c.buffer, c.queue, c.properties, image_, image_, kOrigin, kBelow,
                                                kRegion, c.count, c.points, nullptr, c.handle);
         }},
        {"copy image to buffer",
         [this](const Common& c) {
           return calls_->clCommandCopyImageToBufferKHR(c.buffer, c.queue, c.properties, image_, a_, kOrigin, kRegion,
                                                        0, c.count, c.points, nullptr, c.handle);
         }},
        {"fill buffer",
         [this](const Common& c) {
           return calls_->clCommandFillBufferKHR(c.buffer, c.queue, c.properties, a_, kPattern, 4, 0, 4, c.count,
                                                 c.points, nullptr, c.handle);
         }},
        {"fill image",
         [this](const Common& c) {
           return calls_->clCommandFillImageKHR(c.buffer, c.queue, c.properties, image_, kPattern, kOrigin, kRegion,
                                                c.count, c.points, nullptr, c.handle);
         }},
        {"kernel",
         [this](const Common& c) {
           return calls_->clCommandNDRangeKernelKHR(c.buffer, c.queue, c.properties, put_, 1, nullptr, &kSize, nullptr,
                                                    c.count, c.points, nullptr, c.handle);
         }},
    };
    if (hasSharedMemory()) {
      all.push_back({"svm memcpy", [this](const Common& c) {
                       return calls_->clCommandSVMMemcpyKHR(c.buffer, c.queue, c.properties, host, host + kWords, 4,
                                                            c.count, c.points, nullptr, c.handle);
                     }});
      all.push_back({"svm fill", [this](const Common& c) {
                       return calls_->clCommandSVMMemFillKHR(c.buffer, c.queue, c.properties, host, kPattern, 4, 4,
                                                             c.count, c.points, nullptr, c.handle);
                     }});
    }
    return all;
  }

  Owned<cl_mem> a_, b_, image_, otherBuffer_, otherImage_;
  Owned<cl_kernel> put_;
  Owned<cl_context> otherContext_;
  Owned<cl_command_queue> otherQueue_;
};

TEST_F(CommandBufferErrorsTest, Create) {
  const auto flags = [](cl_command_buffer_properties_khr value) {
    return std::vector<cl_command_buffer_properties_khr>{CL_COMMAND_BUFFER_FLAGS_KHR, value, 0};
  };
  EXPECT_EQ(createCode({queue_}), CL_SUCCESS);
  EXPECT_EQ(createCode({queue_}, {0}), CL_SUCCESS);
  EXPECT_EQ(createCode({queue_}, flags(CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | CL_COMMAND_BUFFER_MUTABLE_KHR |
                                       CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR)),
            CL_SUCCESS);
  EXPECT_EQ(createCode({}), CL_INVALID_VALUE);
  cl_int status = 1;
  const cl_command_queue queue = queue_;
  EXPECT_EQ(calls_->clCreateCommandBufferKHR(0, &queue, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(calls_->clCreateCommandBufferKHR(1, nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(calls_->clCreateCommandBufferKHR(1, nullptr, nullptr, nullptr), nullptr);
  EXPECT_EQ(createCode({nullptr}), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(createCode({queue_, nullptr}), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(createCode({queue_, otherQueue_}), CL_INVALID_CONTEXT);
  EXPECT_EQ(createCode({queue_}, {0x7777, 0, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(createCode({queue_}, flags(1 << 20)), CL_INVALID_VALUE);
  EXPECT_EQ(createCode({queue_}, {CL_COMMAND_BUFFER_FLAGS_KHR, 0, CL_COMMAND_BUFFER_FLAGS_KHR, 0, 0}),
            CL_INVALID_VALUE);
  EXPECT_EQ(createCode({queue_}, {CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR, 2, 0}), CL_INVALID_VALUE);
}

TEST_F(CommandBufferErrorsTest, HandlesThatAreNone) {
  cl_uint value = 0;
  Foreign<cl_command_buffer_khr> foreign(context_.get());
  for (const cl_command_buffer_khr bad : {cl_command_buffer_khr(nullptr), cl_command_buffer_khr(foreign)}) {
    EXPECT_EQ(calls_->clRetainCommandBufferKHR(bad), CL_INVALID_COMMAND_BUFFER_KHR);
    EXPECT_EQ(calls_->clReleaseCommandBufferKHR(bad), CL_INVALID_COMMAND_BUFFER_KHR);
    EXPECT_EQ(calls_->clFinalizeCommandBufferKHR(bad), CL_INVALID_COMMAND_BUFFER_KHR);
    EXPECT_EQ(calls_->clEnqueueCommandBufferKHR(0, nullptr, bad, 0, nullptr, nullptr), CL_INVALID_COMMAND_BUFFER_KHR);
    EXPECT_EQ(calls_->clGetCommandBufferInfoKHR(bad, CL_COMMAND_BUFFER_STATE_KHR, sizeof value, &value, nullptr),
              CL_INVALID_COMMAND_BUFFER_KHR);
    for (const auto& [name, record] : commands())
      EXPECT_EQ(record({bad}), CL_INVALID_COMMAND_BUFFER_KHR) << name;
  }
  Foreign<cl_mutable_command_khr> command(context_.get());
  EXPECT_EQ(
      calls_->clGetMutableCommandInfoKHR(command, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, sizeof value, &value, nullptr),
      CL_INVALID_MUTABLE_COMMAND_KHR);
}

TEST_F(CommandBufferErrorsTest, WhatAllCommandsRefuse) {
  Owned<cl_command_queue> notListed = makeQueue(), second = makeQueue();
  TestBuffer one = makeCommandBuffer(), two = makeCommandBuffer({queue_.get(), second.get()}),
             over = makeCommandBuffer();
  const cl_sync_point_khr point = one.barrier({});
  over.finalize();
  const khr::cl_command_properties_khr unknown[] = {0x7777, 0, 0}, none[] = {0};
  const cl_sync_point_khr bad = 1000, zero = 0;
  for (const auto& [name, record] : commands()) {
    cl_mutable_command_khr handle = nullptr;
    EXPECT_EQ(record({one}), CL_SUCCESS) << name;
    EXPECT_EQ(record({one, queue_, none, 1, &point}), CL_SUCCESS) << name;
    EXPECT_EQ(record({two, second}), CL_SUCCESS) << name;
    EXPECT_EQ(record({two}), CL_INVALID_COMMAND_QUEUE) << name;
    EXPECT_EQ(record({one, notListed}), CL_INVALID_COMMAND_QUEUE) << name;
    EXPECT_EQ(record({two, notListed}), CL_INVALID_COMMAND_QUEUE) << name;
    EXPECT_EQ(record({one, Foreign<cl_command_queue>(queue_.get())}), CL_INVALID_COMMAND_QUEUE) << name;
    EXPECT_EQ(record({one, otherQueue_}), CL_INVALID_CONTEXT) << name;
    EXPECT_EQ(record({over}), CL_INVALID_OPERATION) << name;
    EXPECT_EQ(record({one, nullptr, unknown}), CL_INVALID_VALUE) << name;
    EXPECT_EQ(record({one, nullptr, nullptr, 1, nullptr}), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR) << name;
    EXPECT_EQ(record({one, nullptr, nullptr, 0, &point}), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR) << name;
    EXPECT_EQ(record({one, nullptr, nullptr, 1, &bad}), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR) << name;
    EXPECT_EQ(record({one, nullptr, nullptr, 1, &zero}), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR) << name;
    const bool isKernel = std::string(name) == "kernel";
    EXPECT_EQ(record({one, nullptr, nullptr, 0, nullptr, &handle}), isKernel ? CL_SUCCESS : CL_INVALID_VALUE) << name;
    EXPECT_EQ(handle != nullptr, isKernel) << name;
  }
  one.finalize();
  one.enqueue();
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS) << "what was refused left nothing";
}

TEST_F(CommandBufferErrorsTest, FinalizeAndEnqueue) {
  TestBuffer buffer = makeCommandBuffer();
  buffer.launch(put_, kWords);
  const auto enqueue = [&](cl_uint count, cl_command_queue* list) {
    return calls_->clEnqueueCommandBufferKHR(count, list, buffer, 0, nullptr, nullptr);
  };
  EXPECT_EQ(enqueue(0, nullptr), CL_INVALID_OPERATION) << "not finalized";
  buffer.finalize();
  EXPECT_EQ(calls_->clFinalizeCommandBufferKHR(buffer), CL_INVALID_OPERATION) << "twice";
  cl_command_queue queues[] = {queue_, queue_}, other = otherQueue_;
  Foreign<cl_command_queue> foreign(queue_.get());
  cl_command_queue bad = foreign;
  EXPECT_EQ(enqueue(1, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(enqueue(0, queues), CL_INVALID_VALUE);
  EXPECT_EQ(enqueue(2, queues), CL_INVALID_VALUE);
  EXPECT_EQ(enqueue(1, &bad), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(enqueue(1, &other), CL_INVALID_CONTEXT);
  EXPECT_EQ(enqueue(1, queues), CL_SUCCESS);
  Owned<cl_event> event = makeUserEvent();
  cl_int status = 1;
  Owned<cl_event> foreignEvent = clCreateUserEvent(otherContext_, &status);
  const cl_event wait = event, wrong = foreignEvent, none = nullptr;
  EXPECT_EQ(calls_->clEnqueueCommandBufferKHR(0, nullptr, buffer, 1, nullptr, nullptr), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(calls_->clEnqueueCommandBufferKHR(0, nullptr, buffer, 0, &wait, nullptr), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(calls_->clEnqueueCommandBufferKHR(0, nullptr, buffer, 1, &none, nullptr), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(calls_->clEnqueueCommandBufferKHR(0, nullptr, buffer, 1, &wrong, nullptr), CL_INVALID_CONTEXT);
  EXPECT_EQ(clSetUserEventStatus(event, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(clSetUserEventStatus(foreignEvent, CL_COMPLETE), CL_SUCCESS);
}

TEST_F(CommandBufferErrorsTest, Transfers) {
  TestBuffer buffer = makeCommandBuffer();
  const size_t origin[3] = {0, 0, 0}, region[3] = {4, 1, 1}, empty[3] = {0, 1, 1}, wide[3] = {9999, 1, 1};
  const cl_uint pattern[4] = {};
  const auto copy = [&](cl_mem from, cl_mem to, size_t source, size_t target, size_t size) {
    return calls_->clCommandCopyBufferKHR(buffer, nullptr, nullptr, from, to, source, target, size, 0, nullptr, nullptr,
                                          nullptr);
  };
  EXPECT_EQ(copy(otherBuffer_, b_, 0, 0, 4), CL_INVALID_CONTEXT);
  EXPECT_EQ(copy(a_, otherBuffer_, 0, 0, 4), CL_INVALID_CONTEXT);
  EXPECT_EQ(copy(nullptr, b_, 0, 0, 4), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(copy(a_, image_, 0, 0, 4), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(copy(a_, b_, kBytes, 0, 4), CL_INVALID_VALUE);
  EXPECT_EQ(copy(a_, b_, 0, kBytes - 3, 4), CL_INVALID_VALUE);
  EXPECT_EQ(copy(a_, a_, 0, 2, 4), CL_MEM_COPY_OVERLAP);
  const auto rect = [&](cl_mem from, cl_mem to, const size_t* size, size_t pitch) {
    return calls_->clCommandCopyBufferRectKHR(buffer, nullptr, nullptr, from, to, origin, origin, size, pitch, 0, 0, 0,
                                              0, nullptr, nullptr, nullptr);
  };
  EXPECT_EQ(rect(otherBuffer_, b_, region, 0), CL_INVALID_CONTEXT);
  EXPECT_EQ(rect(a_, nullptr, region, 0), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(rect(a_, b_, empty, 0), CL_INVALID_VALUE);
  EXPECT_EQ(rect(a_, b_, nullptr, 0), CL_INVALID_VALUE);
  EXPECT_EQ(rect(a_, b_, region, 2), CL_INVALID_VALUE);
  EXPECT_EQ(rect(a_, a_, region, 0), CL_MEM_COPY_OVERLAP);
  const auto fill = [&](cl_mem to, const void* value, size_t size, size_t offset, size_t bytes) {
    return calls_->clCommandFillBufferKHR(buffer, nullptr, nullptr, to, value, size, offset, bytes, 0, nullptr, nullptr,
                                          nullptr);
  };
  EXPECT_EQ(fill(otherBuffer_, pattern, 4, 0, 4), CL_INVALID_CONTEXT);
  EXPECT_EQ(fill(nullptr, pattern, 4, 0, 4), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(fill(a_, nullptr, 4, 0, 4), CL_INVALID_VALUE);
  EXPECT_EQ(fill(a_, pattern, 3, 0, 3), CL_INVALID_VALUE);
  EXPECT_EQ(fill(a_, pattern, 4, 2, 4), CL_INVALID_VALUE);
  EXPECT_EQ(fill(a_, pattern, 4, kBytes, 4), CL_INVALID_VALUE);
  EXPECT_EQ(calls_->clCommandCopyBufferToImageKHR(buffer, nullptr, nullptr, otherBuffer_, image_, 0, origin, region, 0,
                                                  nullptr, nullptr, nullptr),
            CL_INVALID_CONTEXT);
  EXPECT_EQ(calls_->clCommandCopyBufferToImageKHR(buffer, nullptr, nullptr, a_, image_, kBytes, origin, region, 0,
                                                  nullptr, nullptr, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(calls_->clCommandCopyImageToBufferKHR(buffer, nullptr, nullptr, otherImage_, a_, origin, region, 0, 0,
                                                  nullptr, nullptr, nullptr),
            CL_INVALID_CONTEXT);
  EXPECT_EQ(calls_->clCommandCopyImageToBufferKHR(buffer, nullptr, nullptr, b_, a_, origin, region, 0, 0, nullptr,
                                                  nullptr, nullptr),
            CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(calls_->clCommandCopyImageKHR(buffer, nullptr, nullptr, image_, otherImage_, origin, origin, region, 0,
                                          nullptr, nullptr, nullptr),
            CL_INVALID_CONTEXT);
  EXPECT_EQ(calls_->clCommandCopyImageKHR(buffer, nullptr, nullptr, image_, image_, origin, origin, region, 0, nullptr,
                                          nullptr, nullptr),
            CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(calls_->clCommandFillImageKHR(buffer, nullptr, nullptr, otherImage_, pattern, origin, region, 0, nullptr,
                                          nullptr, nullptr),
            CL_INVALID_CONTEXT);
  EXPECT_EQ(calls_->clCommandFillImageKHR(buffer, nullptr, nullptr, image_, nullptr, origin, region, 0, nullptr,
                                          nullptr, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(calls_->clCommandFillImageKHR(buffer, nullptr, nullptr, image_, pattern, origin, wide, 0, nullptr, nullptr,
                                          nullptr),
            CL_INVALID_VALUE);
}

TEST_F(CommandBufferErrorsTest, TransfersOfSharedMemory) {
  CLOTHO_NEEDS(hasSharedMemory());
  TestBuffer buffer = makeCommandBuffer();
  const cl_uint pattern[4] = {};
  cl_uint host[8] = {};
  const auto copyShared = [&](void* to, const void* from, size_t size) {
    return calls_->clCommandSVMMemcpyKHR(buffer, nullptr, nullptr, to, from, size, 0, nullptr, nullptr, nullptr);
  };
  EXPECT_EQ(copyShared(nullptr, host, 4), CL_INVALID_VALUE);
  EXPECT_EQ(copyShared(host, nullptr, 4), CL_INVALID_VALUE);
  EXPECT_EQ(copyShared(host, host + 1, 8), CL_MEM_COPY_OVERLAP);
  const auto fillShared = [&](void* to, const void* value, size_t size, size_t bytes) {
    return calls_->clCommandSVMMemFillKHR(buffer, nullptr, nullptr, to, value, size, bytes, 0, nullptr, nullptr,
                                          nullptr);
  };
  EXPECT_EQ(fillShared(nullptr, pattern, 4, 4), CL_INVALID_VALUE);
  EXPECT_EQ(fillShared(host, nullptr, 4, 4), CL_INVALID_VALUE);
  EXPECT_EQ(fillShared(host, pattern, 3, 3), CL_INVALID_VALUE);
  EXPECT_EQ(fillShared(host, pattern, 4, 6), CL_INVALID_VALUE);
  EXPECT_EQ(fillShared(reinterpret_cast<std::byte*>(host) + 1, pattern, 4, 4), CL_INVALID_VALUE);
}

TEST_F(CommandBufferErrorsTest, Kernels) {
  TestBuffer buffer = makeCommandBuffer();
  TestBuffer asserted =
      makeCommandBuffer({queue_.get()}, {CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR,
                                         CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR, 0});
  const size_t global[3] = {8, 1, 1}, local[3] = {4, 1, 1}, uneven[3] = {3, 1, 1}, huge[3] = {1 << 20, 1, 1},
               offset[3] = {SIZE_MAX, 0, 0};
  struct Range {
    cl_uint dimensions;
    const size_t *offset, *global, *local;
  };
  const auto record = [&](cl_command_buffer_khr to, cl_kernel kernel, const Range& range, const Fields& list = {}) {
    return calls_->clCommandNDRangeKernelKHR(to, nullptr, list.empty() ? nullptr : list.data(), kernel,
                                             range.dimensions, range.offset, range.global, range.local, 0, nullptr,
                                             nullptr, nullptr);
  };
  const Range good{1, nullptr, global, local}, free{1, nullptr, global, nullptr};
  EXPECT_EQ(record(buffer, nullptr, good), CL_INVALID_KERNEL);
  EXPECT_EQ(record(buffer, put_, {0, nullptr, global, local}), CL_INVALID_WORK_DIMENSION);
  EXPECT_EQ(record(buffer, put_, {4, nullptr, global, local}), CL_INVALID_WORK_DIMENSION);
  EXPECT_EQ(record(buffer, put_, {1, offset, global, local}), CL_INVALID_GLOBAL_OFFSET);
  EXPECT_EQ(record(buffer, put_, {1, nullptr, global, uneven}), CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(record(buffer, put_, {1, nullptr, global, huge}), CL_INVALID_WORK_ITEM_SIZE);
  Owned<cl_kernel> unset = kernel("put", nullptr, 0);
  EXPECT_EQ(record(buffer, unset, good), CL_INVALID_KERNEL_ARGS);
  EXPECT_EQ(
      record(buffer, unset, good, {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR, 0}),
      CL_INVALID_KERNEL_ARGS);
  cl_int status = 1;
  const char* source = "kernel void put(global uint* words, uint number) {}";
  Owned<cl_program> program = clCreateProgramWithSource(otherContext_, 1, &source, nullptr, &status);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  Owned<cl_kernel> other = clCreateKernel(program, "put", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(record(buffer, other, good), CL_INVALID_CONTEXT);

  const khr::cl_command_properties_khr kFields = CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
                                       kAsserts = CL_MUTABLE_DISPATCH_ASSERTS_KHR;
  EXPECT_EQ(record(buffer, put_, good, {kFields, 1 << 10, 0}), CL_INVALID_OPERATION) << "a field that none can update";
  EXPECT_EQ(record(buffer, put_, good, {kAsserts, 2, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(record(buffer, put_, good, {kAsserts, 1, kAsserts, 1, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(record(buffer, put_, free, {kAsserts, 1, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(record(buffer, put_, good, {kAsserts, 1, 0}), CL_SUCCESS);
  EXPECT_EQ(record(asserted, put_, free), CL_INVALID_VALUE);
  EXPECT_EQ(record(asserted, put_, good), CL_SUCCESS);
  // An argument that is gone.
  Owned<cl_mem> gone = makeWords(Words(kWords, 0));
  set(put_, gone, 1);
  gone = {};
  EXPECT_EQ(record(buffer, put_, good), CL_INVALID_MEM_OBJECT);
}

} // namespace

} // namespace clotho::test
